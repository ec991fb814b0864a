/**
 * Room on the disk. PostgreSQL ends itself when its log cannot grow, and cannot be asked anything afterwards. So documents
 * are no longer written long before that: what is read goes on being answered, and writes go on when there is room.
 */
import { statfsSync } from 'node:fs';
import { NodewrightError } from '../define/errors.ts';

const MIB = 1024 * 1024;
/** What the log may grow by until its next checkpoint (`upkeep.ts`). */
const RESERVE_MIB = 64;

/** Costs some us. @param reserve MiB @throws NodewrightError UNAVAILABLE when there is too little */
export function needRoom(folder: string, reserve = RESERVE_MIB): void {
  const { bavail, bsize } = statfsSync(folder);
  const free = Math.floor((bavail * bsize) / MIB);
  if (free >= reserve) return;
  const message = `the disk of the data directory is full: ${free} MiB are left, expected ${reserve}; make room on it`;
  throw new NodewrightError('UNAVAILABLE', message);
}
