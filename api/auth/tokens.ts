/**
 * Login tokens: JWTs with HS256 and the claims user, role, iat, exp. The header's `kid` names the credential that the
 * token was issued for. It changes with the password, and when a user is re-created under an old name, which ends older
 * tokens. Timestamps would not suffice, because the clocks of daemons differ and `iat` has a resolution of seconds.
 */
import { createHash, randomUUID } from 'node:crypto';
import { jwtVerify, SignJWT } from 'jose';
import type { Engine, UserRecord } from '../../engine/api-port/index.ts';
import type { Privilege } from '../../engine/define/roles.ts';
import { Unauthorized } from '../rejections.ts';
import type { Identity } from '../route.ts';

/** 128 bits. */
const ID_LENGTH = 22;

/** Returns a token that is valid for `authTokenExpireIn` seconds. */
export function issueToken(engine: Engine, user: UserRecord): Promise<string> {
  const now = Math.floor(Date.now() / 1000);
  return (
    new SignJWT({ user: user.username, role: user.role })
      .setProtectedHeader({ alg: 'HS256', typ: 'JWT', kid: credentialOf(user) })
      // Two log-ins within a second give two tokens.
      .setJti(randomUUID())
      .setIssuedAt(now)
      .setExpirationTime(now + engine.config.authTokenExpireIn)
      .sign(engine.tokenSecret)
  );
}

/**
 * Returns the user of a token. User and role are read at each request, so that changes take effect at once.
 * @throws Unauthorized 'invalid signature' for every defect of a token: the interface document has one message only
 */
export async function identify(engine: Engine, token: string): Promise<Identity> {
  const claims = await claimsOf(engine, token);
  const user = await engine.users.get(claims.name);
  if (user === undefined || !isFor(user, claims)) throw new Unauthorized('invalid signature');
  return identityOf(engine, user, tokenIdOf(token));
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

export async function identityOf(engine: Engine, { username, role }: UserRecord, tokenId: string): Promise<Identity> {
  return { username, tokenId, privileges: await privilegesOfRole(engine, role) };
}

interface Claims {
  name: string;
  issuedAt: number;
  credential: string | undefined;
}

async function claimsOf(engine: Engine, token: string): Promise<Claims> {
  const verified = await jwtVerify(token, engine.tokenSecret, {
    algorithms: ['HS256'],
    requiredClaims: ['user', 'iat', 'exp'],
  }).catch(() => undefined);
  const { user, iat } = verified?.payload ?? {};
  if (typeof user !== 'string' || iat === undefined) throw new Unauthorized('invalid signature');
  return { name: user, issuedAt: iat, credential: verified?.protectedHeader.kid };
}
