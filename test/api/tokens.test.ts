/** API tokens, and logging out. */
import test, { type ExecutionContext } from 'ava';
import { SignJWT } from 'jose';
import { privileges } from '../../engine/vocabulary/roles.ts';
import { NODES_PATH } from '../support/data/api-paths.ts';
import { seen } from '../support/faults/workload.ts';
import { type Api, openApi, PASSWORD } from '../support/servers/api.ts';

const ROLES = '/api/current/roles';
const USERS = '/api/current/users';
const NODE_BODY = { type: 'compute', name: 'n' };
const tokensOf = (name: string) => `${USERS}/${name}/tokens`;

/** A user, with a login token, and a function that makes API tokens. */
async function owner(t: ExecutionContext, role = 'Operator') {
  const api = await openApi(t);
  const login = await api.as(role, 'otto');
  const made = async (body: object = {}) => {
    const answer = await api.send('POST', tokensOf('otto'), { token: login, body: { note: 'backup', ...body } });
    t.is(answer.status, 201);
    return answer.body as { id: string; token: string; privileges: string[]; expiresAt: string | null };
  };
  return { ...api, api, login, made };
}

/** Requests as programs do. */
const bearer = async ({ send }: Api, token: string, method = 'GET', path = NODES_PATH, body?: object) =>
  (await send(method, path, { headers: { authorization: `Bearer ${token}` }, ...(body && { body }) })).status;

test('an API token is shown once, and opens the API with the privileges of its user', async (t) => {
  const { api, send, login, made, engine } = await owner(t);
  const { token, ...record } = await made();
  const unused = await send('GET', tokensOf('otto'), { token: login });
  t.is(unused.body[0].lastUsedAt, null);
  t.deepEqual(record.privileges, ['Login', 'ConfigureComponents', 'ConfigureSelf']);
  t.is(record.expiresAt, null);
  t.regex(token, /^nwt_[\w-]{43}$/);
  t.is(await bearer(api, token), 200);
  t.is(await bearer(api, token, 'POST', NODES_PATH, NODE_BODY), 201);
  t.is((await send('GET', `${NODES_PATH}?auth_token=${token}`)).status, 200);
  t.is((await send('GET', NODES_PATH, { token })).status, 200, 'also as JWT');
  const list = await seen(async () => {
    const answer = await send('GET', tokensOf('otto'), { token: login });
    return answer.body[0].lastUsedAt !== null && answer;
  });
  const { createdAt, lastUsedAt } = list.body[0];
  t.deepEqual(list.body, [{ ...record, prefix: token.slice(0, 8), createdAt, lastUsedAt, parent: null }]);
  for (const at of [createdAt, lastUsedAt]) t.true(Math.abs(Date.now() - Date.parse(at)) < 60_000);
  t.like(record, { note: 'backup' });
  t.false(JSON.stringify(await engine.stored('apitokens')).includes(token.slice(8)));
  for (const wrong of [`${token}x`, token.slice(0, -1), 'nwt_', `nwt_${'a'.repeat(43)}`, token.toUpperCase()]) {
    t.is(await bearer(api, wrong), 401, wrong);
  }
});

test('a token has no more than the privileges that it was made with', async (t) => {
  const { api, send, made } = await owner(t, 'Administrator');
  const { token } = await made({ privileges: ['Read', 'Login'] });
  t.is(await bearer(api, token), 200);
  const rejected = await send('POST', NODES_PATH, { token, body: NODE_BODY });
  t.deepEqual([rejected.status, rejected.body.requiredPrivileges], [403, ['Write', 'ConfigureComponents']]);
  t.is((await send('GET', ROLES, { token })).status, 200);
  const narrow = await made({ privileges: ['Login'] });
  t.is(await bearer(api, narrow.token), 403);
  const none = await made({ privileges: [] });
  t.is(await bearer(api, none.token), 403);
});

