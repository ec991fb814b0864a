import test, { type ExecutionContext } from 'ava';
import type { Privileges } from '../../api/auth/privileges.ts';
import { nodeAccess } from '../../api/documents/documented-access.ts';
import { addCatalogRoute } from '../../api/routes/catalogs.ts';
import { builtInRoles, type Privilege, privileges } from '../../engine/vocabulary/roles.ts';
import { type Api, openApi, southbound } from '../support/servers/api.ts';

interface Operation {
  operationId: string;
  security: unknown[];
  parameters: { name: string; in: string; required: boolean; schema: { type: string } }[];
  requestBody?: { content: Record<string, { schema: Record<string, unknown> }> };
  responses: Record<string, unknown>;
  'x-privileges': Privileges;
}

interface Visit {
  method: string;
  path: string;
  operation: Operation;
}

async function visits({ send }: Api, token: string): Promise<Visit[]> {
  const { status, body } = await send('GET', '/api/current/openapi.json', { token });
  if (status !== 200) throw new Error(`openapi.json answers ${status}`);
  return Object.entries(body.paths as Record<string, Record<string, Operation>>).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]) => ({ method: method.toUpperCase(), path, operation })),
  );
}

const filled = (path: string) => path.replace(/\{\w+\}/g, 'no-such-thing');

/** Valid bodies, for the operations that look up a record only after the body was checked. */
const fitting: Record<string, object> = {
  actOnBatch: { command: 'cancel' },
  actOnRollout: { command: 'cancel' },
  actOnBulkAction: { command: 'cancel' },
  actOnFailure: { command: 'address' },
  actOnTicket: { command: 'approve' },
  simulateGraph: { moves: [] },
  changeUser: { password: 'long-enough' },
  changeNode: { name: 'x' },
  createToken: { note: 'x' },
  addTags: { tags: ['x'] },
  addRelations: { contains: ['x'] },
  removeRelations: { contains: ['x'] },
  addCatalog: { source: 'x', data: {} },
  putNodeHealth: { state: 'ok' },
  putNodeObm: { service: 'noop-obm-service' },
  putNodeSsh: { service: 'ssh-ibm-service' },
  changeRole: { privileges: [] },
  changeHook: { name: 'x' },
  changePoller: { paused: true },
  changeSku: { name: 'x' },
  changeLookup: { ipAddress: '10.0.0.1' },
  changeLookup11: { ipAddress: '10.0.0.1' },
  actOnGraphVersion: { command: 'release' },
  actOnWorkflow: { command: 'cancel' },
  addHold: { kind: 'repair', reason: 'x' },
  putConsole: { source: 'ipmi' },
  typeAtConsole: { text: 'x' },
  changeHold: { reason: 'x' },
  changeWindow: { name: 'x' },
  changeTeam: { description: 'x' },
  changeBaseline: { name: 'x' },
  changeSchedule: { name: 'x' },
  changeRule: { name: 'x' },
  actOnSchedule: { command: 'pause' },
  actOnNodeWorkflow: { command: 'cancel' },
  startNodeWorkflow: { name: 'Graph.Demo' },
};

/** A missing record is a regular result of these operations. */
const harmless = [
  'removeTagFromAll',
  'putTemplate',
  'putProfile',
  'putFile',
  'putView',
  'listTagNodes',
  'startTagWorkflows',
];

async function walk(t: ExecutionContext, check: (api: Api, visit: Visit) => Promise<void>): Promise<void> {
  const api = await openApi(t);
  const all = await visits(api, await api.as('Administrator'));
  t.true(all.length > 20);
  for (const visit of all) await check(api, visit);
}

test('every operation with a token rejects a request without one', (t) =>
  walk(t, async ({ send }, { method, path, operation }) => {
    if (operation.security.length === 0) return;
    const { status, body } = await send(method, filled(path));
    t.is(status, 401, operation.operationId);
    t.deepEqual(body, path.startsWith('/redfish') ? {} : { message: 'No auth token' });
  }));

