/** The session of a browser: a cookie that only one route reads. */
import test from 'ava';
import { openApi, PASSWORD } from '../support/servers/api.ts';

const login = (username: string) => ({ body: { username, password: PASSWORD } });
const asked = (cookie: string) => ({ headers: { cookie, 'x-requested-with': 'test' } });

test('a login sets a cookie only if it is asked to, which no script and no page of another site can use', async (t) => {
  const { send, as } = await openApi(t);
  await as('Administrator', 'eve');
  t.is((await send('POST', '/login', login('eve'))).headers.get('set-cookie'), null);
  const { headers, body } = await send('POST', '/login?remember=true', login('eve'));
  t.is(headers.get('set-cookie'), `nodewright-session=${body.token}; Path=/login; HttpOnly; SameSite=Strict`);
});

test('the cookie gives the token back, and opens nothing else', async (t) => {
  const { send, as } = await openApi(t);
  const token = await as('Administrator', 'fay');
  const cookie = `other=1; nodewright-session=${token}`;
  const { status, body, headers } = await send('GET', '/login/session', asked(cookie));
  t.is(status, 200);
  t.is(body.token, token);
  t.is(headers.get('cache-control'), 'no-store');
  for (const [method, path] of [
    ['GET', '/login/user'],
    ['DELETE', '/login'],
    ['GET', '/api/current/nodes'],
    ['POST', '/api/current/nodes'],
  ] as const) {
    t.is((await send(method, path, asked(cookie))).status, 401, `${method} ${path}`);
  }
});

test('a request that a page of another origin can cause gets no token', async (t) => {
  const { send, as } = await openApi(t);
  const token = await as('Administrator', 'gil');
  const { status, body } = await send('GET', '/login/session', { headers: { cookie: `nodewright-session=${token}` } });
  t.is(status, 204);
  t.is(body, '');
});

test('a log-out ends the session, and a session that has ended is forgotten by the browser', async (t) => {
  const { send, as } = await openApi(t);
  const token = await as('Administrator', 'hal');
  const cookie = `nodewright-session=${token}`;
  const forgotten = 'nodewright-session=; Path=/login; HttpOnly; SameSite=Strict; Max-Age=0';
  const left = await send('DELETE', '/login', { token, headers: { cookie } });
  t.is(left.status, 204);
  t.is(left.headers.get('set-cookie'), forgotten);
  for (const value of [cookie, 'nodewright-session=nonsense']) {
    const { status, headers } = await send('GET', '/login/session', asked(value));
    t.is(status, 204);
    t.is(headers.get('set-cookie'), forgotten);
  }
});

test('a request has a user with privileges, and without a token neither', async (t) => {
  const { send, as } = await openApi(t);
  const token = await as('ReadOnly', 'ida');
  const { status, body } = await send('GET', '/login/user', { token });
  t.is(status, 200);
  t.deepEqual(body, { username: 'ida', privileges: ['Read', 'Login', 'ConfigureSelf'], isFirstUser: false });
  t.is((await send('GET', '/login/user')).status, 401);
});
