/**
 * Checks the free disk space. PostgreSQL shuts down when its log cannot grow, and then answers no queries. Writes of
 * documents are therefore rejected long before that: reads continue, and writes resume when there is space.
 */
import { statfsSync } from 'node:fs';
import { NodewrightError } from '../define/errors.ts';

const MIB = 1024 * 1024;
/** Maximum growth of the log until its next checkpoint (`vacuum.ts`). */
const RESERVE_MIB = 64;

/** Takes some us. @param reserve MiB @throws NodewrightError UNAVAILABLE when too little space is free */
export function needRoom(folder: string, reserve = RESERVE_MIB): void {
  const { bavail, bsize } = statfsSync(folder);
  const free = Math.floor((bavail * bsize) / MIB);
  if (free >= reserve) return;
  const message = `the disk of the data directory is full: ${free} MiB are free, expected ${reserve}; free some space`;
  throw new NodewrightError('UNAVAILABLE', message);
}
