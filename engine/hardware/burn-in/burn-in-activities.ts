/** The activities of a burn-in besides its commands. Each may run again after a crash: none touches the machine. */
import { type ActivityScope, activity, type CommandResult, PermanentError } from '../../define/index.ts';
import type { Activity } from '../../define/operation.ts';
import { objectIn } from '../../vocabulary/json.ts';
import type { EndedJob } from '../jobs/job-machine.ts';
import type { BurnInJob } from './burn-in-commands.ts';
import { type BurnInRecord, burnInRecord, healthAfterBurnIn, problemsText } from './burn-in-record.ts';
import { type BurnInLimits, type BurnInTest, burnInLimits, MAX_DRIVES, programs } from './burn-in-tests.ts';
import { type ExaminedDrive, type ExaminedMachine, examinedMachine, noFacts } from './examined-machine.ts';
import { reportsIn, type TestResult, testResult } from './test-results.ts';

/** The facts of the first look, for the tests and the conclusion. */
export interface BurnInPlan {
  /** The name of the burn-in: the id of its workflow. */
  run: string;
  startedAt: string;
  tests: BurnInTest[];
  limits: BurnInLimits;
  /** Serial numbers of the drives that are looked at; empty: all. */
  serials: string[];
  before: ExaminedMachine;
}

const noPlan: BurnInPlan = { run: '', startedAt: '', tests: [], limits: burnInLimits, serials: [], before: noFacts };

/** Returns the plan that a graph gave its task; without one an empty plan. */
export const planIn = (given: unknown): BurnInPlan => ({ ...noPlan, ...objectIn(given) });

/** Facts of another workflow are of another boot: a retry takes over what was prepared before. */
function ownPlan(given: unknown, operationId: string): BurnInPlan {
  const plan = planIn(given);
  if (plan.run === '') throw rejectionOf(['the facts before the test are missing; Task.BurnIn.Prepare makes them']);
  if (plan.run !== workflowOf(operationId))
    throw rejectionOf(['the facts before the test are those of another workflow; launch the graph again']);
  return plan;
}

const workflowOf = (operationId: string): string => operationId.split('/')[0] ?? '';

const rejectionOf = (reasons: readonly string[]): PermanentError =>
  new PermanentError(`nothing was tested: ${reasons.join('; ')}`, 'BURN_IN_REJECTED');

interface PreparedLook {
  tests: BurnInTest[];
  limits: BurnInLimits;
  /** Serial numbers of the drives that were looked at; empty: all. */
  serials: string[];
  /** Serial numbers of drives to write on. */
  written: string[];
  result: CommandResult;
}

export const prepareBurnIn = activity(
  async ({ input, operationId }: ActivityScope<PreparedLook>): Promise<BurnInPlan> => {
    const { tests, limits, serials, written, result } = input;
    const before = examinedMachine(result.stdout);
    const reasons = [
      ...(before.boot === '' ? ['the node reports no boot id'] : []),
      ...missingTools(tests, before),
      ...driveProblems(tests, [...new Set([...serials, ...written])], before),
      ...written.flatMap((serial) => usedReasons(before.drives.find((drive) => drive.serial === serial))),
    ];
    if (reasons.length > 0) throw rejectionOf(reasons);
    return { run: workflowOf(operationId), startedAt: new Date().toISOString(), tests, limits, serials, before };
  },
);

function missingTools(tests: readonly BurnInTest[], { tools }: ExaminedMachine): string[] {
  return tests.flatMap((test) =>
    tools[programs[test]] === undefined
      ? [`the test of ${test} needs ${programs[test]}, which the booted system lacks`]
      : [],
  );
}

function driveProblems(
  tests: readonly BurnInTest[],
  serials: readonly string[],
  { drives }: ExaminedMachine,
): string[] {
  const strange = serials.flatMap((serial) => {
    const { length } = drives.filter((drive) => drive.serial === serial);
    return length === 1 ? [] : [`found ${length} drives with the serial number ${serial}; expected one`];
  });
  if (strange.length > 0 || !tests.includes('disk')) return strange;
  if (drives.length === 0) return ['the node has no drive to read; leave out the test of disk'];
  return drives.length > MAX_DRIVES
    ? [`found ${drives.length} drives; expected at most ${MAX_DRIVES}; name those to test by prepare.drives`]
    : [];
}

