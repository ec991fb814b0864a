import { request } from 'node:http';
import { networkInterfaces } from 'node:os';
import test from 'ava';
import { decodeJwt, decodeProtectedHeader, SignJWT } from 'jose';
import type { UserRecord } from '../../engine/api-port/index.ts';
import { fakeEngine } from '../support/engine/fake-engine.ts';
import { northbound, openApi, PASSWORD } from '../support/servers/api.ts';

const credentials = (username: string, password = PASSWORD) => ({ body: { username, password } });

test('a correct password gives a token that opens the API', async (t) => {
  const { send, as } = await openApi(t);
  await as('Administrator', 'ada');
  const login = await send('POST', '/login', credentials('ada'));
  t.is(login.status, 200);
  t.deepEqual(Object.keys(login.body), ['token']);
  t.is((await send('GET', '/api/current/nodes', { token: login.body.token })).status, 200);
});

test('a wrong password and an unknown user get the same answer', async (t) => {
  const { send, as } = await openApi(t);
  await as('Administrator', 'bob');
  for (const request of [credentials('bob', 'wrong-one'), credentials('nobody-bob')]) {
    const { status, body } = await send('POST', '/login', request);
    t.is(status, 401);
    t.deepEqual(body, { message: 'Invalid username or password' });
  }
});

test('ten wrong passwords in a minute block log-in for a while, even with the correct one', async (t) => {
  // Behind a proxy, so that this test has an address of its own: failures are counted for the whole process.
  const { send, as } = await openApi(t, { ...northbound, proxiesEnabled: true });
  await as('Administrator', 'cid');
  const headers = { 'x-forwarded-for': '10.0.0.1, 192.0.2.7' };
  for (let i = 0; i < 10; i += 1) {
    t.is((await send('POST', '/login', { ...credentials('cid', 'wrong-one'), headers })).status, 401);
  }
  const rejected = await send('POST', '/login', { ...credentials('cid'), headers });
  t.is(rejected.status, 429);
  t.is(rejected.body.code, 'TOO_MANY_REQUESTS');
  t.true(Number(rejected.headers.get('retry-after')) >= 1);
});

test('wrong passwords from one network of IPv6 are counted together, whatever their addresses and users', async (t) => {
  const { send, as } = await openApi(t, { ...northbound, proxiesEnabled: true });
  await as('Administrator', 'eve');
  const from = (address: string) => ({ headers: { 'x-forwarded-for': address } });
  for (let i = 0; i < 10; i += 1) {
    const guess = { ...credentials(`user-${i}`, 'wrong-one'), ...from(`2001:db8:1:2::${i}`) };
    t.is((await send('POST', '/login', guess)).status, 401);
  }
  t.is((await send('POST', '/login', { ...credentials('eve'), ...from('2001:db8:1:2:3::') })).status, 429);
  t.is((await send('POST', '/login', { ...credentials('eve'), ...from('2001:db8:1:3::1') })).status, 200);
});

test('a token is accepted in the query, the header and the body', async (t) => {
  const { send, as } = await openApi(t);
  const token = await as('Administrator');
  const node = { type: 'compute', name: 'n' };
  t.is((await send('GET', `/api/2.0/nodes?auth_token=${token}`)).status, 200);
  t.is((await send('GET', '/api/2.0/nodes', { headers: { authorization: `Bearer ${token}` } })).status, 200);
  const created = await send('POST', '/api/2.0/nodes', { body: { ...node, auth_token: token } });
  t.is(created.status, 201);
});

test('a missing or empty token gives exactly one message', async (t) => {
  const { send } = await openApi(t);
  const requests = [
    send('GET', '/api/current/nodes'),
    send('GET', '/api/current/nodes?auth_token='),
    send('GET', '/api/current/nodes', { headers: { authorization: '' } }),
    send('GET', '/api/current/nodes', { headers: { authorization: 'JWT ' } }),
    send('POST', '/api/current/nodes', { body: { auth_token: '' } }),
    send('POST', '/api/current/nodes', { raw: '{ not json' }),
  ];
  for (const { status, body, headers } of await Promise.all(requests)) {
    t.is(status, 401);
    t.deepEqual(body, { message: 'No auth token' });
    t.is(headers.get('www-authenticate'), 'JWT realm="nodewright"');
  }
});

