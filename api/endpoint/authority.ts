/** The certificate authorities that agents need to trust an https endpoint; agents get them with their script. */
import { X509Certificate } from 'node:crypto';
import type { Endpoint } from '../../engine/api-port/index.ts';

/** A listening endpoint. */
export interface OpenEndpoint extends Endpoint {
  /** PEM; absent: none is needed, or all machines trust it anyway. */
  authority?: string;
}

const CERTIFICATE = /-----BEGIN CERTIFICATE-----[^-]+-----END CERTIFICATE-----/g;

const certificatesIn = (pem: string): X509Certificate[] =>
  (pem.match(CERTIFICATE) ?? []).map((one) => new X509Certificate(one));

/**
 * Returns the self-signed certificate: one made by the daemon, or the root at the end of a chain.
 * @param pem one certificate or a chain of them
 * @throws when a part of it is not a certificate
 */
export const rootIn = (pem: string): string | undefined =>
  certificatesIn(pem)
    .find((one) => one.checkIssued(one) && one.verify(one.publicKey))
    ?.toString();

/** @throws when it contains no certificate, or a part that is not a certificate */
export function authoritiesIn(pem: string): string {
  const all = certificatesIn(pem);
  if (all.length === 0) throw new Error('it contains no certificate');
  return all.map(String).join('');
}