const usedReasons = (drive: ExaminedDrive | undefined): string[] =>
  drive === undefined || drive.usedBy.trim() === ''
    ? []
    : [`${drive.devName} (${drive.serial}) is in use (${drive.usedBy.trim()}); expected a drive that nothing uses`];

export interface TestOptions {
  durationSec: number;
  plan?: unknown;
}

/** Returns the values that the job of a test needs besides those of all. @throws PermanentError */
export type WantedValues<Options> = (options: Options, plan: BurnInPlan) => Record<string, string>;

export const plannedTest = <Options extends TestOptions>(
  test: BurnInTest,
  valuesOf: WantedValues<Options>,
): Activity<Options, BurnInJob> =>
  activity(async ({ input, nodeId, operationId }: ActivityScope<Options>): Promise<BurnInJob> => {
    if (nodeId === null) throw new PermanentError('a workflow without a node has nothing to test', 'NO_NODE');
    const plan = ownPlan(input.plan, operationId);
    const { cpuCelsius, driveCelsius } = plan.limits;
    return {
      run: plan.run,
      test,
      wanted: {
        boot_before: plan.before.boot,
        seconds: `${input.durationSec}`,
        floor: '0',
        cpu_limit: `${cpuCelsius}`,
        drive_limit: `${driveCelsius}`,
        ...valuesOf(input, plan),
      },
    };
  });

/** Values of a test of these drives. */
export function driveValues(drives: readonly ExaminedDrive[]): Record<string, string> {
  return {
    drives: drives.map(({ devName }) => devName).join(' '),
    identities: drives.map(({ devName, identity }) => `${devName}=${identity}`).join(' '),
  };
}

export const concludeTest = activity(
  async ({ input: { plan, result } }: ActivityScope<EndedJob<BurnInJob>>): Promise<TestResult> => {
    const outcome = testResult(plan.test, result.stdout);
    if (outcome.verdict === 'passed') return outcome;
    const code = outcome.verdict === 'failed' ? 'BURN_IN_FAILED' : 'BURN_IN_INCOMPLETE';
    throw new PermanentError(`${plan.test}: ${problemsText(outcome.problems)}`, code);
  },
);

interface Conclusion {
  plan: unknown;
  /** Messages of the tests that did not pass. */
  errors: Partial<Record<BurnInTest, string>>;
  /** The output of `burnInCollect`; null: the agent did not answer. */
  result: CommandResult | null;
}

/** Adds the catalog, then reports the health. A repeat adds no second catalog, and reports the same. */
export const concludeBurnIn = activity(
  async ({ input, nodeId, operationId, services }: ActivityScope<Conclusion>): Promise<BurnInRecord> => {
    if (nodeId === null) throw new PermanentError('a workflow without a node has nothing to conclude', 'NO_NODE');
    const plan = ownPlan(input.plan, operationId);
    const earlier = objectIn(await services.catalog(nodeId, 'burn-in'));
    const record = earlier.run === plan.run ? (earlier as unknown as BurnInRecord) : recordOf(plan, input);
    if (earlier.run !== plan.run) await services.addCatalog(nodeId, 'burn-in', record);
    const health = healthAfterBurnIn(record);
    if (health !== undefined) await services.reportHealth(nodeId, { source: 'burn-in', ...health });
    if (record.verdict === 'passed') return record;
    const code = record.verdict === 'failed' ? 'BURN_IN_FAILED' : 'BURN_IN_INCOMPLETE';
    throw new PermanentError(problemsText(record.problems), code);
  },
);

function recordOf({ run, startedAt, tests, limits, before }: BurnInPlan, { errors, result }: Conclusion): BurnInRecord {
  const [facts = ''] = (result?.stdout ?? '').split(/^== /m);
  const after = result === null ? undefined : examinedMachine(facts);
  return burnInRecord({
    run,
    startedAt,
    endedAt: new Date().toISOString(),
    tests,
    limits,
    before,
    after: after?.boot === '' ? undefined : after,
    reports: reportsIn(result?.stdout ?? ''),
    errors,
  });
}
