/** Signatures that can be verified offline: Ed25519, with a key derived from a secret that all daemons share. */
import { createPrivateKey, createPublicKey, type KeyObject } from 'node:crypto';
import { calculateJwkThumbprint, FlattenedSign, type JWK } from 'jose';

export interface Jws {
  protected: string;
  payload: string;
  signature: string;
}

export interface Signer {
  /** The public key, with its thumbprint (RFC 7638) as `kid`. */
  readonly key: JWK & { kid: string };
  sign(value: unknown): Promise<Jws>;
}

/** The prefix of the 32 bytes of an Ed25519 key in PKCS#8 (RFC 8410). */
const PKCS8 = Buffer.from('302e020100300506032b657004220420', 'hex');

/** @param secret 32 bytes in base64url */
export async function signerOf(secret: string): Promise<Signer> {
  const der = Buffer.concat([PKCS8, Buffer.from(secret, 'base64url')]);
  const own: KeyObject = createPrivateKey({ key: der, format: 'der', type: 'pkcs8' });
  const { kty, crv, x } = createPublicKey(own).export({ format: 'jwk' }) as JWK;
  const key = { kty, crv, x, alg: 'EdDSA', use: 'sig' } as JWK;
  const kid = await calculateJwkThumbprint(key);
  return {
    key: { ...key, kid },
    async sign(value) {
      const bytes = new TextEncoder().encode(JSON.stringify(value));
      const jws = await new FlattenedSign(bytes).setProtectedHeader({ alg: 'EdDSA', typ: 'JOSE', kid }).sign(own);
      return { protected: jws.protected ?? '', payload: jws.payload, signature: jws.signature };
    },
  };
}
