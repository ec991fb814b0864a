/** The port of the API to the certificates of drive erases. */
import { type Static, Type } from 'typebox';
import type { Jws } from '../platform/secrets/signing.ts';
import type { Page, PagedList } from './page.ts';
import { orNull, owningTeam, time } from './schemas.ts';

const certifiedDrive = Type.Object({
  devName: Type.String(),
  serial: Type.String({ description: 'empty: unknown' }),
  result: Type.String({ description: 'sanitized, not sanitized, not started, or unknown' }),
  level: orNull(Type.String({ description: 'Clear or Purge; null: it is not sanitized' })),
});

/** A certificate in a list. */
export const certificateSummary = Type.Object(
  {
    workflow: Type.String({ description: 'It may have been deleted since' }),
    graph: Type.String(),
    node: orNull(Type.String()),
    name: orNull(Type.String({ description: 'of the node at that time' })),
    operator: orNull(Type.String({ description: 'the user who launched the workflow' })),
    rollout: orNull(Type.String({ description: 'that launched the workflow, or the one at the top of its tree' })),
    batch: orNull(Type.String({ description: 'that launched the workflow, or the one at the top of its tree' })),
    owner: Type.Optional(owningTeam),
    sanitized: Type.Boolean({ description: 'all drives are' }),
    drives: Type.Array(certifiedDrive),
    issuedAt: time,
  },
  { title: 'CertificateSummary' },
);

export type CertificateSummary = Static<typeof certificateSummary>;

export interface CertificateRecord {
  /** The signed content, in readable form. */
  certificate: Record<string, unknown>;
  /** Flattened JWS; its payload is the certificate. */
  jws: Jws;
  /** The public key of the signature, as a JWK. */
  key: Record<string, unknown>;
}

export interface Certificates {
  /** Those of deleted workflows too. */
  list(page: Page): Promise<PagedList<CertificateSummary>>;
  /** Each with its summary, in no particular order. @param filter as of a page */
  all(filter: Page['filter']): AsyncIterable<CertificateRecord & { summary: CertificateSummary }>;
  /** @returns undefined if the workflow has none */
  of(workflow: string): Promise<CertificateRecord | undefined>;
  /** The public key of the service, as a JWK, for those who verify certificates. */
  key(): Record<string, unknown>;
  /** The public keys that verify certificates: the key in use, and others during a rotation. */
  keys(): readonly Record<string, unknown>[];
}
