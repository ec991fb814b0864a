/**
 * The format of a backup: a gzipped tar, the same for both ways to run, so that each can restore what the other has made.
 *
 *     manifest.json                       which version made it, when, and how
 *     secrets/<name>                      a ring of keys: one per line, the first is in use
 *     collections/<name>/<number>.jsonl   documents, one per line
 *     checksums.json                      of each entry before: its SHA-256, size and number of documents
 *
 * The last entry says that the file is whole. Blobs are documents too. Rows of workflows and nodes are as the embedded
 * store has them: what is in Redis and in MongoDB is one there.
 */

import { keyPurposes } from '../../platform/secrets/key-ring.ts';
import { NodewrightError } from '../../vocabulary/errors.ts';
import { MIB } from '../../vocabulary/units.ts';
import { backedUp } from './backup-collections.ts';

export const FORMAT = 1;

export interface Manifest {
  format: number;
  schema: number;
  /** Version of the program. */
  nodewright: string;
  /** The moment whose state it has. */
  createdAt: string;
  from: 'embedded' | 'services';
  /** ms for which steps waited; absent: none. */
  pausedMs?: number;
}

export interface EntrySum {
  sha256: string;
  bytes: number;
  /** Documents; 0 for other entries. */
  count: number;
}

export const MANIFEST = 'manifest.json';
export const CHECKSUMS = 'checksums.json';

/** Bytes of one entry, which is in memory as a whole. */
export const MAX_ENTRY = 64 * MIB;
export const MAX_ENTRIES = 100_000;

const DIGITS = 6;

export const secretEntry = (name: string): string => `secrets/${name}`;

export const chunkEntry = (collection: string, number: number): string =>
  `collections/${collection}/${String(number).padStart(DIGITS, '0')}.jsonl`;

/** The place of an entry. */
export type EntryPlace =
  | { kind: 'manifest' | 'checksums' }
  | { kind: 'secret'; name: string }
  | { kind: 'chunk'; collection: string };

const collections = new Set(backedUp.map(({ name }) => name));

/** @throws NodewrightError BACKUP_INVALID for a name that no backup has */
export function entryPlace(name: string): EntryPlace {
  if (name === MANIFEST) return { kind: 'manifest' };
  if (name === CHECKSUMS) return { kind: 'checksums' };
  const secret = /^secrets\/([a-z-]+)$/.exec(name)?.[1];
  if (secret !== undefined && Object.hasOwn(keyPurposes, secret)) return { kind: 'secret', name: secret };
  const collection = /^collections\/([a-z]+)\/\d{6}\.jsonl$/.exec(name)?.[1];
  if (collection !== undefined && collections.has(collection)) return { kind: 'chunk', collection };
  throw invalidBackup(`found an entry ${JSON.stringify(name.slice(0, 100))}, expected one of a backup`);
}

export const invalidBackup = (problem: string): NodewrightError =>
  new NodewrightError('BACKUP_INVALID', `the file is no whole backup: ${problem}`);
