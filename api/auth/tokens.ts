/**
 * Login tokens: JWTs with HS256 and the claims user, role, iat, exp. The header's `kid` names the credential that the
 * token was issued for. It changes with the password, and when a user is re-created under an old name, which ends older
 * tokens. Timestamps would not suffice, because the clocks of daemons differ and `iat` has a resolution of seconds.
 */
import { createHash } from 'node:crypto';
import { jwtVerify, SignJWT } from 'jose';
import type { Engine, UserRecord } from '../../engine/api-port/index.ts';
import { Unauthorized } from '../rejections.ts';
import type { Identity } from '../route.ts';

/** Returns a token that is valid for `authTokenExpireIn` seconds. */
export function issueToken(engine: Engine, user: UserRecord): Promise<string> {
  const now = Math.floor(Date.now() / 1000);
  return new SignJWT({ user: user.username, role: user.role })
    .setProtectedHeader({ alg: 'HS256', typ: 'JWT', kid: credentialOf(user) })
    .setIssuedAt(now)
    .setExpirationTime(now + engine.config.authTokenExpireIn)
    .sign(signingKey(engine));
}

/**
 * Returns the user of a token. User and role are read at each request, so that changes take effect at once.
 * @throws Unauthorized 'invalid signature' for every defect of a token: the interface document has one message only
 */
export async function identify(engine: Engine, token: string): Promise<Identity> {
  const claims = await claimsOf(engine, token);
  const user = await engine.users.get(claims.name);
  if (user === undefined || !isFor(user, claims)) throw new Unauthorized('invalid signature');
  return identityOf(engine, user);
}

function isFor(user: UserRecord, { credential, issuedAt }: Claims): boolean {
  if (credential !== undefined) return credential === credentialOf(user);
  // Issued by another program that has the key and sets no credential.
  return issuedAt >= Math.floor(Date.parse(user.passwordSince ?? user.createdAt) / 1000);
}

/** Identifies the user with the current password. The hash of a salted hash discloses neither. */
export const credentialOf = ({ username, createdAt, password }: UserRecord): string =>
  createHash('sha256').update(`${username} ${createdAt} ${password}`).digest('base64url');

/** Returns the user's current privileges; a missing role has none. */
export async function identityOf(engine: Engine, { username, role }: UserRecord): Promise<Identity> {
  return { username, privileges: (await engine.roles.get(role))?.privileges ?? [] };
}

interface Claims {
  name: string;
  issuedAt: number;
  credential: string | undefined;
}

async function claimsOf(engine: Engine, token: string): Promise<Claims> {
  const verified = await verify(engine, token);
  const { user, iat } = verified?.payload ?? {};
  if (typeof user !== 'string' || iat === undefined) throw new Unauthorized('invalid signature');
  return { name: user, issuedAt: iat, credential: verified?.protectedHeader.kid };
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
