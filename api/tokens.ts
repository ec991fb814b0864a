/**
 * Login tokens: JWTs with HS256 and the claims user, role, iat, exp. The header's `kid` says which of the users that have
 * had the name it is for: clocks of daemons differ, and a name may be given anew within the second that `iat` counts.
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
    .setProtectedHeader({ alg: 'HS256', typ: 'JWT', kid: holderOf(user) })
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

/** A user made anew under an old name is someone else: tokens of the old one do not count. */
function isFor(user: UserRecord, { holder, issuedAt }: Claims): boolean {
  if (holder !== undefined) return holder === holderOf(user);
  // Of somebody else who has the key.
  return issuedAt >= Math.floor(Date.parse(user.createdAt) / 1000);
}

const holderOf = ({ username, createdAt }: UserRecord): string =>
  createHash('sha256').update(`${username} ${createdAt}`).digest('base64url');

/** What the user may do at this moment; a role that is gone gives no rights. */
export async function identityOf(engine: Engine, { username, role }: UserRecord): Promise<Identity> {
  return { username, privileges: (await engine.roles.get(role))?.privileges ?? [] };
}

interface Claims {
  name: string;
  issuedAt: number;
  holder: string | undefined;
}

async function claimsOf(engine: Engine, token: string): Promise<Claims> {
  const verified = await jwtVerify(token, engine.tokenSecret, {
    algorithms: ['HS256'],
    requiredClaims: ['user', 'iat', 'exp'],
  }).catch(() => undefined);
  const { user, iat } = verified?.payload ?? {};
  if (typeof user !== 'string' || iat === undefined) throw new Unauthorized('invalid signature');
  return { name: user, issuedAt: iat, holder: verified?.protectedHeader.kid };
}