test('a token cannot get more rights than it has: by another token, a password, a role or a user', async (t) => {
  const { send, made, as } = await owner(t, 'Administrator');
  await as('Administrator', 'root');
  const { token } = await made({ privileges: ['Login', 'ConfigureSelf', 'ConfigureUsers', 'ConfigureManager'] });
  const own = await send('POST', tokensOf('otto'), { token, body: { note: 'more', privileges: ['Write'] } });
  t.deepEqual([own.status, own.body.requiredPrivileges], [403, ['Write']]);
  const same = await send('POST', tokensOf('otto'), { token, body: { note: 'as much' } });
  t.deepEqual(same.body.privileges.sort(), ['ConfigureManager', 'ConfigureSelf', 'ConfigureUsers', 'Login']);
  const user = { username: 'new', password: PASSWORD, role: 'Administrator' };
  const tries: [string, string, object][] = [
    ['PATCH', `${USERS}/otto`, { password: 'another-horse' }],
    ['PATCH', `${USERS}/root`, { password: 'another-horse' }],
    ['POST', USERS, user],
    ['POST', ROLES, { role: 'All', privileges }],
    ['POST', tokensOf('root'), { note: 'as root' }],
  ];
  for (const [method, path, body] of tries) t.is((await send(method, path, { token, body })).status, 403, path);
});

test('a token that a token makes ends with it: by its time, by a removal and by a new password', async (t) => {
  const { api, send, login, made, as, engine } = await owner(t, 'Administrator');
  await as('Operator', 'eve');
  const child = async (token: string, body: object = {}, name = 'otto') => {
    const answer = await send('POST', tokensOf(name), { token, body: { note: 'child', ...body } });
    t.is(answer.status, 201);
    return answer.body as { id: string; token: string; expiresAt: string | null };
  };
  const short = await made({ expiresInSec: 3_600 });
  t.is((await child(short.token)).expiresAt, short.expiresAt);
  t.is((await child(short.token, { expiresInSec: 7_200 })).expiresAt, short.expiresAt);
  t.true(`${(await child(short.token, { expiresInSec: 60 })).expiresAt}` < `${short.expiresAt}`);

  const parent = await made();
  const one = await child(parent.token);
  const other = await child(one.token, {}, 'eve');
  const { body: list } = await send('GET', tokensOf('eve'), { token: login });
  t.deepEqual(
    list.map(({ id, parent: of }: { id: string; parent: string }) => [id, of]),
    [[other.id, one.id]],
  );
  t.is(await bearer(api, other.token), 200);
  t.is((await send('DELETE', `${tokensOf('otto')}/${parent.id}`, { token: login })).status, 204);
  for (const { token } of [parent, one, other]) t.is(await bearer(api, token), 401);
  t.false(JSON.stringify(await engine.stored('apitokens')).includes(other.id));

  const lasting = await child((await made()).token, {}, 'eve');
  t.is(await bearer(api, lasting.token), 200);
  t.is((await send('PATCH', `${USERS}/otto`, { token: login, body: { password: 'another-horse' } })).status, 200);
  t.is(await bearer(api, lasting.token), 401);
});

test('tokens make each other a limited number of times', async (t) => {
  const { send, made } = await owner(t);
  let { token } = await made();
  const statuses: number[] = [];
  for (let n = 0; n < 10; n += 1) {
    const answer = await send('POST', tokensOf('otto'), { token, body: { note: 'x' } });
    statuses.push(answer.status);
    if (answer.status === 201) token = answer.body.token;
  }
  t.deepEqual(statuses, [...Array(8).fill(201), 409, 409]);
});

test('a token cannot be made with privileges that its user lacks, nor with invalid values', async (t) => {
  const { send, login } = await owner(t);
  const bad: [object, string][] = [
    [{ note: 'x', privileges: ['Login', 'Write'] }, 'privileges'],
    [{ note: 'x', privileges: ['Fly'] }, 'privileges.0'],
    [{}, 'note'],
    [{ note: '' }, 'note'],
    [{ note: 'x'.repeat(257) }, 'note'],
    [{ note: 'x', expiresInSec: 0 }, 'expiresInSec'],
    [{ note: 'x', expiresInSec: 1.5 }, 'expiresInSec'],
    [{ note: 'x', expiresInSec: 1e12 }, 'expiresInSec'],
    [{ note: 'x', token: 'mine' }, 'token'],
  ];
  for (const [body, path] of bad) {
    const answer = await send('POST', tokensOf('otto'), { token: login, body });
    t.deepEqual([answer.status, answer.body.errors?.[0]?.path], [400, path], JSON.stringify(body));
  }
  t.deepEqual((await send('GET', tokensOf('otto'), { token: login })).body, []);
});

