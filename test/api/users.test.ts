import test from 'ava';
import { seen } from '../support/faults/workload.ts';
import { openApi, PASSWORD } from '../support/servers/api.ts';

const user = (username: string, role = 'ReadOnly') => ({ username, password: PASSWORD, role });

test('an Administrator creates, lists, reads, changes and removes users, and no password is ever shown', async (t) => {
  const { send, as } = await openApi(t);
  const token = await as('Administrator');
  t.is((await send('POST', '/api/current/users', { token, body: user('eve') })).status, 201);
  const list = await send('GET', '/api/current/users?sort=username', { token });
  t.deepEqual(list.body, [
    { username: 'Administrator', role: 'Administrator' },
    { username: 'eve', role: 'ReadOnly' },
  ]);
  t.deepEqual((await send('GET', '/api/current/users/eve', { token })).body, { username: 'eve', role: 'ReadOnly' });
  const changed = await send('PATCH', '/api/current/users/eve', { token, body: { role: 'Operator' } });
  t.deepEqual(changed.body, { username: 'eve', role: 'Operator' });
  t.is((await send('DELETE', '/api/current/users/eve', { token })).status, 204);
  t.is((await send('GET', '/api/current/users/eve', { token })).status, 404);
});

test('a user shows the last log-in', async (t) => {
  const { send, as } = await openApi(t);
  const token = await as('Administrator');
  await send('POST', '/api/current/users', { token, body: user('eve') });
  const logIn = (password: string) => send('POST', '/login', { body: { username: 'eve', password } });
  const shown = async () => (await send('GET', '/api/current/users/eve', { token })).body.lastLoginAt;
  t.is((await logIn('a wrong one')).status, 401);
  t.is(await shown(), undefined);
  const before = Date.now();
  t.is((await logIn(PASSWORD)).status, 200);
  const at = Date.parse(await seen(shown));
  t.true(at >= before && at <= Date.now());
});

test('an existing name, an unknown role and a bad password are rejected', async (t) => {
  const { send, as } = await openApi(t);
  const token = await as('Administrator');
  t.is((await send('POST', '/api/current/users', { token, body: user('Administrator') })).status, 409);
  t.is((await send('POST', '/api/current/users', { token, body: user('eve', 'Boss') })).status, 400);
  const short = { ...user('eve'), password: '12345' };
  const rejected = await send('POST', '/api/current/users', { token, body: short });
  t.is(rejected.status, 400);
  t.is(rejected.body.errors[0].path, 'password');
  t.false(JSON.stringify(rejected.body).includes('12345'));
});

test("ConfigureSelf changes the user's own password, no other field, and no other user", async (t) => {
  const { send, as } = await openApi(t);
  const token = await as('ReadOnly', 'fay');
  await as('Operator', 'gil');
  const body = { password: 'another-horse' };
  t.is((await send('PATCH', '/api/current/users/fay', { token, body: { role: 'Administrator' } })).status, 403);
  t.is((await send('PATCH', '/api/current/users/gil', { token, body })).status, 403);
  t.is((await send('PATCH', '/api/current/users/fay', { token, body })).status, 200);
  t.is((await send('POST', '/login', { body: { username: 'fay', password: 'another-horse' } })).status, 200);
});

for (const whose of ['their own', "another user's"] as const) {
  test(`a user who changes ${whose} password ends the tokens and sessions made before, and no others`, async (t) => {
    const { send, as, session } = await openApi(t);
    const admin = await as('Administrator', 'root');
    const tokens = [await as('ReadOnly', 'fay'), await as('ReadOnly', 'fay')];
    const other = await as('ReadOnly', 'gil');
    const fays = await session('ReadOnly', 'fay');
    const gils = await session('ReadOnly', 'gil');
    const get = async (token: string) => (await send('GET', '/api/current/nodes', { token })).status;
    const seen = async (token: string) =>
      (await send('GET', '/redfish/v1/SessionService/Sessions', { headers: { 'x-auth-token': token } })).status;
    t.deepEqual([await get(tokens[0] ?? ''), await seen(fays)], [200, 200]);

    const body = { password: 'another-horse' };
    const token = whose === 'their own' ? (tokens[0] ?? '') : admin;
    t.is((await send('PATCH', '/api/current/users/fay', { token, body })).status, 200);
    for (const old of tokens) t.is(await get(old), 401);
    t.is(await seen(fays), 401);
    t.deepEqual([await get(other), await seen(gils), await get(admin)], [200, 200, 200]);

    t.is((await send('POST', '/login', { body: { username: 'fay', password: PASSWORD } })).status, 401);
    const again = await send('POST', '/login', { body: { username: 'fay', password: 'another-horse' } });
    t.is(await get(again.body.token), 200, 'even within the second of the change');
    t.is((await send('PATCH', '/api/current/users/fay', { token: admin, body: { role: 'Operator' } })).status, 200);
    t.is(await get(again.body.token), 200, 'a new role ends no token');
  });
}

test('the last Administrator can be neither removed nor demoted', async (t) => {
  const { send, as } = await openApi(t);
  const token = await as('Administrator', 'one');
  t.is((await send('DELETE', '/api/current/users/one', { token })).status, 409);
  t.is((await send('PATCH', '/api/current/users/one', { token, body: { role: 'ReadOnly' } })).status, 409);
  await as('Administrator', 'two');
  t.is((await send('PATCH', '/api/current/users/one', { token, body: { role: 'ReadOnly' } })).status, 200);
});

test('two Administrators who remove each other at the same time leave one', async (t) => {
  const { send, as, engine } = await openApi(t);
  const [one, two] = [await as('Administrator', 'one'), await as('Administrator', 'two')];
  await Promise.all([
    send('DELETE', '/api/current/users/two', { token: one }),
    send('PATCH', '/api/current/users/one', { token: two, body: { role: 'ReadOnly' } }),
  ]);
  const { total } = await engine.users.list({ skip: 0, limit: 9, filter: { role: 'Administrator' } });
  t.is(total, 1);
});
