/** Sessions of a BMC (SessionService, DSP0266, 13.3.4). */
import type { JsonObject } from '../../vocabulary/json.ts';
import type { BmcAsked, BmcRoute, BmcSaid } from './asked.ts';
import { collectionOf, enabledStatus, linkTo, noContent, ROOT_PATH, resourceOf, timeOf } from './documents.ts';
import { BodyFields } from './fields.ts';
import { rolePrivileges, SESSION_TIMEOUT_S } from './logins.ts';
import { BmcRefusal } from './refusals.ts';

const SERVICE = `${ROOT_PATH}/SessionService`;
export const SESSIONS_PATH = `${SERVICE}/Sessions`;

const sessionOf = ({ logins, params }: BmcAsked) => logins.sessions().find(({ id }) => id === params.id);

function sessionDocument(asked: BmcAsked): JsonObject {
  const session = sessionOf(asked);
  return resourceOf(asked, 'Session', 'A session', {
    UserName: session?.user,
    Password: null,
    CreatedTime: timeOf(session?.created ?? 0),
  });
}

function openSession(asked: BmcAsked): BmcSaid {
  const fields = new BodyFields(asked.body, ['UserName', 'Password', 'SessionType', 'Context', 'Token']);
  const { id, token } = asked.logins.open(fields.text('UserName'), fields.text('Password'));
  const path = `${SESSIONS_PATH}/${id}`;
  return {
    status: 201,
    headers: { Location: path, 'X-Auth-Token': token },
    body: sessionDocument({ ...asked, path, params: { id } }),
  };
}

function endSession(asked: BmcAsked): BmcSaid {
  const { account, logins, params } = asked;
  const isOwn = sessionOf(asked)?.user === account?.user;
  if (!isOwn && account !== undefined && !rolePrivileges[account.role].includes('ConfigureManager'))
    throw new BmcRefusal(403, 'InsufficientPrivilege');
  logins.end(params.id ?? '');
  return noContent;
}

export const sessionRoutes: readonly BmcRoute[] = [
  {
    path: SERVICE,
    get: (asked) =>
      resourceOf(asked, 'SessionService', 'Session service', {
        ServiceEnabled: true,
        Status: enabledStatus,
        SessionTimeout: SESSION_TIMEOUT_S,
        Sessions: linkTo(SESSIONS_PATH),
      }),
  },
  {
    path: SESSIONS_PATH,
    isPublic: 'post',
    get: (asked) =>
      collectionOf(
        asked,
        'Session',
        asked.logins.sessions().map(({ id }) => id),
      ),
    post: openSession,
  },
  {
    path: `${SESSIONS_PATH}/:id`,
    has: (asked) => sessionOf(asked) !== undefined,
    get: sessionDocument,
    remove: endSession,
    needs: 'Login',
  },
];
