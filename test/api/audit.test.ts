/** The audit log as users see it, over real sockets. */
import test from 'ava';
import type { AuditEntry, AuditRecord } from '../../engine/api-port/index.ts';
import { NodewrightError } from '../../engine/vocabulary/errors.ts';
import { NODES_PATH, SESSIONS_PATH } from '../support/data/api-paths.ts';
import { fakeEngine } from '../support/engine/fake-engine.ts';
import { type Api, northbound, openApi, PASSWORD, southbound } from '../support/servers/api.ts';

const AUDIT = '/api/current/audit';
const NODE_BODY = { type: 'compute', name: 'n' };

const entries = ({ engine }: Api): Promise<AuditEntry[]> => engine.audit.list(0, 1_000);
const shortly = ({ user, method, path, target, status }: AuditRecord) => [user, method, path, target, status];

test('each change has an entry: who, when, from where, what, and the result', async (t) => {
  const api = await openApi(t);
  const { send, as } = api;
  const token = await as('Administrator', 'root');
  const made = await send('POST', NODES_PATH, { token, body: NODE_BODY, headers: { 'x-request-id': 'mine.1' } });
  const at = `${NODES_PATH}/${made.body.id}`;
  await send('PATCH', at, { token, body: { name: 'm' } });
  await send('PATCH', at, { token, body: { nonsense: 1 } });
  await send('GET', at, { token });
  const launched = await send('POST', `${at}/workflows?name=Graph.Demo`, { token, body: {} });
  await send('PUT', `/api/current/workflows/${launched.body.id}/action`, { token, body: { command: 'cancel' } });
  await send('DELETE', `${NODES_PATH}/nowhere`, { token });
  await send('PATCH', '/api/current/config', { token, body: { heartbeatIntervalSec: 5 } });
  await send('POST', '/api/current/users', { token, body: { username: 'eve', password: PASSWORD, role: 'ReadOnly' } });
  const all = await entries(api);
  const workflow = `workflows/${launched.body.id}`;
  t.deepEqual(all.map(shortly), [
    ['root', 'POST', NODES_PATH, `nodes/${made.body.id}`, 201],
    ['root', 'PATCH', at, `nodes/${made.body.id}`, 200],
    ['root', 'PATCH', at, `nodes/${made.body.id}`, 400],
    ['root', 'POST', `${at}/workflows?name=Graph.Demo`, workflow, 201],
    ['root', 'PUT', `/api/current/${workflow}/action`, workflow, 202],
    ['root', 'DELETE', `${NODES_PATH}/nowhere`, 'nodes/nowhere', 404],
    ['root', 'PATCH', '/api/current/config', 'config', 200],
    ['root', 'POST', '/api/current/users', 'users/eve', 201],
  ]);
  t.deepEqual(
    all.flatMap(({ command }) => command ?? []),
    ['cancel'],
  );
  t.is(all[0]?.requestId, 'mine.1');
  t.is(all[1]?.requestId.length, 36);
  t.is(new Set(all.map(({ tokenId }) => tokenId)).size, 1, 'one token');
  for (const { address, at: time } of all) {
    t.is(address, '127.0.0.1');
    t.true(Math.abs(Date.now() - Date.parse(time)) < 60_000);
  }
});

test('requests that only compute have an entry if they are rejected', async (t) => {
  const api = await openApi(t);
  const { send, as } = api;
  const computing: [string, object][] = [
    ['/api/current/workflows/plan', { name: 'Graph.Demo' }],
    ['/api/current/skus/match', { rules: [] }],
    ['/api/current/workflows/graphs/check', {}],
    ['/api/current/workflows/graphs/Graph.Demo/check', {}],
    ['/api/current/workflows/graphs/Graph.Demo/simulate', { moves: [] }],
  ];
  const token = await as('Administrator', 'root');
  for (const [path, body] of computing) t.true((await send('POST', path, { token, body })).status < 500, path);
  t.deepEqual(await entries(api), []);
  const none = await as('Nobody', 'nora');
  for (const [path, body] of computing) t.is((await send('POST', path, { token: none, body })).status, 403, path);
  t.deepEqual(
    (await entries(api)).map(({ path, status }) => [path, status]),
    computing.map(([path]) => [path, 403]),
  );
});