test('a token of a user whose role shrinks has at most the rights of the user', async (t) => {
  const { api, send, as, engine } = await owner(t);
  const admin = await as('Administrator', 'root');
  await send('POST', ROLES, { token: admin, body: { role: 'Clerk', privileges: ['Read', 'Write', 'Login'] } });
  const clerk = await as('Clerk', 'carl');
  const made = await send('POST', tokensOf('carl'), { token: clerk, body: { note: 'x' } });
  const { token } = made.body;
  t.is(await bearer(api, token, 'POST', NODES_PATH, NODE_BODY), 201);
  await send('PATCH', `${ROLES}/Clerk`, { token: admin, body: { privileges: ['Read', 'Login'] } });
  t.deepEqual([await bearer(api, token, 'POST', NODES_PATH, NODE_BODY), await bearer(api, token)], [403, 200]);
  await send('PATCH', `${ROLES}/Clerk`, { token: admin, body: { privileges } });
  t.is((await send('GET', '/api/current/audit', { token })).status, 403, 'nor does it grow with the role');
  await engine.users.update('carl', { role: 'Operator', updatedAt: new Date().toISOString() });
  t.is(await bearer(api, token), 403, 'Operators have neither Read nor Write');
});

test("one's own tokens need Login, those of others ConfigureUsers and all rights of the user", async (t) => {
  const { api, send, login, made, as, engine } = await owner(t);
  const { id, token } = await made();
  const [admin, eve] = [await as('Administrator', 'root'), await as('Operator', 'eve')];
  await engine.roles.create({ role: 'Clerk', privileges: ['ConfigureUsers'] });
  const clerk = await as('Clerk', 'carl');
  const body = { note: 'x' };
  for (const [method, path] of [
    ['POST', tokensOf('otto')],
    ['GET', tokensOf('otto')],
    ['DELETE', `${tokensOf('otto')}/${id}`],
  ] as const) {
    const answer = await send(method, path, { token: eve, ...(method === 'POST' && { body }) });
    t.deepEqual([answer.status, answer.body.requiredPrivileges], [403, ['ConfigureUsers']], method);
  }
  t.is((await send('GET', tokensOf('otto'), { token: clerk })).body.length, 1);
  const lacking = await send('POST', tokensOf('otto'), { token: clerk, body });
  t.deepEqual(lacking.body.requiredPrivileges, ['Login', 'ConfigureComponents', 'ConfigureSelf']);
  const made2 = await send('POST', tokensOf('otto'), { token: admin, body });
  t.deepEqual(made2.body.privileges, ['Login', 'ConfigureComponents', 'ConfigureSelf'], 'of the user, not of root');
  t.is((await send('DELETE', `${tokensOf('eve')}/${id}`, { token: admin })).status, 404, 'another owner');
  t.is((await send('GET', tokensOf('none'), { token: admin })).status, 404);
  t.is((await send('POST', tokensOf('none'), { token: admin, body })).status, 404);
  t.is(await bearer(api, token), 200);
  t.is((await send('DELETE', `${tokensOf('otto')}/${id}`, { token: clerk })).status, 204);
  t.is(await bearer(api, token), 401);
  t.is((await send('DELETE', `${tokensOf('otto')}/${id}`, { token: login })).status, 404);
});

test('a token ends when it expires, and with the password and the user that it was made for', async (t) => {
  const { api, send, made, as, engine } = await owner(t);
  const admin = await as('Administrator', 'root');
  const lasting = await made({ expiresInSec: 3_600 });
  t.true(Math.abs(Date.parse(lasting.expiresAt ?? '') - Date.now() - 3_600_000) < 60_000);
  const { credential } = (await engine.apiTokens.of(lasting.token)) as { credential: string };
  const over = await engine.apiTokens.create(
    { username: 'otto', credential, note: 'x', privileges: ['Login'], parent: null },
    -1,
  );
  t.is(await bearer(api, over.token), 401);
  t.is((await send('GET', tokensOf('otto'), { token: admin })).body.length, 1);

  await send('PATCH', `${USERS}/otto`, { token: admin, body: { password: 'another-horse' } });
  t.is(await bearer(api, lasting.token), 401);
  t.deepEqual((await send('GET', tokensOf('otto'), { token: admin })).body, []);
  const next = (await send('POST', tokensOf('otto'), { token: admin, body: { note: 'x' } })).body;
  t.is(await bearer(api, next.token), 200);
  t.is((await engine.stored('apitokens')).length, 1, 'ended ones are removed');

  await send('DELETE', `${USERS}/otto`, { token: admin });
  t.is(await bearer(api, next.token), 401);
  t.deepEqual(await engine.stored('apitokens'), []);
  await as('Operator', 'otto');
  t.is(await bearer(api, next.token), 401, 'nor is it valid for a new user of that name');
});

