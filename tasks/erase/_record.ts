/**
 * What was done to a drive, as NIST SP 800-88 Rev. 1 wants it recorded (its appendix G). Pure.
 *
 * 1. `sanitized` needs both: a tool that ended well, and samples that say the same. Only then there is a level.
 * 2. What is not known is called unknown, never failed and never done.
 */
import type { Job } from './_commands.ts';
import type { Facts } from './_facts.ts';
import type { PlannedDrive } from './_plan.ts';
import { BLOCK, samplesOf } from './_samples.ts';
import { type Left, type Level, type Method, methodOf, tools } from './_tools.ts';

export type Result = 'sanitized' | 'not sanitized' | 'not started' | 'unknown';

export interface Verification {
  result: 'passed' | 'failed' | 'not done';
  method: string;
  /** What the samples had to show. */
  expected: string;
  /** With the drive's size it gives the places that were read. */
  seed: string;
  samples: number;
  read: number;
  /** Samples that hold the expected byte; that are as they were before; of these, those that were not blank. */
  matching: number;
  unchanged: number;
  oldContent: number;
  /** SHA-256 over the list of the samples' hashes. */
  digestBefore: string | null;
  digestAfter: string | null;
}

export interface SanitizationRecord {
  devName: string;
  identifier: number | null;
  wwid: string;
  make: string;
  model: string;
  serial: string;
  firmware: string;
  mediaType: string;
  sizeBytes: number;
  method: string;
  level: Level | null;
  tool: string;
  argument: string;
  toolVersion: string;
  result: Result;
  verification: Verification;
  startedAt: string | null;
  erasedAt: string | null;
  endedAt: string | null;
  errors: string[];
}

export interface Done {
  drive: PlannedDrive;
  job: Job;
  /** The name of its job, which is the seed of its samples. */
  id: string;
  facts: Facts;
  version: string;
  /** What the last watch said of the job. */
  told: Facts;
}

export function recordOf({ drive, job, id, facts, version, told }: Done): SanitizationRecord {
  const method = methodOf(drive.tool, drive.arg);
  const verification = verify(method, job, id, told);
  const errors = errorsOf(drive, told, verification);
  const result = resultOf(method, told, verification);
  const magnetic = facts.ROTA === '1' ? method.magnetic : undefined;
  return {
    ...{ devName: drive.devName, identifier: drive.identifier, wwid: drive.wwid },
    ...{ make: facts.VENDOR ?? '', model: facts.MODEL ?? '', serial: facts.SERIAL ?? '', firmware: facts.REV ?? '' },
    ...{ mediaType: mediaOf(drive.devName, facts), sizeBytes: job.size },
    ...{ method: method.name, level: result === 'sanitized' ? (magnetic ?? method.level) : null },
    ...{ tool: tools[drive.tool].program, argument: `${drive.tool} ${drive.arg}`, toolVersion: version },
    ...{ result, verification },
    startedAt: told.started ?? null,
    erasedAt: told.erased ?? null,
    endedAt: told.ended ?? null,
    errors,
  };
}

function mediaOf(devName: string, { ROTA, TRAN = '' }: Facts): string {
  if (devName.startsWith('nvme')) return 'NVMe SSD';
  const kind = ROTA === '1' ? 'magnetic disk' : ROTA === '0' ? 'SSD' : 'drive';
  return TRAN === '' ? kind : `${TRAN.toUpperCase()} ${kind}`;
}

/** Rule 2. */
function resultOf({ level }: Method, { state, exit }: Facts, { result }: Verification): Result {
  if (state === undefined || state === 'absent') return 'not started';
  if (state !== 'ended') return 'unknown';
  return exit === '0' && level !== null && result === 'passed' ? 'sanitized' : 'not sanitized';
}

function errorsOf({ tool }: PlannedDrive, { state, exit, said }: Facts, { result, method }: Verification): string[] {
  if (state === 'lost')
    return ['the node was booted anew meanwhile: the drive is in an unknown state, and not erased anew'];
  if (state === 'died')
    return [`the job ended without saying how: the drive is in an unknown state, and not erased anew`];
  const why = said ? `: ${said}` : '';
  if (state !== 'ended') return [`the erase was not begun${why}`];
  if (exit !== '0') return [`${tool} ended with ${exit}${why}`];
  return result === 'failed' ? [`the verification failed: ${method}`] : [];
}

const expectations: Record<string, string> = {
  random: 'no block is as it was',
  changed: 'no block that was not blank is as it was',
};

function verify({ left, level }: Method, { size }: Job, seed: string, told: Facts): Verification {
  const [read = 0, matching = 0, unchanged = 0, oldContent = 0] = (told.verdict ?? '').split(' ').map(Number);
  const samples = samplesOf(seed, size).length;
  const counts = { samples, read, matching, unchanged, oldContent };
  const done = told.verdict !== undefined && level !== null;
  const passed = read === samples && samples > 0 && shows(left, counts);
  return {
    result: done ? (passed ? 'passed' : 'failed') : 'not done',
    method: `samples of ${BLOCK} bytes: the first block, the last, and others that the seed chooses`,
    expected: expectations[left] ?? `every byte is 0x${left}`,
    ...{ seed, ...counts, digestBefore: told.before ?? null, digestAfter: told.after ?? null },
  };
}

function shows(left: Left, { read, matching, unchanged, oldContent }: Record<string, number>): boolean {
  if (left === 'random') return unchanged === 0;
  return left === 'changed' ? oldContent === 0 : matching === read;
}
