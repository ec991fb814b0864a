/**
 * Checks the free disk space. On a full disk, removals could not be written either. Writes of documents are therefore
 * rejected long before that: reads and removals continue, and writes resume when there is space.
 */
import { statfsSync } from 'node:fs';
import { NodewrightError } from '../../vocabulary/errors.ts';
import { MIB } from '../../vocabulary/units.ts';

/** More than the log grows until its next checkpoint (`database-thread.mjs`). */
const RESERVE_MIB = 64;

/** Takes some us. @param reserve MiB @throws NodewrightError UNAVAILABLE when too little space is free */
export function needRoom(folder: string, reserve = RESERVE_MIB): void {
  const { bavail, bsize } = statfsSync(folder);
  const free = Math.floor((bavail * bsize) / MIB);
  if (free >= reserve) return;
  const message = `the disk of the data directory is full: ${free} MiB are free, expected ${reserve}; free some space`;
  throw new NodewrightError('UNAVAILABLE', message);
}
