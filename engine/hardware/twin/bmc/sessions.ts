/** Sessions of a BMC (SessionService, DSP0266, 13.3.4). */
import type { JsonObject } from '../../../vocabulary/json.ts';
import type { BmcCall, BmcReply, BmcRoute } from './bmc-call.ts';
import { BmcRejection } from './bmc-rejection.ts';
import { collectionOf, enabledStatus, linkTo, noContent, ROOT_PATH, resourceOf, timeOf } from './documents.ts';
import { BodyFields } from './fields.ts';
import { rolePrivileges, SESSION_TIMEOUT_S } from './logins.ts';

const SESSION_SERVICE = `${ROOT_PATH}/SessionService`;
export const SESSIONS_PATH = `${SESSION_SERVICE}/Sessions`;

const sessionOf = ({ logins, params }: BmcCall) => logins.sessions().find(({ id }) => id === params.id);

function sessionDocument(call: BmcCall): JsonObject {
  const session = sessionOf(call);
  return resourceOf(call, 'Session', 'A session', {
    UserName: session?.user,
    Password: null,
    CreatedTime: timeOf(session?.created ?? 0),
  });
}

function openSession(call: BmcCall): BmcReply {
  const fields = new BodyFields(call.body, ['UserName', 'Password', 'SessionType', 'Context', 'Token']);
  const { id, token } = call.logins.open(fields.text('UserName'), fields.text('Password'));
  const path = `${SESSIONS_PATH}/${id}`;
  return {
    status: 201,
    headers: { Location: path, 'X-Auth-Token': token },
    body: sessionDocument({ ...call, path, params: { id } }),
  };
}

function endSession(call: BmcCall): BmcReply {
  const { account, logins, params } = call;
  const isOwn = sessionOf(call)?.user === account?.user;
  if (!isOwn && account !== undefined && !rolePrivileges[account.role].includes('ConfigureManager'))
    throw new BmcRejection(403, 'InsufficientPrivilege');
  logins.end(params.id ?? '');
  return noContent;
}

export const sessionRoutes: readonly BmcRoute[] = [
  {
    path: SESSION_SERVICE,
    get: (call) =>
      resourceOf(call, 'SessionService', 'Session service', {
        ServiceEnabled: true,
        Status: enabledStatus,
        SessionTimeout: SESSION_TIMEOUT_S,
        Sessions: linkTo(SESSIONS_PATH),
      }),
  },
  {
    path: SESSIONS_PATH,
    isPublic: 'post',
    get: (call) =>
      collectionOf(
        call,
        'Session',
        call.logins.sessions().map(({ id }) => id),
      ),
    post: openSession,
  },
  {
    path: `${SESSIONS_PATH}/:id`,
    has: (call) => sessionOf(call) !== undefined,
    get: sessionDocument,
    remove: endSession,
    needs: 'Login',
  },
];
