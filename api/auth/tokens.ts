/**
 * Users of the provider have its access tokens, or login tokens with the claim `groups`, made when a browser logged in there.
 * Their `kid` names the provider.
 *
 * API tokens are random texts, whose hashes are stored. Login tokens: JWTs with HS256 and the claims user, role, iat, exp.
 *
 * The header's `kid` names the credential that the token was issued for. It changes with the password, and when a user is
 * re-created under an old name, which ends older tokens. Timestamps would not suffice, because the clocks of daemons differ
 * and `iat` has a resolution of seconds. The header's `jti` distinguishes the tokens of two log-ins within a second.
 */
import { createHash, randomUUID } from 'node:crypto';
import { type JWTPayload, SignJWT } from 'jose';
import type { ApiTokenRecord, Engine, Provider, ProviderUser, UserRecord } from '../../engine/api-port/index.ts';
import { ADMINISTRATOR, type Privilege, privileges } from '../../engine/vocabulary/roles.ts';
import { isProviderUser } from '../../engine/vocabulary/user-names.ts';
import { UnauthorizedError } from '../http/rejections.ts';
import { personalPrivileges } from '../http/rights.ts';
import type { Identity } from '../http/route.ts';
import type { Grant } from '../http/scope.ts';
import { claimsIn, type LoginClaims, tokenIdOf } from './login-claims.ts';

/** The beginning of every API token; login tokens begin otherwise. */
const API_TOKEN = 'nwt_';
/** The end of the year 9999, the last one whose dates have the order of their texts. */
const LATEST_MS = 253_402_300_799_999;

/** Returns a token that is valid for `authTokenExpireIn` seconds. */
export const issueToken = (engine: Engine, user: UserRecord): Promise<string> =>
  signedToken(engine, { user: user.username, role: user.role }, credentialOf(user), engine.config.authTokenExpireIn);

/** Returns a token for a user of the provider, valid for `oidc.sessionSec`, and no longer than others. */
export function issueProviderToken(
  engine: Engine,
  provider: Provider,
  { username, groups, session }: ProviderUser & { session?: string },
): Promise<string> {
  const claims = {
    user: username,
    role: provider.roleOf(groups),
    groups,
    ...(session !== undefined && { sid: session }),
  };
  const seconds = Math.min(provider.config.sessionSec, engine.config.authTokenExpireIn);
  return signedToken(engine, claims, provider.credential, seconds);
}

function signedToken(engine: Engine, claims: JWTPayload, credential: string, seconds: number): Promise<string> {
  const now = Math.floor(Date.now() / 1000);
  return new SignJWT(claims)
    .setProtectedHeader({ alg: 'HS256', typ: 'JWT', kid: credential, jti: randomUUID() })
    .setIssuedAt(now)
    .setExpirationTime(now + seconds)
    .sign(signingKey(engine));
}

/**
 * Returns the user of a token. The records of user, role and token are kept until one of them changes, so that changes
 * take effect immediately.
 * @throws Unauthorized 'invalid signature' for every defect of a token: the interface document has one message only;
 * NodewrightError OIDC_UNAVAILABLE
 */
export function identify(engine: Engine, token: string): Promise<Identity> {
  if (token.startsWith(API_TOKEN)) return byApiToken(engine, token);
  const { provider } = engine;
  return provider?.claimsIssuer(token) ? byProvider(engine, provider, token) : byLogin(engine, token);
}

/** Whether the users of this daemon may log in, and their tokens are valid. */
export const admitsLocalUsers = ({ provider }: Engine): boolean => provider?.config.localUsers ?? true;

const invalidToken = () => new UnauthorizedError('invalid signature');

async function byLogin(engine: Engine, token: string): Promise<Identity> {
  const claims = await claimsIn(token, engine.tokenKeys);
  if (claims === undefined) throw invalidToken();
  return signedIdentity(engine, claims, () => holderOf(engine, claims));
}

/** By an access token that the provider issued. */
async function byProvider(engine: Engine, provider: Provider, token: string): Promise<Identity> {
  const user = await provider.verify(token);
  if (user === undefined) throw invalidToken();
  const claims = { tokenId: tokenIdOf(token), expiresAt: user.expiresAt };
  return signedIdentity(engine, claims, () => providerHolder(engine, provider, user));
}

/** The rights of a user, on the whole site and on the nodes of teams. */
export type Rights = Pick<Identity, 'privileges' | 'personal' | 'grants' | 'isLimited'>;

type UserRights = Pick<UserRecord, 'bindings'> & { role?: string | undefined };

type Holder = Rights & Pick<Identity, 'username' | 'role'>;

/** The identity of a token that is not stored, unless it has ended early. */
async function signedIdentity(
  engine: Engine,
  {
    tokenId,
    expiresAt,
    session = tokenId,
  }: Pick<LoginClaims, 'tokenId' | 'expiresAt'> & { session?: string | undefined },
  holderNow: () => Promise<Holder | undefined>,
): Promise<Identity> {
  const holder = await engine.access.recall(`login ${tokenId}`, async () => {
    const ids = [...new Set([tokenId, session])];
    const [current, ...ended] = await Promise.all([holderNow(), ...ids.map((id) => engine.endedTokens.has(id))]);
    return ended.includes(true) ? undefined : current;
  });
  if (holder === undefined) throw invalidToken();
  const endAt = () => new Date(Math.min(expiresAt * 1_000, LATEST_MS)).toISOString();
  return { ...holder, tokenId, endToken: () => engine.endedTokens.add(tokenId, endAt()) };
}

