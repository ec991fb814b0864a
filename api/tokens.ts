/** Login tokens: JWTs with HS256 and the claims user, role, iat, exp. */
import { jwtVerify, SignJWT } from 'jose';
import type { Engine, UserRecord } from '../engine/api-port/index.ts';
import { Unauthorized } from './refusals.ts';
import type { Identity } from './route.ts';

/** @returns the token, valid for `authTokenExpireIn` seconds */
export function issueToken(engine: Engine, user: UserRecord): Promise<string> {
  const now = Math.floor(Date.now() / 1000);
  return new SignJWT({ user: user.username, role: user.role })
    .setProtectedHeader({ alg: 'HS256', typ: 'JWT' })
    .setIssuedAt(now)
    .setExpirationTime(now + engine.config.authTokenExpireIn)
    .sign(engine.tokenSecret);
}

/**
 * Who a token stands for. The user and the role are read again, so that a change counts at once.
 * @throws Unauthorized 'invalid signature' for whatever is wrong with it: the interface document knows one message
 */
export async function identify(engine: Engine, token: string): Promise<Identity> {
  const { name, issuedAt } = await claimsOf(engine, token);
  const user = await engine.users.get(name);
  // A user made anew under an old name is someone else: tokens of the old one do not count.
  if (user === undefined || issuedAt < Math.floor(Date.parse(user.createdAt) / 1000)) {
    throw new Unauthorized('invalid signature');
  }
  return identityOf(engine, user);
}

/** What the user may do at this moment; a role that is gone gives no rights. */
export async function identityOf(engine: Engine, { username, role }: UserRecord): Promise<Identity> {
  return { username, privileges: (await engine.roles.get(role))?.privileges ?? [] };
}

async function claimsOf(engine: Engine, token: string): Promise<{ name: string; issuedAt: number }> {
  const verified = await jwtVerify(token, engine.tokenSecret, {
    algorithms: ['HS256'],
    requiredClaims: ['user', 'iat', 'exp'],
  }).catch(() => undefined);
  const { user, iat } = verified?.payload ?? {};
  if (typeof user !== 'string' || iat === undefined) throw new Unauthorized('invalid signature');
  return { name: user, issuedAt: iat };
}
