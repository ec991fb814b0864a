/** Certificates of what was done to drives, as the API asks for them. */
import type { Jws } from '../signing.ts';

export interface CertificateRecord {
  /** What is signed, to be read by people. */
  certificate: Record<string, unknown>;
  /** Flattened JWS; its payload is the certificate. */
  jws: Jws;
  /** The public key that it is signed with, as a JWK. */
  key: Record<string, unknown>;
}

export interface Certificates {
  /** @returns undefined when the workflow has none */
  of(workflow: string): Promise<CertificateRecord | undefined>;
  /** The public key of the service, as a JWK: to be kept where certificates are judged. */
  key(): Record<string, unknown>;
}
