/**
 * The worker: runs the activities of workflows. An **activity chain** (`chain`) of one workflow runs one activity and, if
 * the step that ends it requests another, that one too, so that a sequence of activities is started once
 * (`activity-queue.ts`).
 *
 * Owns the activities that run in this process, with their abort signals. Relies on the row, never on the job: the next
 * activity is the open activity of the chain. `activity.ts` runs it. The row of a new chain is the one that this process
 * has just saved; that of a job is read. Later rows come from the chain's own steps.
 *
 * 1. A chain continues with its next activity only while its lock is definitely held; otherwise the next activity gets
 *    a new chain. A running activity continues: a lost lock does not affect it.
 * 2. A late result (the operation was closed in the meantime) is rejected, and the chain ends.
 * 3. A result is reported until it is saved: an unavailable store loses none.
 */
import { setTimeout } from 'node:timers/promises';
import { intervalWhile, Reconciler } from '../../platform/lib/reconciler.ts';
import type { WorkflowMessage } from '../actors/messages.ts';
import { openActivities } from '../step/operations.ts';
import { isQuarantined } from '../step/quarantined.ts';
import type { ActivityOperation, WorkflowRow } from '../step/row.ts';
import type { ActivityRunner } from './activity.ts';
import type { ActivityQueue, ChainJob } from './activity-queue.ts';
import type { Rows } from './rows.ts';
import type { Sender } from './sender.ts';

/** How often running activities are compared with their rows. */
const WATCH_MS = 2_000;
const BEAT_MS = 250;
/** Longer than the delay of a beat on a busy machine, shorter than the lock of a queue job. */
const MAX_BEAT_DELAY_MS = 2_000;
const REPORT_AGAIN_MS = 200;
const REPORT_AGAIN_MAX_MS = 5_000;

/** @param key `workflow/operation` */
function placeOf(key: string): { workflow: string; operation: string } {
  const [workflow = '', operation = ''] = key.split('/');
  return { workflow, operation };
}

const nextOf = (row: WorkflowRow, chain: string): ActivityOperation | undefined =>
  openActivities(row).find((open) => open.chain === chain);

export class Worker {
  readonly #rows: Rows<WorkflowRow>;
  readonly #send: Sender;
  readonly #activities: ActivityRunner;
  readonly #failed: (workflow: string, error: unknown) => void;
  readonly #running = new Map<string, AbortController>();
  readonly #queue: ActivityQueue;
  readonly #watch: Reconciler;
  #beating: NodeJS.Timeout | undefined;
  #beat = performance.now();
  #chains = 0;
  #closing = false;

