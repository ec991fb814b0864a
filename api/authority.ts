/** Whom agents have to trust to reach an https endpoint: known to the daemon, so it is given to them with their script. */
import { X509Certificate } from 'node:crypto';
import type { Endpoint } from '../engine/api-port/index.ts';

/** An endpoint that is open. */
export interface OpenEndpoint extends Endpoint {
  /** PEM; absent: none is needed, or it is one that every machine knows anyway. */
  authority?: string;
}

const CERTIFICATE = /-----BEGIN CERTIFICATE-----[^-]+-----END CERTIFICATE-----/g;

const certificatesIn = (pem: string): X509Certificate[] =>
  (pem.match(CERTIFICATE) ?? []).map((one) => new X509Certificate(one));

/**
 * The certificate that is signed by itself: of our own making, or the root at the end of a chain.
 * @param pem one certificate or a chain of them
 * @throws when something in it is no certificate
 */
export const rootIn = (pem: string): string | undefined =>
  certificatesIn(pem)
    .find((one) => one.checkIssued(one) && one.verify(one.publicKey))
    ?.toString();

/** @throws when there is no certificate in it, or something that is none */
export function authoritiesIn(pem: string): string {
  const all = certificatesIn(pem);
  if (all.length === 0) throw new Error('it has no certificate');
  return all.map(String).join('');
}
