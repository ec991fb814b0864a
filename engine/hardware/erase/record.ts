/**
 * The record of an erased drive, as NIST SP 800-88 Rev. 1 requires it (appendix G). Pure.
 *
 * 1. `sanitized` requires both: a tool that succeeded, and samples that confirm it. Only then is there a level.
 * 2. An unknown state is reported as unknown, never as failed or done.
 */

import type { Facts } from './facts.ts';
import type { Job } from './job-commands.ts';
import type { PlannedDrive } from './plan.ts';
import { BLOCK, samplesOf } from './samples.ts';
import { type BlockContent, type Level, type Method, methodOf, tools } from './tools.ts';

type Result = 'sanitized' | 'not sanitized' | 'not started' | 'unknown';

interface Verification {
  result: 'passed' | 'failed' | 'not done';
  method: string;
  /** The expected content of the samples. */
  expected: string;
  /** Determines the positions of the samples, together with the drive's size. */
  seed: string;
  samples: number;
  read: number;
  /** Samples with the expected byte; unchanged samples; unchanged samples that were not blank. */
  matching: number;
  unchanged: number;
  oldContent: number;
  /** SHA-256 of the list of the samples' hashes. */
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

export interface FinishedErasure {
  drive: PlannedDrive;
  job: Job;
  /** The name of its job, which is the seed of its samples. */
  id: string;
  facts: Facts;
  version: string;
  /** The last report about the job. */
  report: Facts;
}

export function recordOf({ drive, job, id, facts, version, report }: FinishedErasure): SanitizationRecord {
  const method = methodOf(drive.tool, drive.arg);
  const verification = verify(method, job, id, report);
  const errors = errorsOf(drive, report, verification);
  const result = resultOf(method, report, verification);
  const magnetic = facts.ROTA === '1' ? method.magnetic : undefined;
  return {
    devName: drive.devName,
    identifier: drive.identifier,
    wwid: drive.wwid,
    make: facts.VENDOR ?? '',
    model: facts.MODEL ?? '',
    serial: facts.SERIAL ?? '',
    firmware: facts.REV ?? '',
    mediaType: mediaOf(drive.devName, facts),
    sizeBytes: job.size,
    method: method.name,
    level: result === 'sanitized' ? (magnetic ?? method.level) : null,
    tool: tools[drive.tool].program,
    argument: `${drive.tool} ${drive.arg}`,
    toolVersion: version,
    result,
    verification,
    startedAt: report.started ?? null,
    erasedAt: report.erased ?? null,
    endedAt: report.ended ?? null,
    errors,
  };
}

function mediaOf(devName: string, { ROTA, TRAN = '' }: Facts): string {
  if (devName.startsWith('nvme')) return 'NVMe SSD';
  const kind = ROTA === '1' ? 'magnetic disk' : ROTA === '0' ? 'SSD' : 'drive';
  return TRAN === '' ? kind : `${TRAN.toUpperCase()} ${kind}`;
}

/** Implements rules 1 and 2. */
function resultOf({ level }: Method, { state, exit }: Facts, { result }: Verification): Result {
  if (state === undefined || state === 'absent') return 'not started';
  if (state !== 'ended') return 'unknown';
  return exit === '0' && level !== null && result === 'passed' ? 'sanitized' : 'not sanitized';
}

function errorsOf({ tool }: PlannedDrive, { state, exit, said }: Facts, { result, method }: Verification): string[] {
  if (state === 'lost')
    return ['the node was rebooted in the meantime: the drive is in an unknown state and is not erased again'];
  if (state === 'died')
    return [`the job ended without a result: the drive is in an unknown state and is not erased again`];
  const why = said ? `: ${said}` : '';
  if (state !== 'ended') return [`the erase was not started${why}`];
  if (exit !== '0') return [`${tool} ended with ${exit}${why}`];
  return result === 'failed' ? [`the verification failed: ${method}`] : [];
}

const expectations: Record<string, string> = {
  random: 'every block has changed',
  changed: 'every block that was not blank has changed',
};

function verify({ left, level }: Method, { size }: Job, seed: string, report: Facts): Verification {
  const [read = 0, matching = 0, unchanged = 0, oldContent = 0] = (report.verdict ?? '').split(' ').map(Number);
  const samples = samplesOf(seed, size).length;
  const counts = { samples, read, matching, unchanged, oldContent };
  const done = report.verdict !== undefined && level !== null;
  const passed = read === samples && samples > 0 && shows(left, counts);
  return {
    result: done ? (passed ? 'passed' : 'failed') : 'not done',
    method: `samples of ${BLOCK} bytes: the first block, the last, and others selected by the seed`,
    expected: expectations[left] ?? `every byte is 0x${left}`,
    seed,
    ...counts,
    digestBefore: report.before ?? null,
    digestAfter: report.after ?? null,
  };
}

function shows(finalContent: BlockContent, { read, matching, unchanged, oldContent }: Record<string, number>): boolean {
  if (finalContent === 'random') return unchanged === 0;
  return finalContent === 'changed' ? oldContent === 0 : matching === read;
}