  constructor(
    rows: Rows<WorkflowRow>,
    send: Sender,
    activities: ActivityRunner,
    queue: ActivityQueue,
    failed: (workflow: string, error: unknown) => void,
  ) {
    this.#rows = rows;
    this.#send = send;
    this.#activities = activities;
    this.#queue = queue;
    this.#failed = failed;
    this.#watch = new Reconciler({
      name: 'aborts',
      everyMs: intervalWhile(() => this.#running.size > 0, WATCH_MS),
      firstMs: WATCH_MS,
      pass: () => this.#look(),
      failed: (error) => failed('watch', error),
    });
  }

  async start(concurrency: number): Promise<void> {
    await this.#queue.consume((job, signal, isNew) => this.#chain(job, signal, isNew), concurrency);
    this.#watch.start();
  }

  /** Abort messages between processes may be lost; the rows are not. */
  async #look(): Promise<void> {
    const running = [...this.#running].filter(([, { signal }]) => !signal.aborted).map(([key]) => placeOf(key));
    if (running.length === 0) return;
    const found = await this.#rows.loadAll([...new Set(running.map(({ workflow }) => workflow))]);
    const rows = new Map(found.map((row) => [row.id, row]));
    for (const { workflow, operation } of running) {
      const row = rows.get(workflow);
      const open = row?.operations[operation];
      if (open === undefined && row !== undefined && this.#rows.isBehind(row)) continue;
      if (open === undefined || open.aborting) this.abort(workflow, operation);
    }
  }

  /** Whether the process was blocked for so long that others may have taken over its chains. */
  #isStalled(): boolean {
    return performance.now() - this.#beat > MAX_BEAT_DELAY_MS;
  }

  /** @returns whether the activity runs here: it is aborted, and reports its own end */
  abort(workflow: string, operation: string): boolean {
    const running = this.#running.get(`${workflow}/${operation}`);
    running?.abort(new Error('the task run was cancelled'));
    return running !== undefined;
  }

  runs(workflow: string, operation: string): boolean {
    return this.#running.has(`${workflow}/${operation}`);
  }

  get runningCount(): number {
    return this.#running.size;
  }

  async #chain(job: ChainJob, signal: AbortSignal, isNew: boolean): Promise<void> {
    this.#chainBegins();
    try {
      await this.#runChain(job, signal, isNew);
    } finally {
      this.#chainEnds();
    }
  }

  /** Beats while chains run: an idle process has none that others may take over. */
  #chainBegins(): void {
    this.#chains += 1;
    if (this.#beating !== undefined) return;
    this.#beat = performance.now();
    this.#beating = setInterval(() => {
      this.#beat = performance.now();
    }, BEAT_MS);
  }

  #chainEnds(): void {
    this.#chains -= 1;
    if (this.#chains > 0) return;
    clearInterval(this.#beating);
    this.#beating = undefined;
  }

  async #runChain({ workflow, chain }: ChainJob, signal: AbortSignal, isNew: boolean): Promise<void> {
    let row = await (isNew ? this.#rows.seenRow(workflow) : this.#rows.load(workflow));
    if (isNew && row !== undefined && nextOf(row, chain) === undefined) row = await this.#rows.load(workflow);
    while (row !== undefined && !isQuarantined(row) && !this.#closing && !signal.aborted) {
      const operation = nextOf(row, chain);
      if (operation === undefined || this.runs(workflow, operation.id)) return;
      row = await this.#run(row, operation, signal);
    }
  }

  /** @returns the row for the next activity of the chain, if the result was accepted */
  async #run(row: WorkflowRow, operation: ActivityOperation, signal: AbortSignal): Promise<WorkflowRow | undefined> {
    const key = `${row.id}/${operation.id}`;
    const abort = new AbortController();
    this.#running.set(key, abort);
    this.#watch.shortenWait();
    try {
      const report = await this.#activities.perform(row, operation, abort.signal);
      if (report === undefined || (this.#closing && abort.signal.aborted)) return undefined;
      const chain = signal.aborted || this.#isStalled() ? {} : { chain: operation.chain };
      return await this.#report(row.id, { ...report, operation: operation.id, ...chain });
    } finally {
      this.#running.delete(key);
    }
  }

  /** Repeats a report while the store is unavailable, until it is saved or the daemon stops. */
  async #report(id: string, message: WorkflowMessage): Promise<WorkflowRow | undefined> {
    for (let waitMs = REPORT_AGAIN_MS; ; waitMs = Math.min(waitMs * 2, REPORT_AGAIN_MAX_MS)) {
      try {
        const outcome = await this.#send.workflow(id, message);
        return outcome?.changed ? outcome.row : undefined;
      } catch (error) {
        this.#failed(id, error);
        if (this.#closing) return undefined;
        await setTimeout(waitMs, undefined, { ref: false });
      }
    }
  }

  /**
   * Accepts no more jobs and waits for the running activities.
   * @param timeoutMs timeout; then activities are aborted and abandoned: an idempotent one runs again at the next start
   */
  async close(timeoutMs: number): Promise<void> {
    this.#closing = true;
    const timer = globalThis.setTimeout(() => {
      for (const running of this.#running.values()) running.abort(new Error('the daemon is stopping'));
    }, timeoutMs);
    await this.#queue.close();
    clearTimeout(timer);
    // An abandoned activity has not ended its chain.
    clearInterval(this.#beating);
    await this.#watch.close();
  }
}
