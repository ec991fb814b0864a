/**
 * The activities of the erase in addition to its commands: find the drives in the newest catalog, check the node's
 * report, and conclude. Each may run again after a crash.
 */
import {
  type ActivityScope,
  activity,
  type CommandResult,
  type ErrorCode,
  type InterlockEntry,
  PermanentError,
  type Violation,
} from '../../define/index.ts';
import { HOUR_MS } from '../../vocabulary/units.ts';
import { factsOf, readyOf } from './facts.ts';
import type { Job } from './job-commands.ts';
import { type EraseSetting, type PlannedDrive, planOf, planOfFound } from './plan.ts';
import { recordOf, type SanitizationRecord } from './record.ts';
import { tools } from './tools.ts';

export interface EraseOptions {
  eraseSettings: EraseSetting[];
  /** The drives that the graph found before the boot; absent: the settings are resolved now. */
  plan?: PlannedDrive[];
}

/** Returns an error that contains every reason. */
export function rejection(code: ErrorCode, violations: readonly Violation[]): PermanentError {
  const described = violations.map(({ path, message }) => `${path}: ${message}`).join('; ');
  return new PermanentError(`nothing was done to any drive: ${described}`, code);
}

export interface ErasurePlan {
  /** A unique name of this erase. */
  run: string;
  drives: PlannedDrive[];
}

export const plan = activity(
  async ({ input, nodeId, operationId, services }: ActivityScope<EraseOptions>): Promise<ErasurePlan> => {
    if (nodeId === null) throw new PermanentError('a workflow without a node has no drives', 'NO_NODE');
    const catalog = await services.catalog(nodeId, 'driveId');
    const { drives, violations } =
      input.plan === undefined ? planOf(input.eraseSettings, catalog) : planOfFound(input.plan, catalog);
    if (violations.length > 0) throw rejection('ERASE_REJECTED', violations);
    return { run: operationId.replace('/', '-'), drives };
  },
);

export interface PreparedErasure {
  boot: string;
  jobs: Job[];
}

export const prepare = activity(
  async ({
    input,
    nodeId,
    services,
  }: ActivityScope<ErasurePlan & { looked: CommandResult }>): Promise<PreparedErasure> => {
    const { run, drives, looked } = input;
    const facts = factsOf(looked.stdout);
    const { jobs, violations } = readyOf(drives, facts);
    const { boot = '', lacks = '' } = facts.get('') ?? {};
    if (boot === '') violations.push({ path: 'node', message: 'it reports no boot id' });
    if (lacks !== '') violations.push({ path: 'node', message: `the booted system lacks ${lacks}` });
    if (violations.length > 0) throw rejection('ERASE_REJECTED', violations);
    const entry = interlockOf(run, jobs);
    if (entry !== undefined && nodeId !== null) await services.interlock.engage(nodeId, entry);
    return { boot, jobs };
  },
);

/** Longer than any firmware erase of unreported duration. */
const LONG_MS = 7 * 24 * HOUR_MS;

/** Three times the reported duration, since some drives are slower than reported. */
const limitOf = ({ minutes }: Job): number => (minutes > 0 ? minutes * 3 * 60_000 + HOUR_MS : LONG_MS);

function interlockOf(run: string, jobs: readonly Job[]): InterlockEntry | undefined {
  const inFirmware = jobs.filter(({ tool }) => tools[tool].firmware);
  if (inFirmware.length === 0) return undefined;
  const names = inFirmware.map(({ devName, tool }) => `${devName} (${tool})`).join(', ');
  const until = new Date(Date.now() + Math.max(...inFirmware.map(limitOf))).toISOString();
  const reason = `The firmware is erasing drives: ${names}. A power cycle can freeze, lock or ruin a drive now.`;
  return { id: run, reason, until };
}

export interface Concluding extends ErasurePlan, PreparedErasure {
  looked: CommandResult;
  /** Output of the last watch. */
  report: string;
  /** Error from starting the jobs; '' if none. */
  trouble: string;
}

export interface ErasedDrive {
  drives: SanitizationRecord[];
}

/** After a reboot, or the death of a job, a drive may still be erasing itself; then only the time ends the interlock. */
function isFirmwareQuiet({ jobs, report }: Concluding): boolean {
  const said = factsOf(report);
  return !jobs.some(
    ({ tool }, at) => tools[tool].firmware && ['died', 'lost'].includes(said.get(`${at}`)?.state ?? ''),
  );
}

/** Stores the certificate before the task ends, also when it fails. */
export const conclude = activity(
  async ({ input, operationId, services }: ActivityScope<Concluding>): Promise<ErasedDrive> => {
    const drives = recordsOf(input);
    if (isFirmwareQuiet(input)) await services.interlock.release(input.run);
    await services.certify(operationId, drives as unknown as Record<string, unknown>[]);
    const wrong = drives.filter(({ errors }) => errors.length > 0);
    if (wrong.length === 0) return { drives };
    const code = drives.some(({ result }) => result === 'unknown') ? 'DRIVE_STATE_UNKNOWN' : 'ERASE_FAILED';
    const described = wrong.map(({ devName, errors }) => `${devName}: ${errors.join('; ')}`).join(' / ');
    throw new PermanentError(
      `${described}${input.trouble && ` (${input.trouble})`}. The certificate lists each drive`,
      code,
    );
  },
);

function recordsOf({ run, drives, jobs, looked, report }: Concluding): SanitizationRecord[] {
  const facts = factsOf(looked.stdout);
  const said = factsOf(report);
  return drives.map((drive, at) =>
    recordOf({
      drive,
      job: jobs[at] as Job,
      id: `${run}-${at}`,
      facts: facts.get(drive.devName) ?? {},
      version: facts.get(drive.tool)?.version ?? '',
      report: said.get(`${at}`) ?? {},
    }),
  );
}