test('every operation with a token rejects a role without the privilege, and names those that are sufficient', (t) =>
  walk(t, async ({ send, as }, { method, path, operation }) => {
    if (operation.security.length === 0) return;
    if (path.startsWith('/redfish')) return;
    const { status, body } = await send(method, filled(path), {
      token: await as('Nobody'),
      body: {} as object,
      ...(method === 'GET' && { body: undefined }),
    });
    t.is(status, 403, operation.operationId);
    t.like(body, { message: 'Forbidden', code: 'FORBIDDEN', status: 403 });
    t.deepEqual(body.requiredPrivileges, operation['x-privileges'].anyOf, operation.operationId);
  }));

test('every operation on a missing record answers 404', (t) =>
  walk(t, async ({ send, as, session }, { method, path, operation }) => {
    if (!path.includes('{') || harmless.includes(operation.operationId)) return;
    const body = fitting[operation.operationId];
    const token = await as('Administrator');
    const headers = { 'x-auth-token': await session('Administrator') };
    const { status } = await send(method, filled(path), { token, headers, ...(body && { body }) });
    t.is(status, 404, operation.operationId);
    t.true('404' in operation.responses, operation.operationId);
  }));

test('every operation rejects an invalid body and an invalid query', (t) =>
  walk(t, async ({ send, as }, { method, path, operation }) => {
    const token = await as('Administrator');
    if (operation.requestBody?.content['application/json']) {
      const { status, body } = await send(method, filled(path), { token, body: { name: 5, nonsense: '\0' } });
      t.is(status, 400, operation.operationId);
      t.is(body.code, 'INVALID');
    }
    if (operation.parameters.some(({ name }) => name === '$top')) {
      t.is((await send(method, `${filled(path)}?$top=x`, { token })).status, 400, operation.operationId);
    }
  }));

