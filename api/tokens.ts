/**
 * Login tokens: JWTs with HS256 and the claims user, role, iat, exp. The header's `kid` names the credential that the
 * token was given for. It changes with the password, and with a user that is created anew under an old name, so older
 * tokens end then; times could not tell, because clocks of daemons differ and `iat` counts seconds.
 */
import { createHash } from 'node:crypto';
import { jwtVerify, SignJWT } from 'jose';
import type { Engine, UserRecord } from '../engine/api-port/index.ts';
import { Unauthorized } from './refusals.ts';
import type { Identity } from './route.ts';

/** @returns the token, valid for `authTokenExpireIn` seconds */
export function issueToken(engine: Engine, user: UserRecord): Promise<string> {
  const now = Math.floor(Date.now() / 1000);
  return new SignJWT({ user: user.username, role: user.role })
    .setProtectedHeader({ alg: 'HS256', typ: 'JWT', kid: credentialOf(user) })
    .setIssuedAt(now)
    .setExpirationTime(now + engine.config.authTokenExpireIn)
    .sign(engine.tokenSecret);
}

/**
 * Who a token stands for. The user and the role are read again, so that a change counts at once.
 * @throws Unauthorized 'invalid signature' for whatever is wrong with it: the interface document knows one message
 */
export async function identify(engine: Engine, token: string): Promise<Identity> {
  const claims = await claimsOf(engine, token);
  const user = await engine.users.get(claims.name);
  if (user === undefined || !isFor(user, claims)) throw new Unauthorized('invalid signature');
  return identityOf(engine, user);
}

function isFor(user: UserRecord, { credential, issuedAt }: Claims): boolean {
  if (credential !== undefined) return credential === credentialOf(user);
  // Another program that has the key made it, and knows no credential.
  return issuedAt >= Math.floor(Date.parse(user.passwordSince ?? user.createdAt) / 1000);
}

/** Stands for the user with the present password. It is the hash of a salted hash, so that it tells nothing of either. */
export const credentialOf = ({ username, createdAt, password }: UserRecord): string =>
  createHash('sha256').update(`${username} ${createdAt} ${password}`).digest('base64url');

/** What the user may do at this moment; a role that is gone gives no rights. */
export async function identityOf(engine: Engine, { username, role }: UserRecord): Promise<Identity> {
  return { username, privileges: (await engine.roles.get(role))?.privileges ?? [] };
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
