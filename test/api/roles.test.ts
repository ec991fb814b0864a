import test from 'ava';
import { openApi } from '../support/servers/api.ts';

const ROLES = '/api/current/roles';
const USERS = '/api/current/users';

test('a role is created, listed, read, changed and removed; a change takes effect immediately', async (t) => {
  const { send, as } = await openApi(t);
  const token = await as('Administrator');
  const made = await send('POST', ROLES, { token, body: { role: 'Auditor', privileges: ['Read', 'Login'] } });
  t.is(made.status, 201);
  t.deepEqual(made.body, { role: 'Auditor', privileges: ['Read', 'Login'] });
  t.deepEqual((await send('GET', `${ROLES}/Auditor`, { token })).body, made.body);
  const names = (await send('GET', ROLES, { token })).body.map(({ role }: { role: string }) => role);
  t.deepEqual(names, ['Administrator', 'Auditor', 'Operator', 'ReadOnly']);
  const auditor = await as('Auditor', 'anna');
  const node = { type: 'compute', name: 'n' };
  t.is((await send('GET', '/api/current/nodes', { token: auditor })).status, 200);
  t.is((await send('POST', '/api/current/nodes', { token: auditor, body: node })).status, 403);
  const changed = await send('PATCH', `${ROLES}/Auditor`, { token, body: { privileges: ['Write'] } });
  t.deepEqual(changed.body, { role: 'Auditor', privileges: ['Write'] });
  t.is((await send('GET', '/api/current/nodes', { token: auditor })).status, 403);
  t.is((await send('POST', '/api/current/nodes', { token: auditor, body: node })).status, 201);
  t.is((await send('DELETE', `${ROLES}/Auditor`, { token })).status, 409);
  t.is((await send('DELETE', `${USERS}/anna`, { token })).status, 204);
  t.is((await send('DELETE', `${ROLES}/Auditor`, { token })).status, 204);
  t.is((await send('GET', `${ROLES}/Auditor`, { token })).status, 404);
});

test('built-in roles are immutable; unknown privileges, bad names and existing names are rejected', async (t) => {
  const { send, as } = await openApi(t);
  const token = await as('Administrator');
  for (const role of ['Administrator', 'ReadOnly', 'Operator']) {
    const rejected = [
      await send('PATCH', `${ROLES}/${role}`, { token, body: { privileges: [] } }),
      await send('DELETE', `${ROLES}/${role}`, { token }),
    ];
    for (const { status, body } of rejected) {
      t.is(status, 403);
      t.like(body, { message: 'Forbidden', code: 'FORBIDDEN', status: 403 });
      t.deepEqual(body.errors, [{ path: 'role', message: `${role} is built in and cannot be changed` }]);
    }
    t.is((await send('POST', ROLES, { token, body: { role, privileges: [] } })).status, 409);
  }
  t.is((await send('POST', ROLES, { token, body: { role: 'X', privileges: ['Fly'] } })).status, 400);
  t.is((await send('POST', ROLES, { token, body: { role: '1 x', privileges: [] } })).status, 400);
  t.is((await send('POST', ROLES, { token, body: { role: 'X', privileges: [] } })).status, 201);
  t.is((await send('POST', ROLES, { token, body: { role: 'X', privileges: [] } })).status, 409);
  t.is((await send('PATCH', `${ROLES}/Y`, { token, body: { privileges: [] } })).status, 404);
});

test('no user can grant privileges that they lack, or change a user or role with more', async (t) => {
  const { send, as } = await openApi(t);
  const admin = await as('Administrator', 'root');
  const privileges = ['Read', 'Login', 'ConfigureUsers', 'ConfigureManager'];
  await send('POST', ROLES, { token: admin, body: { role: 'Clerk', privileges } });
  const token = await as('Clerk', 'carl');
  const user = { username: 'new', password: 'long-enough', role: 'Administrator' };
  const rejected: [string, string, object?][] = [
    ['POST', USERS, user],
    ['PATCH', `${USERS}/carl`, { role: 'Administrator' }],
    ['PATCH', `${USERS}/root`, { password: 'mine-now-1' }],
    ['PATCH', `${USERS}/root`, { role: 'Clerk' }],
    ['DELETE', `${USERS}/root`],
    ['POST', ROLES, { role: 'Boss', privileges: ['Write'] }],
    ['PATCH', `${ROLES}/Clerk`, { privileges: [...privileges, 'Write'] }],
  ];
  for (const [method, path, body] of rejected) {
    const { status } = await send(method, path, { token, ...(body && { body }) });
    t.is(status, 403, `${method} ${path} ${JSON.stringify(body)}`);
  }
  t.is((await send('POST', USERS, { token, body: { ...user, role: 'Clerk' } })).status, 201);
  t.is((await send('PATCH', `${USERS}/new`, { token, body: { password: 'another-one' } })).status, 200);
  t.is((await send('POST', ROLES, { token, body: { role: 'Reader', privileges: ['Read'] } })).status, 201);
  // Last: the token ends with the password.
  t.is((await send('PATCH', `${USERS}/carl`, { token, body: { password: 'another-one' } })).status, 200);
});