test('every invalid token gives exactly one message', async (t) => {
  const { send, as, engine } = await openApi(t);
  const token = await as('Administrator');
  const other = await new SignJWT({ user: 'Administrator' })
    .setProtectedHeader({ alg: 'HS256' })
    .setIssuedAt()
    .setExpirationTime('1h')
    .sign(new Uint8Array(32));
  const expired = await new SignJWT({ user: 'Administrator' })
    .setProtectedHeader({ alg: 'HS256' })
    .setIssuedAt()
    .setExpirationTime(1)
    .sign(engine.tokenKeys[0] ?? new Uint8Array());
  const requests = [
    send('GET', '/api/current/nodes', { token: `${token}x` }),
    send('GET', '/api/current/nodes', { token: 'nonsense' }),
    send('GET', '/api/current/nodes', { token: other }),
    send('GET', '/api/current/nodes', { token: expired }),
    send('GET', `/api/current/nodes?auth_token=${token}&auth_token=${token}`),
    send('GET', '/api/current/nodes', { headers: { authorization: 'Basic YTpi' } }),
    send('POST', '/api/current/nodes', { body: { auth_token: 5 } }),
  ];
  for (const { status, body } of await Promise.all(requests)) {
    t.is(status, 401);
    t.deepEqual(body, { message: 'invalid signature' });
  }
});

test("a removed user's token is invalid, and a changed role takes effect immediately", async (t) => {
  const { send, as, engine } = await openApi(t);
  const token = await as('Administrator', 'dan');
  await as('Administrator', 'eve');
  await engine.users.update('dan', { role: 'ReadOnly', updatedAt: new Date().toISOString() });
  t.is((await send('DELETE', '/api/current/nodes/x', { token })).status, 403);
  await engine.users.remove('dan');
  const { status, body } = await send('GET', '/api/current/nodes', { token });
  t.is(status, 401);
  t.deepEqual(body, { message: 'invalid signature' });
});

test('a token of a removed user is invalid for a new user of that name, even in the same second', async (t) => {
  const { send, as, engine } = await openApi(t);
  await as('Administrator', 'root');
  const token = await as('Administrator', 'twin');
  const before = (await engine.users.get('twin')) as UserRecord;
  await engine.users.remove('twin');
  // Even from a daemon whose clock is behind.
  await engine.users.create({ ...before, createdAt: new Date(Date.parse(before.createdAt) - 1).toISOString() });
  const { status, body } = await send('GET', '/api/current/nodes', { token });
  t.is(status, 401);
  t.deepEqual(body, { message: 'invalid signature' });
});

test("a token is valid by its key and its claims alone, and the role is the user's current role", async (t) => {
  const { send, as, engine } = await openApi(t);
  await as('ReadOnly', 'rose');
  const sign = (claims: object) =>
    new SignJWT({ user: 'rose', role: 'Administrator', ...claims })
      .setProtectedHeader({ alg: 'HS256' })
      .setIssuedAt()
      .setExpirationTime('1h')
      .sign(engine.tokenKeys[0] ?? new Uint8Array());
  const token = await sign({});
  t.is((await send('GET', '/api/current/nodes', { token })).status, 200);
  t.is((await send('DELETE', '/api/current/nodes/x', { token })).status, 403);
  t.is((await send('GET', '/api/current/nodes', { token: await sign({ user: 'nobody' }) })).status, 401);
});

test('a token contains its user and its expiry', async (t) => {
  const { send, as } = await openApi(t);
  await as('Operator', 'otto');
  const { body } = await send('POST', '/login', credentials('otto'));
  const { user, role, iat = 0, exp, ...others } = decodeJwt(body.token);
  t.deepEqual([user, role, exp, others], ['otto', 'Operator', iat + 3_600, {}]);
  t.is(decodeProtectedHeader(body.token).alg, 'HS256');
});

test('an endpoint with authEnabled false requires no token', async (t) => {
  const { send } = await openApi(t, { ...northbound, authEnabled: false });
  t.is((await send('GET', '/api/current/nodes')).status, 200);
});

