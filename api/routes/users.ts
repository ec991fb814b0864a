/** /users: the first user is created from this machine without a token, later ones by users with ConfigureUsers. */

import { type Static, Type } from 'typebox';
import type { Binding, Engine, NamedTeam, UserRecord } from '../../engine/api-port/index.ts';
import { texts } from '../../engine/api-port/list-filter.ts';
import { orNull } from '../../engine/api-port/schemas.ts';
import { binding } from '../../engine/api-port/teams.ts';
import { invalidInput, violationError } from '../../engine/vocabulary/errors.ts';
import { ADMINISTRATOR, type Privilege } from '../../engine/vocabulary/roles.ts';
import { hashPassword } from '../auth/passwords.ts';
import { checkRank } from '../auth/rank.ts';
import { MissingPrivilege, noUser, requireFound, UnauthorizedError } from '../http/rejections.ts';
import { listReply, recordReply } from '../http/replies.ts';
import { coversWhole, ownPassword } from '../http/rights.ts';
import { type Call, routesOf } from '../http/route.ts';
import { PASSWORD, userName, userRecord, userView } from '../views/user.ts';

const route = routesOf('users');

const BINDINGS = 100;

const password = Type.String(PASSWORD);
const bindings = Type.Array(binding, { maxItems: BINDINGS, description: 'roles on the nodes of teams' });
const newUser = Type.Object(
  {
    username: userName,
    password,
    role: Type.Optional(Type.String({ description: 'on the whole site; may be absent with `bindings`' })),
    bindings: Type.Optional(bindings),
  },
  { additionalProperties: false },
);
const newRole = orNull(Type.String({ description: 'null: none; only `bindings` count' }));
const userChange = Type.Partial(Type.Object({ password, role: newRole, bindings }), {
  additionalProperties: false,
  minProperties: 1,
});

async function userFrom({ username, password, ...roles }: Static<typeof newUser>): Promise<UserRecord> {
  const now = new Date().toISOString();
  return { id: username, username, password: await hashPassword(password), ...roles, createdAt: now, updatedAt: now };
}

/** Returns the privileges of a role. @throws NodewrightError INVALID when the role is unknown */
async function checkedRole(engine: Engine, role: string, at = 'role'): Promise<readonly Privilege[]> {
  const roleRecord = await engine.roles.get(role);
  if (roleRecord === undefined) throw invalidInput(at, `${JSON.stringify(role)} is unknown; see /api/current/roles`);
  return roleRecord.privileges;
}

/** @throws NodewrightError INVALID for an unknown role, MissingPrivilege for one that the requester may not grant */
async function checkRoles(
  { engine, identity }: Pick<Call, 'engine' | 'identity'>,
  given: { role?: string | null; bindings?: readonly Binding[] },
): Promise<void> {
  if (typeof given.role === 'string') await checkedRole(engine, given.role);
  for (const [at, { role }] of (given.bindings ?? []).entries()) await checkedRole(engine, role, `bindings.${at}.role`);
  await checkRank(engine, identity, given);
}

const teamsIn = (given: readonly Binding[] = []): NamedTeam[] =>
  given.map(({ team }, at) => ({ name: team, at: `bindings.${at}.team` }));

const hasNoRole = ({ role, bindings: given = [] }: { role?: string | null; bindings?: readonly Binding[] }): boolean =>
  role == null && given.length === 0;

/** The first user must be able to create the others, since no other user could. */
async function createFirst(engine: Engine, user: Static<typeof newUser>): Promise<UserRecord> {
  if (user.role === undefined || !(await checkedRole(engine, user.role)).includes('ConfigureUsers')) {
    throw invalidInput('role', `of the first user must be able to create users, such as ${ADMINISTRATOR}`);
  }
  const record = await userFrom(user);
  // Another request was first: from now on a token is required.
  const isFirst = await engine.teams.naming(teamsIn(user.bindings), () => engine.users.createFirst(record));
  if (!isFirst) throw new UnauthorizedError('No auth token');
  return record;
}

