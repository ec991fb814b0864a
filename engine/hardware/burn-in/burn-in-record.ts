/**
 * The record of a burn-in, which is its catalog: what each test found, and how the counters of the machine changed. Pure.
 */
import { countText } from '../../vocabulary/count-texts.ts';
import type { HealthState } from '../../vocabulary/states.ts';
import type { BurnInLimits, BurnInTest } from './burn-in-tests.ts';
import { type ExaminedDrive, type ExaminedMachine, isHealthy } from './examined-machine.ts';
import { type BurnInVerdict, type TestResult, testResult } from './test-results.ts';

interface BurnInDrive {
  serial: string;
  model: string;
  health: string | null;
  /** New errors, by kind. */
  newErrors: Record<string, number>;
}

export interface BurnInRecord {
  /** The id of the workflow. */
  run: string;
  verdict: BurnInVerdict;
  startedAt: string;
  endedAt: string;
  tests: Partial<Record<BurnInTest, TestResult>>;
  limits: BurnInLimits;
  /** New errors; null: they were not counted. */
  memoryErrors: ExaminedMachine['memoryErrors'];
  /** By name. */
  drives: Record<string, BurnInDrive>;
  /** Problems of the tests, the counters and the drives; empty: it passed. */
  problems: string[];
}

export interface FinishedBurnIn {
  run: string;
  startedAt: string;
  endedAt: string;
  tests: readonly BurnInTest[];
  limits: BurnInLimits;
  before: ExaminedMachine;
  /** undefined: the agent did not report any more. */
  after: ExaminedMachine | undefined;
  /** By test. */
  reports: ReadonlyMap<string, string>;
  /** Why tests ended that the machine did not report on. */
  errors: Readonly<Partial<Record<BurnInTest, string>>>;
}

export function burnInRecord(finished: FinishedBurnIn): BurnInRecord {
  const { run, startedAt, endedAt, limits, before, after } = finished;
  const tests = finished.tests.map((test) => [test, resultOf(test, finished)] as const);
  const memoryErrors = after === undefined ? notCounted : newMemoryErrors(before, after);
  const drives = (after?.drives ?? []).map((drive) => driveRecord(drive, before));
  const problems = [
    ...tests.flatMap(([test, result]) => result.problems.map((problem) => `${test}: ${problem}`)),
    ...(after === undefined ? ['the machine does not report its counters any more'] : []),
    ...memoryProblems(memoryErrors, limits),
    ...drives.flatMap(([name, drive]) => driveProblems(name, drive, limits)),
  ];
  const verdicts = tests.map(([, { verdict }]) => verdict);
  const hasFailed = verdicts.includes('failed') || problems.length > tests.flatMap(([, one]) => one.problems).length;
  const verdict = hasFailed ? 'failed' : verdicts.includes('unknown') ? 'unknown' : 'passed';
  return {
    run,
    verdict,
    startedAt,
    endedAt,
    tests: Object.fromEntries(tests),
    limits,
    memoryErrors,
    drives: Object.fromEntries(drives),
    problems,
  };
}

function resultOf(test: BurnInTest, { reports, errors }: FinishedBurnIn): TestResult {
  const result = testResult(test, reports.get(test) ?? '');
  const error = errors[test];
  if (result.startedAt !== null || error === undefined) return result;
  return { ...result, problems: [error] };
}

const notCounted: ExaminedMachine['memoryErrors'] = { corrected: null, uncorrected: null, exceptions: null };

/** Counters of another boot begin anew. */
function newMemoryErrors(before: ExaminedMachine, after: ExaminedMachine): ExaminedMachine['memoryErrors'] {
  const isSameBoot = before.boot === after.boot;
  const growthOf = (kind: keyof ExaminedMachine['memoryErrors']): number | null => {
    const now = after.memoryErrors[kind];
    return now === null ? null : Math.max(0, now - (isSameBoot ? (before.memoryErrors[kind] ?? 0) : 0));
  };
  return { corrected: growthOf('corrected'), uncorrected: growthOf('uncorrected'), exceptions: growthOf('exceptions') };
}

function memoryProblems(errors: ExaminedMachine['memoryErrors'], limits: BurnInLimits): string[] {
  const { corrected, uncorrected, exceptions } = errors;
  const over = (what: string, count: number | null, limit: number): string[] =>
    (count ?? 0) > limit ? [`found ${count} new ${what}; expected at most ${limit}`] : [];
  return [
    ...over('corrected errors of memory', corrected, limits.correctedErrors),
    ...over('uncorrected errors of memory', uncorrected, limits.uncorrectedErrors),
    ...over('machine check exceptions', exceptions, limits.uncorrectedErrors),
  ];
}

function driveRecord(now: ExaminedDrive, { drives }: ExaminedMachine): [name: string, drive: BurnInDrive] {
  const { devName, serial, model, health, identity } = now;
  const errorsBefore = drives.find((drive) => drive.identity === identity)?.errors ?? {};
  const newErrors = Object.fromEntries(
    Object.entries(now.errors).map(([kind, count]) => [kind, Math.max(0, count - (errorsBefore[kind] ?? 0))]),
  );
  return [devName, { serial, model, health, newErrors }];
}

function driveProblems(name: string, drive: BurnInDrive, { driveErrors }: BurnInLimits): string[] {
  const { serial, health, newErrors } = drive;
  const what = `drive ${name} (${serial})`;
  return [
    ...(isHealthy(drive) ? [] : [`${what}: found the health ${health}; expected PASSED`]),
    ...Object.entries(newErrors).flatMap(([kind, count]) =>
      count > driveErrors
        ? [`${what}: found ${countText(count, `new ${kind} error`)}; expected at most ${driveErrors}`]
        : [],
    ),
  ];
}

const PROBLEMS_SHOWN = 5;

/** Problems in one sentence. */
export function problemsText(problems: readonly string[]): string {
  const more = problems.length > PROBLEMS_SHOWN ? [`and ${problems.length - PROBLEMS_SHOWN} more`] : [];
  return [...problems.slice(0, PROBLEMS_SHOWN), ...more].join('; ');
}

/** undefined: it says nothing about the machine. */
export function healthAfterBurnIn({
  verdict,
  problems,
  endedAt,
  tests,
}: BurnInRecord): { state: HealthState; message: string } | undefined {
  if (verdict === 'unknown') return undefined;
  if (verdict === 'passed') return { state: 'ok', message: `passed ${Object.keys(tests).join(', ')} at ${endedAt}` };
  return { state: 'critical', message: `failed at ${endedAt}: ${problemsText(problems)}` };
}
