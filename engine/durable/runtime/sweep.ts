/**
 * The sweep: finds orphaned work and resumes it. It runs the pending effects of dead processes, re-creates lost jobs,
 * and schedules distant timers.
 *
 * 1. The effects of a `pending` row that was not written for a while run again; its open activities get their jobs
 *    again (an existing job stays unchanged).
 * 2. A timer that is due within the horizon gets a delayed job; an overdue one gets a job immediately. If that job has
 *    still not run a while later, the sweep resumes the workflow directly: delayed jobs use the machine's clock, and
 *    are late if it was set back.
 * 3. Of several processes, the lease holder sweeps for all (`platform/lib/reconciler.ts`). A process that finds another one silent
 *    sweeps immediately.
 * 4. A pass has one page of rows in memory at a time, whatever their number.
 * 5. Quarantined workflows are skipped; one that may have crashed the previous instance is resumed last.
 */
import { now } from '../../platform/lib/clock.ts';
import type { RecentValues } from '../../platform/lib/recent-values.ts';
import type { Reconciler } from '../../platform/lib/reconciler.ts';
import { inGroups } from '../../platform/store/pages.ts';
import type { NodeRow } from '../step/node.ts';
import { openActivities } from '../step/operations.ts';
import { isQuarantined } from '../step/quarantined.ts';
import type { WorkflowRow } from '../step/row.ts';
import { HORIZON_MS } from '../step/workflow.ts';
import type { ActivityQueue } from './activity-queue.ts';
import type { EffectRunner } from './effect-runner.ts';
import type { Effects } from './effects.ts';
import type { Quarantine } from './quarantine.ts';
import type { RuntimePort } from './runtime-port.ts';
import type { Sender } from './sender.ts';
import type { Worker } from './worker.ts';

/** The modules of the runtime that resume work. */
interface Resuming {
  send: Sender;
  effects: Effects;
  activities: Pick<ActivityQueue, 'addAgain'>;
  workflowEffects: EffectRunner<WorkflowRow>;
  nodeEffects: EffectRunner<NodeRow>;
  worker: Worker;
  quarantine: Quarantine;
  /** ms from a message to its saved step. */
  stepMs: RecentValues;
}

/** Interval of the sweep. */
const SWEEP_INTERVAL_MS = 2_000;
/** Number of passes between two sweeps of timers: well within the horizon, so that none is missed. */
const TIMER_ROUNDS = 8;
/** A timer job takes milliseconds, or longer on a busy queue. */
const LATE_MS = 2_000;
/** An idle row is tidied within a second; one that is not tidied by then needs the sweep. */
const MIN_IDLE_MS = 3_000;
/** On a busy machine: that many times what most steps take. */
const IDLE_STEPS = 10;
/** After a process has died, only rows that another process is just writing are skipped. */
const HASTE_MS = 500;
const ROWS_CONCURRENCY = 50;

/** A process was found silent by all others; or dead, which no other process may know. */
type Reason = 'silence' | 'death';

export class Sweep {
  readonly #port: Pick<RuntimePort, 'records' | 'publisher' | 'failed'>;
  readonly #runtime: Resuming;
  readonly #reconciler: Reconciler<Reason>;
  #round = 0;

  constructor(port: RuntimePort, runtime: Resuming) {
    this.#port = port;
    this.#runtime = runtime;
    this.#reconciler = port.cluster.reconciler<Reason>({
      name: 'sweep',
      everyMs: SWEEP_INTERVAL_MS,
      firstMs: SWEEP_INTERVAL_MS,
      everywhere: ['death'],
      pass: ({ requests }) => this.#run(requests.size > 0 ? HASTE_MS : this.#minIdleMs()),
      failed: (error) => port.failed('sweep', error),
    });
  }

  #minIdleMs(): number {
    return Math.max(MIN_IDLE_MS, Math.ceil(IDLE_STEPS * this.#runtime.stepMs.quantile(0.95)));
  }

  /** @param singleNode single-node mode: all pending records were left by the previous instance */
  async start(singleNode: boolean): Promise<void> {
    await this.#run(singleNode ? 0 : MIN_IDLE_MS);
    this.#reconciler.start();
  }

  /** After a process became silent, which all others detect at the same time. */
  soon(): void {
    void this.#reconciler.request('silence');
  }

  /** After the death of a process that no other process may know of yet. */
  now(): void {
    void this.#reconciler.request('death');
  }

  async #run(minAgeMs: number): Promise<void> {
    await this.#nodes(minAgeMs);
    await this.#workflows(minAgeMs);
    await this.#safely(() => this.#port.publisher.sweep(minAgeMs));
    if (this.#round % TIMER_ROUNDS === 0) await this.#timers();
    else await this.#runLateTimers();
    this.#round += 1;
  }

  async #nodes(minAgeMs: number): Promise<void> {
    await inGroups(this.#port.records.liveNodes.leftRows(minAgeMs), ROWS_CONCURRENCY, (row) =>
      this.#safely(() => this.#runtime.nodeEffects.retry(row)),
    );
  }

  async #workflows(minAgeMs: number): Promise<void> {
    const last: WorkflowRow[] = [];
    await inGroups(this.#port.records.liveWorkflows.leftRows(minAgeMs), ROWS_CONCURRENCY, async (row) => {
      if (this.#runtime.quarantine.isSuspect(row.id)) last.push(row);
      else await this.#safely(() => this.#resume(row));
    });
    for (const row of last) await this.#safely(() => this.#resume(row));
  }

  async #resume(row: WorkflowRow): Promise<void> {
    await this.#runtime.workflowEffects.retry(row);
    if (isQuarantined(row)) return;
    for (const operation of openActivities(row)) {
      if (!this.#runtime.worker.runs(row.id, operation.id))
        await this.#runtime.activities.addAgain({ workflow: row.id, chain: operation.chain });
    }
  }

  async #timers(): Promise<void> {
    const near = this.#port.records.liveWorkflows.dueRows(now() + HORIZON_MS);
    await inGroups(near, ROWS_CONCURRENCY, (row) => this.#safely(() => this.#arm(row)));
  }

  async #arm(row: WorkflowRow): Promise<void> {
    for (const { at } of Object.values(row.timers)) {
      if (at <= now() + HORIZON_MS) await this.#runtime.effects.timer(row.id, at);
    }
  }

  async #runLateTimers(): Promise<void> {
    const late = now() - LATE_MS;
    const isLate = (row: WorkflowRow) => Object.values(row.timers).some(({ at }) => at <= late);
    await inGroups(this.#port.records.liveWorkflows.dueRows(late), ROWS_CONCURRENCY, async (row) => {
      if (isLate(row)) await this.#safely(() => this.#runtime.send.timer(row.id));
    });
  }

  async #safely(run: () => Promise<void>): Promise<void> {
    try {
      await run();
    } catch (error) {
      this.#port.failed('sweep', error);
    }
  }

  async close(): Promise<void> {
    await this.#reconciler.close();
  }
}
