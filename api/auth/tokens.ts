/**
 * API tokens are random texts, whose hashes are stored. Login tokens: JWTs with HS256 and the claims user, role, iat, exp.
 *
 * The header's `kid` names the credential that the token was issued for. It changes with the password, and when a user is
 * re-created under an old name, which ends older tokens. Timestamps would not suffice, because the clocks of daemons differ
 * and `iat` has a resolution of seconds. The header's `jti` distinguishes the tokens of two log-ins within a second.
 */
import { createHash, randomUUID } from 'node:crypto';
import { jwtVerify, SignJWT } from 'jose';
import type { ApiTokenRecord, Engine, UserRecord } from '../../engine/api-port/index.ts';
import type { Privilege } from '../../engine/vocabulary/roles.ts';
import { UnauthorizedError } from '../http/rejections.ts';
import type { Identity } from '../http/route.ts';

/** The beginning of every API token; login tokens begin otherwise. */
const API_TOKEN = 'nwt_';
/** The end of the year 9999, the last one whose dates have the order of their texts. */
const LATEST_MS = 253_402_300_799_999;
/** 128 bits. */
const ID_LENGTH = 22;

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
 * Returns the user of a token. User, role and the end of the token are read at each request, so that changes take effect
 * immediately.
 * @throws Unauthorized 'invalid signature' for every defect of a token: the interface document has one message only
 */
export const identify = (engine: Engine, token: string): Promise<Identity> =>
  token.startsWith(API_TOKEN) ? byApiToken(engine, token) : byLogin(engine, token);

async function byLogin(engine: Engine, token: string): Promise<Identity> {
  const claims = await claimsOf(engine, token);
  const tokenId = tokenIdOf(token);
  const [user, hasEnded] = await Promise.all([engine.users.get(claims.name), engine.endedTokens.has(tokenId)]);
  if (user === undefined || hasEnded || !isFor(user, claims)) throw new UnauthorizedError('invalid signature');
  const privileges = await privilegesOfRole(engine, user.role);
  const expiresAt = new Date(Math.min(claims.expiresAt * 1_000, LATEST_MS)).toISOString();
  const endToken = () => engine.endedTokens.add(tokenId, expiresAt);
  return { username: user.username, privileges, tokenId, endToken };
}

/** The token's privileges never exceed the current ones of its user. */
async function byApiToken(engine: Engine, token: string): Promise<Identity> {
  const found = await engine.apiTokens.of(token);
  const user = found && (await engine.users.get(found.username));
  if (!found || !user || found.credential !== credentialOf(user) || !(await hasParents(engine, found))) {
    throw new UnauthorizedError('invalid signature');
  }
  engine.apiTokens.noteUse(found);
  const held = await privilegesOfRole(engine, user.role);
  const privileges = found.privileges.filter((privilege) => held.includes(privilege));
  const endToken = async () => void (await engine.apiTokens.remove(found.username, found.id));
  return { username: user.username, privileges, tokenId: found.id, apiToken: found.id, endToken };
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

/** Identifies a token without disclosing it. Without the signature, whose text a client could vary. */
export const tokenIdOf = (token: string): string =>
  createHash('sha256')
    .update(token.slice(0, token.lastIndexOf('.')))
    .digest('base64url')
    .slice(0, ID_LENGTH);

function isFor(user: UserRecord, { credential, issuedAt }: Claims): boolean {
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

interface Claims {
  name: string;
  issuedAt: number;
  /** Seconds since the epoch. */
  expiresAt: number;
  credential: string | undefined;
}

async function claimsOf(engine: Engine, token: string): Promise<Claims> {
  const verified = await verify(engine, token);
  const { user, iat, exp } = verified?.payload ?? {};
  if (typeof user !== 'string' || iat === undefined || exp === undefined)
    throw new UnauthorizedError('invalid signature');
  return { name: user, issuedAt: iat, expiresAt: exp, credential: verified?.protectedHeader.kid };
}

const signingKey = ({ tokenKeys: [key] }: Engine): Uint8Array => {
  if (key === undefined) throw new Error('there is no key for tokens');
  return key;
};

/** Several keys are accepted during a rotation. @returns undefined for a token that none of them has signed */
async function verify(engine: Engine, token: string) {
  for (const key of engine.tokenKeys) {
    const verified = await jwtVerify(token, key, {
      algorithms: ['HS256'],
      requiredClaims: ['user', 'iat', 'exp'],
    }).catch(() => undefined);
    if (verified !== undefined) return verified;
  }
  return undefined;
}