test('log-ins, failed ones, and requests without a token or a privilege have an entry; other reads have none', async (t) => {
  const api = await openApi(t);
  const { send, as } = api;
  const token = await as('Operator', 'otto');
  await send('POST', '/login', { body: { username: 'otto', password: PASSWORD } });
  await send('POST', '/login', { body: { username: 'otto', password: 'not-the-password' } });
  await send('POST', '/login', { body: { username: 'my-password-by-mistake', password: 'x' } });
  await send('POST', SESSIONS_PATH, { body: { UserName: 'otto', Password: PASSWORD } });
  await send('POST', SESSIONS_PATH, { body: { UserName: 'otto', Password: 'wrong' } });
  await send('GET', NODES_PATH);
  await send('GET', NODES_PATH, { token: 'forged' });
  await send('GET', '/api/current/users', { token });
  await send('GET', NODES_PATH, { token });
  await send('GET', '/healthz');
  t.is((await send('GET', '/login/user')).status, 401, 'by which a page learns that a log-in is needed');
  await send('GET', '/login/user', { token: 'forged' });
  await send('POST', '/nothing/here', { token });
  t.deepEqual((await entries(api)).map(shortly), [
    ['otto', 'POST', '/login', 'login', 200],
    ['otto', 'POST', '/login', 'login', 401],
    [null, 'POST', '/login', 'login', 401],
    ['otto', 'POST', SESSIONS_PATH, SESSIONS_PATH.slice(1), 200],
    ['otto', 'POST', SESSIONS_PATH, SESSIONS_PATH.slice(1), 401],
    [null, 'GET', NODES_PATH, 'nodes', 401],
    [null, 'GET', NODES_PATH, 'nodes', 401],
    ['otto', 'GET', '/api/current/users', 'users', 403],
    [null, 'GET', '/login/user', 'login/user', 401],
  ]);
});

test('no password and no token is in the audit log, wherever it was sent', async (t) => {
  const api = await openApi(t);
  const { send, as, session, engine } = api;
  const token = await as('Administrator');
  const secrets = [PASSWORD, token, 'hunter-22', 'p4ssw0rd', 'nodekey-1'];
  await send('POST', '/login', { body: { username: 'Administrator', password: PASSWORD } });
  await send('POST', '/login', { body: { username: 'Administrator', password: 'hunter-22' } });
  await send('POST', '/login', { body: { username: 'hunter-22', password: 'hunter-22' } });
  await send('POST', `${NODES_PATH}?auth_token=${token}`, { body: NODE_BODY });
  await send('POST', `${NODES_PATH}?auth_token=${token}x`, { body: NODE_BODY });
  await send('DELETE', `${NODES_PATH}/x?auth_token=${token}&password=p4ssw0rd&key=nodekey-1`);
  await send('DELETE', `${NODES_PATH}/${encodeURIComponent('http://u:p4ssw0rd@host')}`, { token });
  await send('PATCH', '/api/current/users/Administrator', { token, body: { password: 'hunter-22' } });
  const held = await session('ReadOnly');
  await send('DELETE', `${SESSIONS_PATH}/nothing`, { headers: { 'x-auth-token': held } });
  const stored = JSON.stringify(await engine.stored('audit'));
  t.is((await entries(api)).length, 9);
  for (const secret of [...secrets, held]) t.false(stored.includes(secret), secret);
  t.true(stored.includes('password=REDACTED'));
});

test('an entry contains only text that every store keeps', async (t) => {
  const api = await openApi(t);
  const token = await api.as('Administrator');
  const odd = [
    `${NODES_PATH}/a%00b`,
    `${NODES_PATH}/x${'%F0%9F%98%80'.repeat(400)}`,
    `${NODES_PATH}/a%0Ab%ff`,
    `${NODES_PATH}/x?a=%00%ff`,
  ];
  for (const path of odd) await api.send('DELETE', path, { token });
  await api.send('DELETE', `${NODES_PATH}/${encodeURIComponent(`ftp://u:${PASSWORD}@${'😀'.repeat(700)}\0`)}`, {
    token,
  });
  const texts = (await entries(api)).map(({ path, target }) => `${path} ${target}`);
  t.is(texts.length, 5);
  for (const text of texts) {
    t.true(text.length < 2_100 && !/[\p{Cc}\p{Cs}]/u.test(text), text);
    t.false(text.includes(PASSWORD));
  }
});

