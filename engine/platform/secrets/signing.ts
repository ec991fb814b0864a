/** Signatures that can be verified offline: Ed25519, with a key derived from a secret that all daemons share. */
import { createPrivateKey, createPublicKey, type KeyObject } from 'node:crypto';
import { calculateJwkThumbprint, FlattenedSign, type JWK } from 'jose';
import type { KeyRing } from './key-ring.ts';

export interface Jws {
  protected: string;
  payload: string;
  signature: string;
}

type PublicKey = JWK & { kid: string };

export interface Signer {
  /** The public key, with its thumbprint (RFC 7638) as `kid`. */
  readonly key: PublicKey;
  /** The public keys of the ring: the one in use, and those of earlier signatures. */
  readonly keys: readonly PublicKey[];
  sign(value: unknown): Promise<Jws>;
}

/** The prefix of the 32 bytes of an Ed25519 key in PKCS#8 (RFC 8410). */
const PKCS8 = Buffer.from('302e020100300506032b657004220420', 'hex');

/** @param ring of keys of 32 bytes, in base64url */
export async function signerOf(ring: KeyRing): Promise<Signer> {
  const ownKey = privateKeyOf(ring[0]);
  const keys = await Promise.all(ring.map((key) => publicKeyOf(privateKeyOf(key))));
  const [key] = keys as [PublicKey];
  const { kid } = key;
  return {
    key,
    keys,
    async sign(value) {
      const bytes = new TextEncoder().encode(JSON.stringify(value));
      const jws = await new FlattenedSign(bytes).setProtectedHeader({ alg: 'EdDSA', typ: 'JOSE', kid }).sign(ownKey);
      return { protected: jws.protected ?? '', payload: jws.payload, signature: jws.signature };
    },
  };
}

const privateKeyOf = (secret: string): KeyObject =>
  createPrivateKey({ key: Buffer.concat([PKCS8, Buffer.from(secret, 'base64url')]), format: 'der', type: 'pkcs8' });

async function publicKeyOf(key: KeyObject): Promise<PublicKey> {
  const { kty, crv, x } = createPublicKey(key).export({ format: 'jwk' }) as JWK;
  const jwk = { kty, crv, x, alg: 'EdDSA', use: 'sig' } as JWK;
  return { ...jwk, kid: await calculateJwkThumbprint(jwk) };
}
