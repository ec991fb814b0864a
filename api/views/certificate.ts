/** The API record of a certificate. */
import { Type } from 'typebox';
import type { CertificateRecord } from '../../engine/api-port/index.ts';
import { anyObject } from '../../engine/api-port/schemas.ts';

export const publicKey = Type.Object(
  { kty: Type.String(), crv: Type.String(), x: Type.String(), alg: Type.String(), kid: Type.String() },
  { title: 'PublicKey', description: 'A JWK (RFC 7517)' },
);

export const certificateRecord = Type.Object(
  {
    certificate: anyObject,
    jws: Type.Object({ protected: Type.String(), payload: Type.String(), signature: Type.String() }),
    key: publicKey,
  },
  {
    title: 'Certificate',
    description: 'The signed content; the same as a flattened JWS (RFC 7515); the public key of the service',
  },
);

export const certificateView = ({ certificate, jws, key }: CertificateRecord): Record<string, unknown> => {
  const { protected: header, payload, signature } = jws;
  return { certificate, jws: { protected: header, payload, signature }, key };
};