test('entries are read in pages, with the privilege for users or for the configuration only', async (t) => {
  const api = await openApi(t);
  const { send, as, engine } = api;
  const admin = await as('Administrator');
  for (let n = 0; n < 5; n += 1) await send('POST', NODES_PATH, { token: admin, body: NODE_BODY });
  await engine.roles.create({ role: 'Users', privileges: ['ConfigureUsers'] });
  await engine.roles.create({ role: 'Manager', privileges: ['ConfigureManager'] });
  for (const role of ['Users', 'Manager']) t.is((await send('GET', AUDIT, { token: await as(role) })).body.length, 5);
  const whole = ['ConfigureUsers', 'ConfigureManager'];
  for (const [role, path, needed] of [
    ['Operator', `${AUDIT}/verify`, whole],
    ['Operator', AUDIT, whole],
    ['ReadOnly', AUDIT, whole],
  ] as const) {
    const { status, body } = await send('GET', path, { token: await as(role) });
    t.deepEqual([status, body.requiredPrivileges], [403, needed]);
  }
  const seen: AuditEntry[] = [];
  for (let path: string | undefined = `${AUDIT}?limit=4`; path !== undefined; ) {
    const { body, headers } = await send('GET', path, { token: admin });
    seen.push(...body);
    path = /<([^>]+)>; rel="next"/.exec(headers.get('link') ?? '')?.[1];
  }
  t.deepEqual(
    seen.map(({ seq }) => seq),
    [1, 2, 3, 4, 5, 6, 7, 8],
  );
  t.deepEqual(seen, await entries(api), 'as stored: each entry has its hash');
  t.deepEqual((await send('GET', `${AUDIT}?after=7`, { token: admin })).body, seen.slice(7));
  t.deepEqual((await send('GET', `${AUDIT}/verify`, { token: admin })).body, { ok: true, checked: 8, brokenAt: null });
  for (const query of ['limit=0', 'limit=1001', 'after=-1', 'after=x', 'before=1']) {
    t.is((await send('GET', `${AUDIT}?${query}`, { token: admin })).status, 400, query);
  }
});

test('a change without room for its entry is rejected before it is made', async (t) => {
  const engine = await fakeEngine();
  const { send, as } = await openApi(t, northbound, engine);
  const token = await as('Administrator');
  const reserve = engine.audit.reserve.bind(engine.audit);
  engine.audit.reserve = () => {
    throw new NodewrightError('UNAVAILABLE', 'no room');
  };
  const { status, headers } = await send('POST', NODES_PATH, { token, body: NODE_BODY });
  t.deepEqual([status, headers.get('retry-after')], [503, '5']);
  t.is((await send('GET', NODES_PATH)).status, 401, 'reads are answered');
  engine.audit.reserve = reserve;
  t.deepEqual((await send('GET', NODES_PATH, { token })).body, []);
});

test('the room is bounded, and each request gives it back', async (t) => {
  const engine = await fakeEngine();
  const { send, as } = await openApi(t, northbound, engine);
  const token = await as('Administrator');
  const places = Array.from({ length: 9_999 }, () => engine.audit.reserve());
  for (const path of [NODES_PATH, '/nothing', '/healthz', NODES_PATH])
    t.not((await send('POST', path, { token })).status, 503);
  const last = engine.audit.reserve();
  t.is((await send('POST', NODES_PATH, { token, body: NODE_BODY })).status, 503);
  for (const place of [...places, last, last]) place.free();
  t.is((await send('POST', NODES_PATH, { token, body: NODE_BODY })).status, 201);
});

test('senders without a valid token write a limited number of entries, and do not displace those of users', async (t) => {
  const api = await openApi(t);
  const { send, as } = api;
  const token = await as('Administrator');
  const began = performance.now();
  for (let n = 0; n < 20; n += 1) await Promise.all(Array.from({ length: 50 }, () => send('GET', NODES_PATH)));
  await send('POST', NODES_PATH, { token, body: NODE_BODY });
  const all = (await entries(api)).map(({ user }) => user);
  // The quota refills by ten a second.
  const most = 601 + (performance.now() - began) / 100;
  t.true(all.length > 600 && all.length <= most, `${all.length} of ${most}`);
  t.true(all.length < 1_001, `${all.length}`);
  t.is(all.at(-1), 'Administrator');
});

test('southbound requests are not in the audit log', async (t) => {
  const engine = await fakeEngine();
  const api = await openApi(t, southbound, engine);
  await api.send('POST', '/api/current/notification?nodeId=x', { body: {} });
  await api.send('POST', '/api/current/notification', { body: {} });
  t.deepEqual(await entries(api), []);
});
