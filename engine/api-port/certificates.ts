/** The port of the API to the certificates of drive erases. */
import type { Jws } from '../platform/secrets/signing.ts';

export interface CertificateRecord {
  /** The signed content, in readable form. */
  certificate: Record<string, unknown>;
  /** Flattened JWS; its payload is the certificate. */
  jws: Jws;
  /** The public key of the signature, as a JWK. */
  key: Record<string, unknown>;
}

export interface Certificates {
  /** @returns undefined if the workflow has none */
  of(workflow: string): Promise<CertificateRecord | undefined>;
  /** The public key of the service, as a JWK, for those who verify certificates. */
  key(): Record<string, unknown>;
  /** The public keys that verify certificates: the key in use, and others during a rotation. */
  keys(): readonly Record<string, unknown>[];
}