async function create(engine: Engine, user: Static<typeof newUser>): Promise<UserRecord> {
  const record = await userFrom(user);
  await engine.teams.naming(teamsIn(user.bindings), () => engine.users.create(record));
  return record;
}

/** ConfigureSelf covers only one's own password. */
function checkReach({ identity, params, body }: Call<unknown, Static<typeof userChange>>): void {
  if (!identity || coversWhole(identity.privileges, ownPassword)) return;
  const isOwnPassword = identity.username === params.name && Object.keys(body).every((key) => key === 'password');
  if (!isOwnPassword) throw new MissingPrivilege(ownPassword.whole);
}

async function change(call: Call<unknown, Static<typeof userChange>>): Promise<UserRecord> {
  const { engine, identity, body, params } = call;
  const { name = '' } = params;
  checkReach(call);
  if (typeof body.role === 'string') await checkedRole(engine, body.role);
  const user = requireFound(await engine.users.get(name), () => noUser(name));
  // Also one's own rank: an API token with fewer rights than its user must not set a password that gives all of them.
  await checkRank(engine, identity, user);
  await checkRoles(call, body);
  if (hasNoRole({ ...user, ...body }))
    throw invalidInput('role', 'and bindings would be missing; expected one of them');
  const updatedAt = new Date().toISOString();
  const hash =
    body.password === undefined ? {} : { password: await hashPassword(body.password), passwordSince: updatedAt };
  const changed = await engine.teams.naming(teamsIn(body.bindings), () =>
    engine.users.update(name, { ...body, ...hash, updatedAt }),
  );
  return requireFound(changed, () => noUser(name));
}

export const userRoutes = [
  route({
    id: 'createUser',
    summary: 'Create a user; the first user needs no token from this machine',
    method: 'POST',
    path: '/users',
    rank: 'user',
    firstUser: true,
    body: newUser,
    answer: { status: 201, schema: userRecord },
    rejections: { 409: 'The name exists' },
    handle: async ({ engine, body, firstUser, identity }) => {
      if (hasNoRole(body)) throw violationError([{ path: 'role', message: 'is missing' }], { about: 'Invalid body:' });
      await checkRoles({ engine, identity }, body);
      const user = firstUser ? await createFirst(engine, body) : await create(engine, body);
      return { body: userView(user), headers: { Location: `/api/2.0/users/${user.username}` } };
    },
  }),
  route({
    id: 'listUsers',
    summary: 'List users',
    method: 'GET',
    path: '/users',
    list: { ...texts('role'), username: { kind: 'text', path: 'id' } },
    answer: { status: 200, schema: Type.Array(userRecord) },
    handle: async ({ engine, page }) => listReply(await engine.users.list(page), userView),
  }),
  route({
    id: 'getUser',
    summary: 'Get a user',
    method: 'GET',
    path: '/users/:name',
    answer: { status: 200, schema: userRecord },
    handle: async ({ engine, params: { name = '' } }) =>
      recordReply(await engine.users.get(name), userView, () => noUser(name)),
  }),
  route({
    id: 'changeUser',
    summary: "Update a user's password or role; a new password ends the user's tokens and sessions",
    method: 'PATCH',
    path: '/users/:name',
    resourceGroup: 'ownUser',
    scope: ownPassword,
    rank: 'user',
    body: userChange,
    answer: { status: 200, schema: userRecord },
    rejections: { 409: 'The user is the last Administrator' },
    handle: async (call) => ({ body: userView(await change(call)) }),
  }),
  route({
    id: 'removeUser',
    summary: "Delete a user and invalidate the user's tokens",
    method: 'DELETE',
    path: '/users/:name',
    rank: 'user',
    answer: { status: 204 },
    rejections: { 409: 'The user is the last Administrator' },
    handle: async ({ engine, identity, params: { name = '' } }) => {
      const user = requireFound(await engine.users.get(name), () => noUser(name));
      await checkRank(engine, identity, user);
      if (!(await engine.users.remove(name))) throw noUser(name);
      // They have ended with the user; this only frees the store.
      await engine.apiTokens.removeAll(name);
      return { status: 204 };
    },
  }),
];