test('the first user is created from this machine without a token, and only the first', async (t) => {
  const { send } = await openApi(t);
  const user = { username: 'first', password: PASSWORD, role: 'Administrator' };
  t.is((await send('POST', '/api/2.0/users', { body: { ...user, role: 'Operator' } })).status, 400);
  t.is((await send('POST', '/api/2.0/users', { body: { ...user, username: '1st' } })).status, 400);
  const created = await send('POST', '/api/2.0/users', { body: user });
  t.is(created.status, 201);
  t.deepEqual(created.body, { username: 'first', role: 'Administrator' });
  const second = await send('POST', '/api/2.0/users', { body: { ...user, username: 'second' } });
  t.is(second.status, 401);
  t.deepEqual(second.body, { message: 'No auth token' });
});

test('one of two concurrent first users is created', async (t) => {
  const { send } = await openApi(t);
  const user = (username: string) => ({ body: { username, password: PASSWORD, role: 'Administrator' } });
  const answers = await Promise.all(['one', 'two'].map((name) => send('POST', '/api/current/users', user(name))));
  t.deepEqual(answers.map(({ status }) => status).sort(), [201, 401]);
});

test('the localhost exception can be disabled, and does not apply through a proxy', async (t) => {
  const body = { username: 'first', password: PASSWORD, role: 'Administrator' };
  const off = await openApi(t, northbound, await fakeEngine({ enableLocalHostException: false }));
  t.is((await off.send('POST', '/api/current/users', { body })).status, 401);
  const behind = await openApi(t, { ...northbound, proxiesEnabled: true });
  const headers = { 'x-forwarded-for': '127.0.0.1, 192.0.2.9' };
  t.is((await behind.send('POST', '/api/current/users', { body, headers })).status, 401);
});

/** Sends the headers unchanged; fetch would set Host and Origin itself. */
function postAs(port: number, headers: { host: string; origin?: string }): Promise<number> {
  const body = JSON.stringify({ username: 'first', password: PASSWORD, role: 'Administrator' });
  return new Promise((resolve, reject) => {
    const options = { port, host: '127.0.0.1', method: 'POST', path: '/api/current/users' };
    const all = { 'content-type': 'application/json', connection: 'close', ...headers };
    const asked = request({ ...options, headers: all }, (response) => {
      response.resume();
      resolve(response.statusCode ?? 0);
    });
    asked.on('error', reject);
    asked.end(body);
  });
}

test('a page of another site in a browser on this machine cannot create the first user', async (t) => {
  const { port } = await openApi(t);
  const own = `127.0.0.1:${port}`;
  for (const headers of [
    { host: `evil.example:${port}` },
    { host: `evil.example:${port}`, origin: `http://evil.example:${port}` },
    { host: `127.0.0.1.evil.example:${port}` },
    { host: `localhost.evil.example` },
    { host: own, origin: 'http://evil.example' },
    { host: own, origin: 'null' },
    { host: own, origin: 'http://127.0.0.1:1' },
    { host: own, origin: `https://${own}` },
  ]) {
    t.is(await postAs(port, headers), 401, JSON.stringify(headers));
  }
  t.is(await postAs(port, { host: `localhost:${port}`, origin: `http://localhost:${port}` }), 201);
});

/** An address of this machine that is not its loopback: a connection to it comes from it. */
const [outside] = Object.values(networkInterfaces())
  .flatMap((addresses) => addresses ?? [])
  .filter(({ internal, family }) => !internal && family === 'IPv4');

test('a client on the network cannot create the first user, whatever its headers', async (t) => {
  if (outside === undefined) return t.pass('this machine has no address but its loopback');
  const body = JSON.stringify({ username: 'first', password: PASSWORD, role: 'Administrator' });
  for (const proxiesEnabled of [false, true]) {
    const { port } = await openApi(t, { ...northbound, address: '0.0.0.0', proxiesEnabled });
    for (const from of ['127.0.0.1', '::1', 'localhost', '']) {
      const headers = { 'content-type': 'application/json', connection: 'close', host: 'localhost' };
      const forwarded = { 'x-forwarded-for': from, forwarded: `for=${from}`, 'x-real-ip': from };
      const url = `http://${outside.address}:${port}/api/current/users`;
      const { status } = await fetch(url, { method: 'POST', headers: { ...headers, ...forwarded }, body });
      t.is(status, 401, `${proxiesEnabled} ${from}`);
    }
  }
});
