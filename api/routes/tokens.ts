/** /users/:name/tokens: API tokens for programs of a user. A token has at most the rights of its user. */
import { type Static, Type } from 'typebox';
import type { Engine, UserRecord } from '../../engine/api-port/index.ts';
import { optionalTimes, texts, times } from '../../engine/api-port/list-filter.ts';
import { invalidInput, NodewrightError } from '../../engine/vocabulary/errors.ts';
import type { Privilege } from '../../engine/vocabulary/roles.ts';
import { checkRank } from '../auth/rank.ts';
import { anyPrivileges, credentialOf, rightsOf } from '../auth/tokens.ts';
import { pagedList } from '../http/list.ts';
import { MissingPrivilege, noUser, requireFound } from '../http/rejections.ts';
import { coversWhole, lackingPrivileges, ownTokens } from '../http/rights.ts';
import { type Call, type Identity, routesOf } from '../http/route.ts';
import { privilegeList } from '../views/common.ts';
import { newTokenRecord, newTokenView, tokenRecord, tokenView } from '../views/token.ts';

const route = routesOf('tokens');

const TOKENS_PATH = '/users/:name/tokens';
const TEN_YEARS_SEC = 10 * 365 * 86_400;

const newToken = Type.Object(
  {
    note: Type.String({ minLength: 1, maxLength: 256, description: 'the use of the token' }),
    expiresInSec: Type.Optional(
      Type.Integer({
        minimum: 1,
        maximum: TEN_YEARS_SEC,
        description: 'absent: it does not expire; with an API token it ends with that one',
      }),
    ),
    privileges: Type.Optional({ ...privilegeList, description: 'absent: those that the user has now' }),
  },
  { additionalProperties: false },
);

/** @throws NodewrightError NOT_FOUND, or FORBIDDEN for another user without ConfigureUsers */
async function ownerOf({ engine, identity, params: { name = '' } }: Call): Promise<UserRecord> {
  const isOwn = identity === undefined || identity.username === name;
  if (!isOwn && !coversWhole(identity.privileges, ownTokens)) throw new MissingPrivilege(ownTokens.whole);
  return requireFound(await engine.users.get(name), () => noUser(name));
}

/** @throws NodewrightError INVALID for privileges that the user lacks, FORBIDDEN for those that the requester lacks */
async function grantToken(
  engine: Engine,
  identity: Identity | undefined,
  user: UserRecord,
  wanted: readonly Privilege[] | undefined,
): Promise<readonly Privilege[]> {
  const held = anyPrivileges(await rightsOf(engine, user));
  const userPrivileges = identity === undefined ? held : anyPrivileges(identity);
  if (wanted === undefined) return held.filter((privilege) => userPrivileges.includes(privilege));
  const [excess] = lackingPrivileges(held, wanted);
  if (excess !== undefined) {
    throw invalidInput('privileges', `found ${excess}, expected some of those of ${user.username}: ${held.join(', ')}`);
  }
  const missing = lackingPrivileges(userPrivileges, wanted);
  if (missing.length > 0) throw new MissingPrivilege(missing, { place: 'anywhere', needsAll: true });
  return wanted;
}

async function create(call: Call<unknown, Static<typeof newToken>>) {
  const { engine, identity, body } = call;
  const user = await ownerOf(call);
  // A token for another user acts as that user.
  if (identity?.username !== user.username) await checkRank(engine, identity, user);
  const privileges = await grantToken(engine, identity, user, body.privileges);
  const owner = { username: user.username, credential: credentialOf(user) };
  const parent = identity?.apiToken ?? null;
  return engine.apiTokens.create({ ...owner, note: body.note, privileges, parent }, body.expiresInSec);
}

export const tokenRoutes = [
  route({
    id: 'createToken',
    summary: 'Create an API token, which is shown only in this answer',
    method: 'POST',
    path: TOKENS_PATH,
    scope: ownTokens,
    rank: 'user',
    body: newToken,
    answer: { status: 201, schema: newTokenRecord },
    rejections: { 409: 'The user has 100 API tokens, or the token of this request has ended' },
    handle: async (call) => {
      const { record, token } = await create(call);
      return { body: newTokenView({ ...record, token }) };
    },
  }),
  route({
    id: 'listTokens',
    summary: 'List the API tokens of a user that have not ended, without the tokens themselves',
    method: 'GET',
    path: TOKENS_PATH,
    scope: ownTokens,
    list: { ...texts('id', 'note'), ...times('createdAt'), ...optionalTimes('expiresAt') },
    answer: { status: 200, schema: Type.Array(tokenRecord) },
    handle: async (call) => {
      const user = await ownerOf(call);
      const all = await call.engine.apiTokens.list({ username: user.username, credential: credentialOf(user) });
      const { items, total } = pagedList(all.map(tokenView), call.page, 'createdAt');
      return { body: items, total };
    },
  }),
  route({
    id: 'removeToken',
    summary: 'Delete an API token, which ends it immediately',
    method: 'DELETE',
    path: `${TOKENS_PATH}/:id`,
    scope: ownTokens,
    answer: { status: 204 },
    handle: async (call) => {
      const { username } = await ownerOf(call);
      const { id = '' } = call.params;
      if (await call.engine.apiTokens.remove(username, id)) return { status: 204 };
      throw new NodewrightError('NOT_FOUND', `Could not find API token ${id} of ${username}`);
    },
  }),
];
