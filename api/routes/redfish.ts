/**
 * The Redfish session service (DSP0266). Its token is sent only in `X-Auth-Token`. Users can see and end their own
 * sessions; ConfigureManager can see and end all.
 */
import { Type } from 'typebox';
import type { SessionRecord } from '../../engine/api-port/index.ts';
import { NodewrightError } from '../../engine/vocabulary/errors.ts';
import { authenticate, CREDENTIALS_LIMIT } from '../auth/credentials.ts';
import { credentialOf } from '../auth/tokens.ts';
import { narrowedPage } from '../http/list.ts';
import { WrongCredentials } from '../http/rejections.ts';
import { coversWhole, entry, ownSessions } from '../http/rights.ts';
import { type Call, type Identity, type Route, routesOf } from '../http/route.ts';
import * as redfish from '../views/redfish.ts';

const route = routesOf('open');

/** A public resource on the path to the sessions. */
const readRoute = (id: string, path: string, summary: string, body: (call: Call) => object): Route =>
  route({
    id,
    summary,
    method: 'GET',
    path,
    base: 'root',
    answer: { status: 200, schema: Type.Object({}) },
    handle: async (call) => ({ body: body(call) }),
  });

const mayManage = (identity: Identity | undefined): boolean =>
  identity === undefined || coversWhole(identity.privileges, ownSessions);

/** @throws NodewrightError NOT_FOUND, also for another user's session, whose existence is not disclosed */
async function session({ engine, identity, params: { id = '' } }: Call): Promise<SessionRecord> {
  const sessionRecord = await engine.sessions.get(id);
  if (sessionRecord && (mayManage(identity) || sessionRecord.username === identity?.username)) return sessionRecord;
  throw new NodewrightError('NOT_FOUND', `Could not find session ${id}`);
}

const createRoute = (id: string, summary: string, path: string): Route =>
  route({
    id,
    summary,
    method: 'POST',
    path,
    base: 'root',
    entry,
    body: Type.Object({ UserName: Type.String(), Password: Type.String() }),
    bodyLimit: CREDENTIALS_LIMIT,
    answer: { status: 200, schema: redfish.sessionRecord },
    rejections: { 401: 'Wrong credentials, as text', 403: 'The role may not log in', 429: 'Too many wrong passwords' },
    handle: async (call) => {
      const { engine, notes } = call;
      const { UserName: username, Password: password } = call.body;
      const user = await authenticate(engine, { username, password }, call, () => new WrongCredentials());
      const { session, token } = await engine.sessions.open(
        { username, credential: credentialOf(user) },
        engine.config.authTokenExpireIn,
      );
      notes.tokenId = session.id;
      const { '@odata.id': place } = redfish.sessionLink(session);
      return {
        body: redfish.sessionView(session),
        headers: { 'X-Auth-Token': token, Location: place },
      };
    },
  });

const routes: Route[] = [
  readRoute('getRedfish', '/redfish', 'Get the Redfish versions', () => ({ v1: redfish.REDFISH_ROOT })),
  readRoute('getRedfishRoot', '/redfish/v1', 'Get the Redfish service root', redfish.serviceRoot),
  readRoute('getRedfishOData', '/redfish/v1/odata', 'Get the OData service document', redfish.odataService),
  readRoute('getSessionService', redfish.SERVICE, 'Get the Redfish session service', ({ engine }) =>
    redfish.sessionService(engine.config.authTokenExpireIn),
  ),
  route({
    id: 'getRedfishMetadata',
    summary: 'Get the OData metadata document',
    method: 'GET',
    path: '/redfish/v1/$metadata',
    base: 'root',
    answer: { status: 200, schema: Type.String(), contentType: 'application/xml' },
    handle: async () => ({
      status: 200,
      body: redfish.metadata(),
      headers: { 'Content-Type': 'application/xml' },
    }),
  }),
  createRoute('createSession', 'Create a Redfish session; the token is in X-Auth-Token', redfish.SESSIONS),
  createRoute('createSessionMember', 'Create a Redfish session, as by its collection', `${redfish.SESSIONS}/Members`),
  route({
    id: 'listSessions',
    summary: 'List Redfish sessions',
    method: 'GET',
    path: redfish.SESSIONS,
    base: 'root',
    resourceGroup: 'sessions',
    scope: ownSessions,
    answer: { status: 200, schema: redfish.collectionRecord },
    handle: async ({ engine, identity, page }) => {
      const visiblePage = mayManage(identity) ? page : narrowedPage(page, { username: identity?.username });
      const { items, total } = await engine.sessions.list(visiblePage);
      return { body: redfish.sessionCollection(items, total) };
    },
  }),
  route({
    id: 'getSession',
    summary: 'Get a Redfish session',
    method: 'GET',
    path: `${redfish.SESSIONS}/:id`,
    base: 'root',
    resourceGroup: 'sessions',
    scope: ownSessions,
    answer: { status: 200, schema: redfish.sessionRecord },
    handle: async (call) => ({ body: redfish.sessionView(await session(call)) }),
  }),
  route({
    id: 'removeSession',
    summary: 'Delete a Redfish session and invalidate its token',
    method: 'DELETE',
    path: `${redfish.SESSIONS}/:id`,
    base: 'root',
    resourceGroup: 'sessions',
    scope: ownSessions,
    answer: { status: 204 },
    handle: async (call) => {
      await call.engine.sessions.close((await session(call)).id);
      return { status: 204 };
    },
  }),
];

const VERSION = '4.0';

/** @throws NodewrightError PRECONDITION_FAILED: DSP0266, 6.4: a client that names another version of OData */
function checkVersion({ header }: Call): void {
  const named = header('odata-version');
  if (named === '' || named === VERSION) return;
  const versionList = JSON.stringify(named.slice(0, 20));
  throw new NodewrightError('PRECONDITION_FAILED', `OData-Version is ${versionList}, expected ${VERSION}`);
}

const methodsAt = (path: string): string => {
  const methods = routes.filter((one) => one.path === path).map(({ method }) => method);
  return (methods.includes('GET') ? ['HEAD', ...methods] : methods).join(', ');
};

/** DSP0266, 6.5: the headers of answers. Nothing may be kept: sessions end at any time. */
const headersOf = ({ method, path }: Route): Record<string, string> => ({
  'OData-Version': VERSION,
  'Cache-Control': 'no-store',
  ...(method === 'GET' && { Allow: methodsAt(path), Link: `<${redfish.schemaOf(path)}>; rel=describedby` }),
});

export const redfishRoutes = routes.map(
  (one): Route => ({
    ...one,
    headers: headersOf(one),
    rejections: { ...one.rejections, 412: 'The header OData-Version names another version' },
    handle: async (call) => {
      checkVersion(call);
      return one.handle(call);
    },
  }),
);
