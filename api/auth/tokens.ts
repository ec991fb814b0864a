/**
 * API tokens are random texts, whose hashes are stored. Login tokens: JWTs with HS256 and the claims user, role, iat, exp.
 *
 * The header's `kid` names the credential that the token was issued for. It changes with the password, and when a user is
 * re-created under an old name, which ends older tokens. Timestamps would not suffice, because the clocks of daemons differ
 * and `iat` has a resolution of seconds. The header's `jti` distinguishes the tokens of two log-ins within a second.
 */
import { createHash, randomUUID } from 'node:crypto';
import { SignJWT } from 'jose';
import type { ApiTokenRecord, Engine, UserRecord } from '../../engine/api-port/index.ts';
import type { Privilege } from '../../engine/vocabulary/roles.ts';
import { UnauthorizedError } from '../http/rejections.ts';
import type { Identity } from '../http/route.ts';
import { claimsIn, type LoginClaims } from './login-claims.ts';

/** The beginning of every API token; login tokens begin otherwise. */
const API_TOKEN = 'nwt_';
/** The end of the year 9999, the last one whose dates have the order of their texts. */
const LATEST_MS = 253_402_300_799_999;

/** Returns a token that is valid for `authTokenExpireIn` seconds. */
export function issueToken(engine: Engine, user: UserRecord): Promise<string> {
  const now = Math.floor(Date.now() / 1000);
  return new SignJWT({ user: user.username, role: user.role })
    .setProtectedHeader({ alg: 'HS256', typ: 'JWT', kid: credentialOf(user), jti: randomUUID() })
    .setIssuedAt(now)
    .setExpirationTime(now + engine.config.authTokenExpireIn)
    .sign(signingKey(engine));
}

/**
 * Returns the user of a token. The records of user, role and token are kept until one of them changes, so that changes
 * take effect immediately.
 * @throws Unauthorized 'invalid signature' for every defect of a token: the interface document has one message only
 */
export const identify = (engine: Engine, token: string): Promise<Identity> =>
  token.startsWith(API_TOKEN) ? byApiToken(engine, token) : byLogin(engine, token);

const invalidToken = () => new UnauthorizedError('invalid signature');

async function byLogin(engine: Engine, token: string): Promise<Identity> {
  const claims = await claimsIn(token, engine.tokenKeys);
  if (claims === undefined) throw invalidToken();
  const { tokenId } = claims;
  const holder = await engine.access.recall(`login ${tokenId}`, () => holderOf(engine, claims));
  if (holder === undefined) throw invalidToken();
  const expiresAt = () => new Date(Math.min(claims.expiresAt * 1_000, LATEST_MS)).toISOString();
  const endToken = () => engine.endedTokens.add(tokenId, expiresAt());
  return { ...holder, tokenId, endToken };
}

type Holder = Pick<Identity, 'username' | 'privileges'>;

async function holderOf(engine: Engine, claims: LoginClaims): Promise<Holder | undefined> {
  const [user, hasEnded] = await Promise.all([engine.users.get(claims.name), engine.endedTokens.has(claims.tokenId)]);
  if (user === undefined || hasEnded || !isFor(user, claims)) return undefined;
  return { username: user.username, privileges: await privilegesOfRole(engine, user.role) };
}

async function byApiToken(engine: Engine, token: string): Promise<Identity> {
  const hash = createHash('sha256').update(token).digest('base64');
  const grant = await engine.access.recall(`api ${hash}`, () => grantOf(engine, token));
  if (grant === undefined || hasExpired(grant.record)) throw invalidToken();
  const { record, privileges } = grant;
  engine.apiTokens.noteUse(record);
  const { username, id } = record;
  const endToken = async () => void (await engine.apiTokens.remove(username, id));
  return { username, privileges, tokenId: id, apiToken: id, endToken };
}

/** It expires before those that made it. */
const hasExpired = ({ expiresAt }: ApiTokenRecord): boolean =>
  expiresAt !== null && expiresAt <= new Date().toISOString();

/** The token's privileges never exceed the current ones of its user. */
async function grantOf(engine: Engine, token: string) {
  const record = await engine.apiTokens.of(token);
  const user = record && (await engine.users.get(record.username));
  if (!record || !user || record.credential !== credentialOf(user) || !(await hasParents(engine, record)))
    return undefined;
  const held = await privilegesOfRole(engine, user.role);
  return { record, privileges: record.privileges.filter((privilege) => held.includes(privilege)) };
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
  (await engine.roles.get(role))?.privileges ?? [];

const signingKey = ({ tokenKeys: [key] }: Engine): Uint8Array => {
  if (key === undefined) throw new Error('there is no key for tokens');
  return key;
};