test('operation ids are unique, and every reference has its component', async (t) => {
  const api = await openApi(t);
  const token = await api.as('Administrator');
  const ids = (await visits(api, token)).map(({ operation }) => operation.operationId);
  t.is(new Set(ids).size, ids.length);
  const { body } = await api.send('GET', '/api/2.0/openapi.json', { token });
  t.is(body.openapi, '3.1.0');
  for (const [, name] of JSON.stringify(body).matchAll(/#\/components\/schemas\/(\w+)/g)) {
    t.true(name !== undefined && name in body.components.schemas, name);
  }
});

test('the document for nodes asks for keys of boots, not for tokens of users', async (t) => {
  const { send } = await openApi(t, southbound);
  const { status, body } = await send('GET', '/api/current/openapi.json');
  t.is(status, 200);
  const securityOf = (path: string, method: string) => body.paths[`/api/current${path}`][method].security;
  const keys = [{ header: [] }, { query: [] }];
  t.deepEqual(securityOf('/nodes/{identifier}/catalogs', 'post'), [{}, ...keys]);
  t.deepEqual(securityOf('/notification/alerts', 'post'), []);
  t.is(body.components.securitySchemes.header.name, 'x-nodewright-key');
  t.notRegex(JSON.stringify(body), /x-privileges|auth_token/);
  for (const methods of Object.values<Record<string, Operation>>(body.paths))
    for (const { operationId, responses } of Object.values(methods)) t.false('401' in responses, operationId);
  const required = nodeAccess('require');
  t.deepEqual(required.fieldsOf(addCatalogRoute), { security: keys });
  t.deepEqual(required.fieldsOf({ ...addCatalogRoute, keyless: true }), { security: [{}, ...keys] });
});

test('the Swagger 2.0 document has every operation of the API, and no words of later versions', async (t) => {
  const api = await openApi(t);
  const token = await api.as('ReadOnly');
  const { status, body } = await api.send('GET', '/api/2.0/swagger', { token });
  t.is(status, 200);
  t.like(body, { swagger: '2.0', basePath: '/api/2.0', tags: [{ name: '/api/2.0' }] });
  const text = JSON.stringify(body, (key, value) => (key === 'x-privileges' ? undefined : value));
  const found = (pattern: RegExp) => [...new Set(Array.from(text.matchAll(pattern), ([, word = '']) => word))];
  for (const name of found(/#\/definitions\/(\w+)/g)) t.true(name in body.definitions, name);
  t.deepEqual(
    found(/"(anyOf|patternProperties|const|requestBody|content|if|not)":|#\/components|"type":(?:\[|"null")/g),
    [],
  );
  const operations = new Map<string, Swagger>();
  for (const methods of Object.values<Record<string, Swagger>>(body.paths))
    for (const one of Object.values(methods)) operations.set(one.operationId, one);
  for (const { path, operation } of await visits(api, token)) {
    const one = operations.get(operation.operationId);
    if (path.startsWith('/api/current/') && !documents.includes(operation.operationId))
      t.deepEqual(Object.keys(one?.responses ?? {}), Object.keys(operation.responses));
  }
  for (const { tags, parameters } of operations.values()) {
    t.deepEqual(tags, ['/api/2.0']);
    for (const { in: place, type, schema, items } of parameters) {
      if (place === 'body') t.truthy(schema);
      else t.true(type !== undefined && type !== 'object' && (type !== 'array' || items !== undefined));
    }
  }
  t.is(body.definitions.Node.properties.sku['x-nullable'], true);
  const upload = operations.get('putTemplate');
  t.deepEqual(
    [upload?.consumes, upload?.parameters.at(-1)?.schema],
    [['text/plain'], { type: 'string', format: 'binary' }],
  );
});

/** They describe the others. */
const documents = ['getOpenApi', 'getSwagger'];

interface Swagger {
  operationId: string;
  tags: string[];
  consumes?: string[];
  parameters: { in: string; type?: string; schema?: object; items?: object }[];
  responses: object;
}

/** A user whose role has these privileges and no others. */
async function having({ engine, as }: Api, held: readonly Privilege[]): Promise<string> {
  const role = `has-${held.join('-')}`;
  if (!(await engine.roles.get(role))) await engine.roles.create({ role, privileges: [...held] });
  return as(role);
}

/** Rejected with all the others together, an operation accepts none of them. */
test('each operation accepts the documented privileges, one by one, and no others', (t) =>
  walk(t, async (api, { method, path, operation }) => {
    if (operation.security.length === 0 || path.startsWith('/redfish')) return;
    const { anyOf, limits } = operation['x-privileges'];
    const others = privileges.filter((privilege) => !anyOf.includes(privilege));
    for (const held of [...anyOf.map((privilege) => [privilege]), others]) {
      const token = await having(api, held);
      // A part of the route means the records of the user.
      const place = filled(limits === undefined ? path : path.replace('{name}', `has-${held.join('-')}`));
      const { status } = await api.send(method, place, { token, ...(method !== 'GET' && { body: {} }) });
      t.is(status !== 403, held !== others, `${operation.operationId} ${held}`);
    }
  }));

test('the additional requirements and the restrictions of an operation are as documented', async (t) => {
  const api = await openApi(t);
  const all = await visits(api, await api.as('Administrator'));
  const bodies: Record<string, object> = {
    createUser: { username: 'x', password: 'long-enough', role: 'Administrator' },
    changeUser: { password: 'long-enough' },
    createRole: { role: 'x', privileges },
    changeRole: { privileges },
    createToken: { note: 'x' },
  };
  const strict = all.filter(({ operation }) => operation['x-privileges'].besides !== undefined);
  t.deepEqual(strict.map(({ operation }) => operation.operationId).sort(), [
    ...['changeRole', 'changeUser', 'createRole', 'createToken', 'createUser', 'removeRole', 'removeUser'],
  ]);
  for (const { method, path, operation } of strict) {
    const { anyOf, limits = {} } = operation['x-privileges'];
    const whole = anyOf.filter((privilege) => limits[privilege] === undefined);
    const body = bodies[operation.operationId];
    const place = path.replace(/\{\w+\}/, 'Administrator');
    const answer = await api.send(method, place, { token: await having(api, whole), ...(body && { body }) });
    t.is(answer.status, 403, operation.operationId);
    // The record of that role does not list all that its users have.
    const needed = path.endsWith('/roles/{name}') ? (builtInRoles.get('Administrator') ?? []) : privileges;
    const lacked = needed.filter((privilege) => !whole.includes(privilege));
    t.deepEqual(answer.body.requiredPrivileges, lacked, operation.operationId);
  }

  const limited = all.filter(({ operation }) => operation['x-privileges'].limits !== undefined);
  const sessions = limited.filter(({ path }) => path.startsWith('/redfish'));
  t.deepEqual(
    limited.filter((visit) => !sessions.includes(visit)).map(({ operation }) => operation['x-privileges'].limits),
    [
      { ConfigureSelf: "one's own password" },
      ...Array(3).fill({ Login: "one's own tokens" }),
      { Login: "one's own tickets, and those that one's role may approve" },
    ],
  );
  const token = await having(api, ['ConfigureSelf']);
  const change = (name: string, body: object) => api.send('PATCH', `/api/current/users/${name}`, { token, body });
  t.is((await change('has-ConfigureSelf', { role: 'ReadOnly' })).status, 403);
  const rejected = await change('has-ConfigureUsers', { password: 'quite-long-enough' });
  t.deepEqual([rejected.status, rejected.body.requiredPrivileges], [403, ['ConfigureUsers']]);
  // Last: the token ends with the password.
  t.is((await change('has-ConfigureSelf', { password: 'quite-long-enough' })).status, 200);
  t.deepEqual(
    [...new Set(sessions.map(({ operation }) => operation['x-privileges'].limits?.Login))],
    ["one's own sessions; all with ConfigureManager"],
  );
});

/** The rights of the interface, role by role. */
test('each built-in role permits the operations of the interface document', async (t) => {
  const { send, as } = await openApi(t);
  const table = [
    ['GET', '/api/current/nodes', 'Administrator ReadOnly Operator'],
    ['POST', '/api/current/nodes', 'Administrator Operator'],
    ['POST', '/api/current/workflows', 'Administrator Operator'],
    ['GET', '/api/current/workflows/graphs', 'Administrator ReadOnly Operator'],
    ['PUT', '/api/current/workflows/graphs', 'Administrator'],
    ['GET', '/api/current/users', 'Administrator ReadOnly'],
    ['POST', '/api/current/users', 'Administrator'],
    ['PATCH', '/api/current/users/x', 'Administrator ReadOnly Operator'],
    ['DELETE', '/api/current/users/x', 'Administrator'],
    ['GET', '/api/current/roles', 'Administrator ReadOnly Operator'],
    ['GET', '/api/current/roles/Operator', 'Administrator ReadOnly Operator'],
    ['GET', '/api/current/openapi.json', 'Administrator ReadOnly Operator'],
    ['POST', '/api/current/roles', 'Administrator'],
    ['POST', '/api/current/nodes/x/catalogs', 'Administrator Operator'],
    ['PUT', '/api/current/obms', 'Administrator Operator'],
    ['GET', '/api/current/skus', 'Administrator ReadOnly Operator'],
    ['POST', '/api/current/skus', 'Administrator Operator'],
    ['POST', '/api/current/skus/match', 'Administrator Operator'],
    ['DELETE', '/api/current/skus/x', 'Administrator Operator'],
    ['PUT', '/api/current/skus/x/pack', 'Administrator Operator'],
    ['POST', '/api/current/lookups', 'Administrator'],
    ['GET', '/metrics', 'Administrator ReadOnly'],
  ] as const;
  for (const [method, path, allowed] of table) {
    for (const role of ['Administrator', 'ReadOnly', 'Operator']) {
      const { status } = await send(method, path, { token: await as(role) });
      t.is(status !== 403, allowed.includes(role), `${role} ${method} ${path}: ${status}`);
    }
  }
});
