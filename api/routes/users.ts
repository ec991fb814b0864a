/** /users: the first user comes from this machine without a token, the others from whoever may configure users. */
import { type Static, Type } from 'typebox';
import type { Engine, UserRecord } from '../../engine/api-port/index.ts';
import { NodewrightError } from '../../engine/define/errors.ts';
import { narrowed, texts, wholePage } from '../list.ts';
import { hashPassword } from '../passwords.ts';
import { forbidden, found, invalid, noUser, Unauthorized } from '../refusals.ts';
import { ADMINISTRATOR, privilegesOf } from '../rights.ts';
import { type Call, route } from '../route.ts';
import { userRecord, userView } from '../views/user.ts';

const password = Type.String({ minLength: 6, maxLength: 512 });
const newUser = Type.Object(
  {
    username: Type.String({ pattern: '^[A-Za-z][0-9A-Za-z._-]*$', maxLength: 256 }),
    password,
    role: Type.String(),
  },
  { additionalProperties: false },
);
const userChange = Type.Partial(Type.Object({ password, role: Type.String() }), {
  additionalProperties: false,
  minProperties: 1,
});

async function userFrom({ username, password, role }: Static<typeof newUser>): Promise<UserRecord> {
  const now = new Date().toISOString();
  return { id: username, username, password: await hashPassword(password), role, createdAt: now, updatedAt: now };
}

function checkRole(role: string): void {
  if (!privilegesOf(role)) throw invalid('role', `${JSON.stringify(role)} is unknown; see /api/current/roles`);
}

/** The first user has to be able to make the others; nobody else could. */
async function createFirst(engine: Engine, user: Static<typeof newUser>): Promise<UserRecord> {
  if (!privilegesOf(user.role)?.includes('ConfigureUsers')) {
    throw invalid('role', `of the first user must be able to create users, such as ${ADMINISTRATOR}`);
  }
  const record = await userFrom(user);
  // Another was first: from now on a token is needed.
  if (!(await engine.users.createFirst(record))) throw new Unauthorized('No auth token');
  return record;
}

async function create(engine: Engine, user: Static<typeof newUser>): Promise<UserRecord> {
  const record = await userFrom(user);
  await engine.users.create(record);
  return record;
}

let guarded: Promise<unknown> = Promise.resolve();

/** Changes that may take an Administrator away, one after the other: two at once could each leave the other. */
function oneByOne<T>(change: () => Promise<T>): Promise<T> {
  const result = guarded.then(change);
  guarded = result.catch(() => {});
  return result;
}

/** @throws NodewrightError CONFLICT when `name` is the only Administrator */
async function keepAnAdministrator(engine: Engine, name: string): Promise<void> {
  const { items } = await engine.users.list({ ...narrowed(wholePage(), { role: ADMINISTRATOR }), limit: 2 });
  if (items.length === 1 && items[0]?.username === name) {
    throw new NodewrightError('CONFLICT', `${name} is the last ${ADMINISTRATOR}; make another one first`);
  }
}

/** ConfigureSelf reaches as far as one's own password, and no further. */
function checkReach({ identity, params, body }: Call<unknown, Static<typeof userChange>>): void {
  if (!identity || identity.privileges.includes('ConfigureUsers')) return;
  if (identity.username !== params.name || Object.keys(body).some((key) => key !== 'password')) throw forbidden();
}

async function change(engine: Engine, name: string, body: Static<typeof userChange>): Promise<UserRecord | undefined> {
  if (body.role !== undefined) checkRole(body.role);
  if (!(await engine.users.get(name))) throw noUser(name);
  const hash = body.password === undefined ? {} : { password: await hashPassword(body.password) };
  return oneByOne(async () => {
    if (body.role !== undefined && body.role !== ADMINISTRATOR) await keepAnAdministrator(engine, name);
    return engine.users.update(name, { ...body, ...hash, updatedAt: new Date().toISOString() });
  });
}

export const userRoutes = [
  route({
    id: 'createUser',
    summary: 'Create a user; the first one from this machine without a token',
    method: 'POST',
    path: '/users',
    area: 'users',
    firstUser: true,
    body: newUser,
    answer: { status: 201, schema: userRecord },
    refusals: { 409: 'The name is taken' },
    handle: async ({ engine, body, firstUser }) => {
      checkRole(body.role);
      const user = firstUser ? await createFirst(engine, body) : await create(engine, body);
      return { status: 201, body: userView(user) };
    },
  }),
  route({
    id: 'listUsers',
    summary: 'List the users',
    method: 'GET',
    path: '/users',
    area: 'users',
    list: texts('username', 'role'),
    answer: { status: 200, schema: Type.Array(userRecord) },
    handle: async ({ engine, page }) => {
      const { items, total } = await engine.users.list(page);
      return { status: 200, body: items.map(userView), total };
    },
  }),
  route({
    id: 'getUser',
    summary: 'Get one user',
    method: 'GET',
    path: '/users/:name',
    area: 'users',
    answer: { status: 200, schema: userRecord },
    handle: async ({ engine, params: { name = '' } }) => {
      const user = found(await engine.users.get(name), () => noUser(name));
      return { status: 200, body: userView(user) };
    },
  }),
  route({
    id: 'changeUser',
    summary: "Change a user's password or role",
    method: 'PATCH',
    path: '/users/:name',
    area: 'ownUser',
    body: userChange,
    answer: { status: 200, schema: userRecord },
    refusals: { 409: 'It is the last Administrator' },
    handle: async (call) => {
      checkReach(call);
      const { name = '' } = call.params;
      const user = found(await change(call.engine, name, call.body), () => noUser(name));
      return { status: 200, body: userView(user) };
    },
  }),
  route({
    id: 'removeUser',
    summary: 'Remove a user; tokens of theirs stop to count',
    method: 'DELETE',
    path: '/users/:name',
    area: 'users',
    answer: { status: 204 },
    refusals: { 409: 'It is the last Administrator' },
    handle: ({ engine, params: { name = '' } }) =>
      oneByOne(async () => {
        await keepAnAdministrator(engine, name);
        if (!(await engine.users.remove(name))) throw noUser(name);
        return { status: 204 };
      }),
  }),
];
