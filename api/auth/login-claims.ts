/** Claims of login tokens. A signature is verified once: the claims are the same until the token expires. */
import { createHash } from 'node:crypto';
import { jwtVerify } from 'jose';
import { LRUCache } from 'lru-cache';

export interface LoginClaims {
  /** Identifies the token without disclosing it. */
  tokenId: string;
  name: string;
  issuedAt: number;
  /** Seconds since the epoch. */
  expiresAt: number;
  credential: string | undefined;
  /** Only of a user of the provider: those that have a role here. */
  groups: readonly string[] | undefined;
  /** Only of a log-in at the provider: identifies the session there. */
  session: string | undefined;
}

type Keys = readonly Uint8Array[];

const VERIFIED = 10_000;
/** 128 bits. */
const ID_LENGTH = 22;

/** By the keys that were accepted, and the hash of the whole token: memory discloses none. */
const verified = new WeakMap<Keys, LRUCache<string, LoginClaims>>();

/** @returns undefined for every defect of a token */
export async function claimsIn(token: string, keys: Keys): Promise<LoginClaims | undefined> {
  const known = verifiedBy(keys);
  const hash = createHash('sha256').update(token).digest('base64');
  const earlier = known.get(hash);
  const claims = earlier ?? (await verifiedClaims(token, keys));
  if (claims === undefined || claims.expiresAt <= Math.floor(Date.now() / 1000)) return undefined;
  if (earlier === undefined) known.set(hash, claims);
  return claims;
}

function verifiedBy(keys: Keys): LRUCache<string, LoginClaims> {
  // With `max`, it would allocate all of them now.
  const before = verified.get(keys);
  if (before !== undefined) return before;
  const claims = new LRUCache<string, LoginClaims>({ maxSize: VERIFIED, sizeCalculation: () => 1 });
  verified.set(keys, claims);
  return claims;
}

/** Several keys are accepted during a rotation. */
async function verifiedClaims(token: string, keys: Keys): Promise<LoginClaims | undefined> {
  const tries = { algorithms: ['HS256'], requiredClaims: ['user', 'iat', 'exp'] };
  for (const key of keys) {
    const found = await jwtVerify(token, key, tries).catch(() => undefined);
    if (found === undefined) continue;
    const { user, iat, exp, groups, sid } = found.payload;
    if (typeof user !== 'string' || iat === undefined || exp === undefined) return undefined;
    const credential = found.protectedHeader.kid;
    const texts = Array.isArray(groups) ? groups.map(String) : undefined;
    const session = typeof sid === 'string' ? sid : undefined;
    return { tokenId: tokenIdOf(token), name: user, issuedAt: iat, expiresAt: exp, credential, groups: texts, session };
  }
  return undefined;
}

/** Without the signature, whose text a client could vary. */
export const tokenIdOf = (token: string): string =>
  createHash('sha256')
    .update(token.slice(0, token.lastIndexOf('.')))
    .digest('base64url')
    .slice(0, ID_LENGTH);
