/**
 * The dispatcher of schedules: takes their steps when times are due. A repeated job of each schedule comes at its next due time,
 * to any process; the holder of a lease looks every two seconds for what is left.
 *
 * 1. The row says what is due; jobs only bring the step about in time. A lost job is replaced by the pass, and one that is early or
 *    repeated changes nothing.
 * 2. The effects of the last step run before the next one.
 * 3. A step is saved by compare-and-set, then its effects run. If the process dies before the save, the times are still due; if it
 *    dies after it, the next pass of any process runs the effects again, and what was started is there already
 *    (`schedule-effects.ts`). Of two steps on one version one is saved: no due time is decided twice.
 */
import type { ScheduleRun } from '../../api-port/schedules.ts';
import type { Cluster } from '../../platform/cluster/cluster.ts';
import { isoOf, now } from '../../platform/lib/clock.ts';
import type { Reconciler } from '../../platform/lib/reconciler.ts';
import type { Consumer, Queue } from '../../platform/queue/port.ts';
import { pages } from '../../platform/store/pages.ts';
import type { Collection } from '../../platform/store/port.ts';
import { HOUR_MS, MINUTE_MS } from '../../vocabulary/units.ts';
import { RunningSchedules, type ScheduleEffectsScope } from './schedule-effects.ts';
import { stepSchedule } from './schedule-step.ts';
import { hasEffects, noEffects, type StoredSchedule } from './stored-schedule.ts';

interface ScheduleJob {
  schedule: string;
}

export interface ScheduleDispatcherScope extends ScheduleEffectsScope {
  schedules: Collection<StoredSchedule>;
  jobs: Queue<ScheduleJob>;
  cluster: Pick<Cluster, 'reconciler'>;
  /** Whether what the run started has not ended. */
  isActive(run: ScheduleRun): Promise<boolean>;
  failed(error: unknown): void;
}

const LOOK_INTERVAL_MS = 2_000;
/** Lost jobs are replaced this often; the pass does their work until then. */
const RESTORE_INTERVAL_MS = MINUTE_MS;
/** The interval of a job whose first time is the due time: it gets a new time then. */
const JOB_INTERVAL_MS = HOUR_MS;
const STEPS_PER_TURN = 20;
const CONCURRENT_SCHEDULES = 20;

export class ScheduleDispatcher {
  readonly #port: ScheduleDispatcherScope;
  readonly #effects: RunningSchedules;
  readonly #reconciler: Reconciler;
  #consumer: Consumer | undefined;
  /** Undefined until the engine has started. */
  #since: number | undefined;
  #restoredAt = 0;

  constructor(port: ScheduleDispatcherScope) {
    this.#port = port;
    this.#effects = new RunningSchedules(port);
    this.#reconciler = port.cluster.reconciler({
      name: 'schedules',
      everyMs: LOOK_INTERVAL_MS,
      pass: ({ goesOn }) => this.#pass(goesOn),
      failed: port.failed,
    });
  }

  start(): void {
    this.#since = now();
    this.#consumer = this.#port.jobs.consume(({ schedule }) => this.#runJob(schedule), CONCURRENT_SCHEDULES);
    this.#reconciler.start();
  }

  async close(): Promise<void> {
    await this.#consumer?.close();
    await this.#reconciler.close();
  }

  async #pass(goesOn: () => Promise<boolean>): Promise<void> {
    for await (const { id } of pages(this.#port.schedules, { lookAt: { $lte: isoOf(now()) } })) {
      if (!(await goesOn())) return;
      // The failure of one schedule does not keep the others from their steps.
      await this.dispatch(id).catch(this.#port.failed);
    }
    if (now() - this.#restoredAt >= RESTORE_INTERVAL_MS) await this.#restoreJobs(goesOn);
  }

  async #restoreJobs(goesOn: () => Promise<boolean>): Promise<void> {
    const repeated = new Set(await this.#port.jobs.repeatedJobs());
    for await (const schedule of pages(this.#port.schedules, { lookAt: { $gt: '' } })) {
      if (!(await goesOn())) return;
      if (!repeated.delete(schedule.id)) await this.setJob(schedule);
    }
    for (const id of repeated) await this.#port.jobs.unrepeat(id);
    this.#restoredAt = now();
  }

  /** The job may come a moment before the time, which then is not due yet. */
  async #runJob(id: string): Promise<void> {
    const { schedule } = await this.#takeSteps(id);
    if (schedule === undefined) await this.#port.jobs.unrepeat(id);
    else await this.setJob(schedule);
  }

  /** Takes the steps of a schedule that are possible now, and has its job come at its next due time. */
  async dispatch(id: string): Promise<void> {
    const { schedule, steps } = await this.#takeSteps(id);
    if (steps > 0 && schedule !== undefined) await this.setJob(schedule);
  }

  /** @returns the schedule after them; undefined: it was removed */
  async #takeSteps(id: string): Promise<{ schedule: StoredSchedule | undefined; steps: number }> {
    for (let steps = 0; ; steps += 1) {
      const schedule = await this.#port.schedules.get(id);
      const next = schedule && steps < STEPS_PER_TURN ? await this.#step(schedule) : undefined;
      if (next === undefined) return { schedule, steps };
      // After a concurrent change the effects run again, and the next step is based on that.
      await this.#port.schedules.replace([next]);
    }
  }

  /** @returns undefined if nothing changes */
  async #step(stored: StoredSchedule): Promise<StoredSchedule | undefined> {
    if (this.#since === undefined) return undefined;
    const started = await this.#effects.run(stored);
    const hadEffects = hasEffects(stored.effects);
    const schedule: StoredSchedule = {
      ...stored,
      effects: noEffects(),
      ...(started !== undefined && { current: started.status === 'started' ? started : null }),
      last: newestOf([stored.last, ...stored.effects.runs, started ?? null]),
    };
    const { nextAt, queue, current } = schedule;
    const at = now();
    const isDue = nextAt !== null && Date.parse(nextAt) <= at;
    if (!hadEffects && !isDue && queue.length === 0) return undefined;
    const isActive = current !== null && (await this.#port.isActive(current));
    const stepped = stepSchedule(schedule, { at, since: this.#since, isActive });
    if (!hadEffects && !isDue && !hasEffects(stepped.effects)) return undefined;
    return { ...schedule, ...stepped, version: stored.version + 1 };
  }

  /** A repeated job keeps its times until it is removed. */
  async setJob({ id, nextAt }: StoredSchedule): Promise<void> {
    await this.#port.jobs.unrepeat(id);
    if (nextAt === null) return;
    await this.#port.jobs.repeat(id, { schedule: id }, JOB_INTERVAL_MS, Math.max(0, Date.parse(nextAt) - now()));
  }
}

/** A run that was started from the queue is as new as its due time. */
function newestOf(runs: readonly (ScheduleRun | null)[]): ScheduleRun | null {
  const decided = runs.filter((run) => run !== null && run.status !== 'queued') as ScheduleRun[];
  return decided.reduce<ScheduleRun | null>((newest, run) => (newest && newest.at > run.at ? newest : run), null);
}
