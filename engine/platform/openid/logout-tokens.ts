/**
 * Logout tokens, in which a provider names a session that has ended: OpenID Connect Back-Channel Logout 1.0. A repeated one ends
 * what has ended, so none is remembered.
 */
import { createHash } from 'node:crypto';
import type { JWTPayload } from 'jose';
import { isObject } from '../../vocabulary/json.ts';

/** Back-Channel Logout 1.0, 2.4. */
const EVENT = 'http://schemas.openid.net/event/backchannel-logout';
export const logoutTokenClaims: readonly string[] = ['iat', 'exp', 'jti', 'events'];

/** @param type of its header @returns why a verified token is no logout token; undefined: it is one */
export function logoutTokenDefect(type: string | undefined, claims: JWTPayload): string | undefined {
  if (!/^(?:(?:application\/)?logout\+jwt|jwt)$/i.test(type ?? 'jwt')) return 'it has another type';
  if (!isObject(claims.events) || !isObject(claims.events[EVENT])) return `its events lack ${EVENT}`;
  // An ID token (2.4).
  if (claims.nonce !== undefined) return 'it has a nonce';
  if (sessionIn(claims) === undefined) return 'it has no sid; the provider has to name the session';
  return undefined;
}

/** Identifies the session of an ID token or a logout token in login tokens. @returns undefined: the provider does not name it */
export const sessionIn = ({ iss, sid }: JWTPayload): string | undefined =>
  typeof sid === 'string' && sid !== '' ? createHash('sha256').update(`${iss} ${sid}`).digest('base64url') : undefined;