async function holderOf(engine: Engine, claims: LoginClaims): Promise<Holder | undefined> {
  const { name, groups, credential } = claims;
  const { provider } = engine;
  if (groups !== undefined || isProviderUser(name))
    return credential === provider?.credential && provider
      ? providerHolder(engine, provider, { username: name, groups: groups ?? [] })
      : undefined;
  const user = admitsLocalUsers(engine) ? await engine.users.get(name) : undefined;
  if (user === undefined || !isFor(user, claims)) return undefined;
  return { username: user.username, role: user.role, ...(await rightsOf(engine, user)) };
}

/** Without a role, the user has no rights: requests get 403, not 401. */
async function providerHolder(engine: Engine, provider: Provider, user: ProviderUser): Promise<Holder> {
  const { groups } = user;
  const username = await engine.providerNames.of(user);
  const role = provider.roleOf(groups);
  return { username, role, ...(await rightsOf(engine, { role, bindings: provider.bindingsOf(groups) })) };
}

async function byApiToken(engine: Engine, token: string): Promise<Identity> {
  const hash = createHash('sha256').update(token).digest('base64');
  const grant = await engine.access.recall(`api ${hash}`, () => grantOf(engine, token));
  if (grant === undefined || hasExpired(grant.record)) throw invalidToken();
  const { record, role, rights } = grant;
  engine.apiTokens.noteUse(record);
  const { username, id } = record;
  const endToken = async () => void (await engine.apiTokens.remove(username, id));
  return { username, role, ...rights, tokenId: id, apiToken: id, endToken };
}

/** It expires before those that made it. */
const hasExpired = ({ expiresAt }: ApiTokenRecord): boolean =>
  expiresAt !== null && expiresAt <= new Date().toISOString();

/** The token's privileges never exceed the current ones of its user. */
async function grantOf(engine: Engine, token: string) {
  const record = admitsLocalUsers(engine) ? await engine.apiTokens.of(token) : undefined;
  const user = record && (await engine.users.get(record.username));
  if (!record || !user || record.credential !== credentialOf(user) || !(await hasParents(engine, record)))
    return undefined;
  return { record, role: user.role, rights: limitedTo(record.privileges, await rightsOf(engine, user)) };
}

function limitedTo(kept: readonly Privilege[], { privileges: held, personal, grants }: Rights): Rights {
  const within = (some: readonly Privilege[]) => some.filter((privilege) => kept.includes(privilege));
  const mark = (some: readonly Privilege[]) => (within(some).length < some.length ? { isLimited: true as const } : {});
  return {
    // In the order of the token, as before there were teams.
    privileges: kept.filter((privilege) => held.includes(privilege)),
    ...mark(held),
    ...(personal && { personal: within(personal) }),
    ...(grants && {
      grants: grants.map((grant) => ({ ...grant, privileges: within(grant.privileges), ...mark(grant.privileges) })),
    }),
  };
}

/** A token ends with the one that made it: by a removal, by its time, or by another password of its user. */
async function hasParents(engine: Engine, token: ApiTokenRecord): Promise<boolean> {
  const ancestors = await engine.apiTokens.ancestors(token);
  const users = await Promise.all((ancestors ?? []).map(({ username }) => engine.users.get(username)));
  const isOpen = ({ credential }: ApiTokenRecord, n: number) => {
    const user = users[n];
    return user !== undefined && credential === credentialOf(user);
  };
  return ancestors?.every(isOpen) === true;
}

function isFor(user: UserRecord, { credential, issuedAt }: LoginClaims): boolean {
  if (credential !== undefined) return credential === credentialOf(user);
  // Issued by another program that has the key and sets no credential.
  return issuedAt >= Math.floor(Date.parse(user.passwordSince ?? user.createdAt) / 1000);
}

/** Identifies the user with the current password. The hash of a salted hash discloses neither. */
export const credentialOf = ({ username, createdAt, password }: UserRecord): string =>
  createHash('sha256').update(`${username} ${createdAt} ${password}`).digest('base64url');

/** Returns the current privileges of a role; a missing role has none. */
export const privilegesOfRole = async (engine: Engine, role: string): Promise<readonly Privilege[]> =>
  role === ADMINISTRATOR ? privileges : ((await engine.roles.get(role))?.privileges ?? []);

/** Returns the current rights of a user. */
export async function rightsOf(engine: Engine, { role, bindings = [] }: UserRights): Promise<Rights> {
  const privileges = role === undefined ? [] : await privilegesOfRole(engine, role);
  if (bindings.length === 0) return { privileges };
  const grants = await Promise.all(
    bindings.map(async ({ role: bound, team, graphs }): Promise<Grant> => {
      const held = await privilegesOfRole(engine, bound);
      return { team, role: bound, privileges: held, ...(graphs && { graphs }) };
    }),
  );
  const all = grants.flatMap((grant) => grant.privileges);
  return { privileges, personal: personalPrivileges.filter((privilege) => all.includes(privilege)), grants };
}

/** Returns the privileges that a user has anywhere. */
export const anyPrivileges = ({ privileges: held, personal = [], grants = [] }: Rights): readonly Privilege[] => {
  if (grants.length === 0) return held;
  const all = new Set([...held, ...personal, ...grants.flatMap((grant) => grant.privileges)]);
  return privileges.filter((privilege) => all.has(privilege));
};

const signingKey = ({ tokenKeys: [key] }: Engine): Uint8Array => {
  if (key === undefined) throw new Error('there is no key for tokens');
  return key;
};