test('a user has at most 100 tokens, however many are made at the same time', async (t) => {
  const { send, login } = await owner(t);
  const body = { note: 'x' };
  for (let n = 0; n < 95; n += 1) await send('POST', tokensOf('otto'), { token: login, body });
  const more = await Promise.all(
    Array.from({ length: 20 }, () => send('POST', tokensOf('otto'), { token: login, body })),
  );
  t.true(more.every(({ status }) => status === 201 || status === 409));
  const { body: list } = await send('GET', tokensOf('otto'), { token: login });
  t.true(list.length <= 100);
  t.is(list.length, 95 + more.filter(({ status }) => status === 201).length);
  t.is((await send('DELETE', `${tokensOf('otto')}/${list[0].id}`, { token: login })).status, 204);
  t.is((await send('POST', tokensOf('otto'), { token: login, body })).status, 201);
});

test('a log-out ends the token of the request, and no other', async (t) => {
  const { api, send, login, as, made, engine } = await owner(t);
  const other = await as('Operator', 'otto');
  t.not(login, other, 'also within a second');
  const { token } = await made();
  const out = await send('DELETE', '/login', { token: login });
  t.deepEqual([out.status, out.body], [204, '']);
  t.is((await send('GET', NODES_PATH, { token: login })).status, 401);
  t.deepEqual((await send('DELETE', '/login', { token: login })).body, { message: 'invalid signature' });
  t.is((await send('GET', NODES_PATH, { token: other })).status, 200);
  // Two bits of the last character are not part of the signature.
  const last = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_';
  const variants = [0, 1, 2, 3].map((bits) => {
    const at = last.indexOf(login.at(-1) ?? '');
    return login.slice(0, -1) + last[(at & ~3) | bits];
  });
  for (const variant of variants) t.is((await send('GET', NODES_PATH, { token: variant })).status, 401);
  t.is((await send('DELETE', '/login', { headers: { authorization: `Bearer ${token}` } })).status, 204);
  t.is(await bearer(api, token), 401);
  t.is((await send('DELETE', '/login')).status, 401);
  const stored = JSON.stringify(await engine.stored('endedtokens'));
  t.false(stored.includes(login) || stored.includes(login.split('.')[2] ?? ''));
});

test('a token of another program with the key can be ended too, whatever its expiry', async (t) => {
  const { send, engine } = await owner(t);
  for (const expiry of [Math.floor(Date.now() / 1_000) + 60, Number.MAX_SAFE_INTEGER]) {
    const token = await new SignJWT({ user: 'otto' })
      .setProtectedHeader({ alg: 'HS256' })
      .setIssuedAt()
      .setExpirationTime(expiry)
      .sign(engine.tokenKeys[0] as Uint8Array);
    t.is((await send('GET', NODES_PATH, { token })).status, 200);
    t.is((await send('DELETE', '/login', { token })).status, 204);
    t.is((await send('GET', NODES_PATH, { token })).status, 401);
  }
});

test('ended tokens are stored until they have expired', async (t) => {
  const { engine } = await owner(t);
  const at = (ms: number) => new Date(Date.now() + ms).toISOString();
  await engine.endedTokens.add('old', at(-86_400_000));
  await engine.endedTokens.add('just', at(-1_000));
  await engine.endedTokens.add('valid', at(60_000));
  t.deepEqual(await Promise.all(['old', 'just', 'valid'].map((id) => engine.endedTokens.has(id))), [false, true, true]);
});

test('changes by a token have its id in the audit log', async (t) => {
  const { api, made, engine } = await owner(t);
  const { id, token } = await made();
  await bearer(api, token, 'POST', NODES_PATH, NODE_BODY);
  const [creation, change] = await engine.audit.list(0, 10);
  t.like(creation, { user: 'otto', target: `tokens/${id}`, status: 201 });
  t.like(change, { user: 'otto', tokenId: id, status: 201 });
  t.not(creation?.tokenId, id);
  t.false(JSON.stringify([creation, change]).includes(token));
});
