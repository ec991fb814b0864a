/**
 * The worker: takes lanes and runs their acts. A queue job is a **lane** of one workflow: it carries one act, and when
 * the step that ends it asks for another, that one too, so that a chain of acts needs one job and not one each.
 *
 * Owns: the acts that run in this process, with their abort signals. Relies on the row, never on the job: what to run
 * next is the open act of that lane. `act.ts` runs it. The row is read when the job comes; after that the lane's own
 * steps give it.
 *
 * 1. A lane goes on with its next act only while its lock is surely held; else the next act gets a lane of its own. An
 *    act that is under way goes on without: losing a lock says nothing of the act.
 * 2. A result that comes late (the work was closed meanwhile) is refused, and the lane ends.
 * 3. A result is told until it is saved: a store that is away loses none.
 */
import { setTimeout } from 'node:timers/promises';
import type { WorkflowMessage } from '../actors/messages.ts';
import type { Consumer, Queue } from '../queue/port.ts';
import { isQuarantined } from '../step/quarantine.ts';
import type { Work, WorkflowRow } from '../step/row.ts';
import { type ActPort, perform } from './act.ts';

export interface LaneJob {
  workflow: string;
  lane: string;
}

export interface WorkerPort extends ActPort {
  load(id: string): Promise<WorkflowRow | undefined>;
  /** Those of them that are there, in one round trip. */
  loadAll(ids: readonly string[]): Promise<WorkflowRow[]>;
  failed(workflow: string, error: unknown): void;
}

/** How often running acts are held against their rows. */
const WATCH_MS = 2_000;
const BEAT_MS = 250;
/** Longer than a beat is late on a busy machine, shorter than a queue's lock lasts. */
const STALL_MS = 2_000;
const REPORT_AGAIN_MS = 200;
const REPORT_AGAIN_MAX_MS = 5_000;

export class Worker {
  readonly #port: WorkerPort;
  readonly #running = new Map<string, AbortController>();
  #consumer: Consumer | undefined;
  #watch: NodeJS.Timeout[] = [];
  #beat = performance.now();
  #looking = false;
  #closing = false;

  constructor(port: WorkerPort) {
    this.#port = port;
  }

  start(queue: Queue<LaneJob>, concurrency: number): void {
    this.#consumer = queue.consume((job, signal) => this.#lane(job, signal), concurrency);
    this.#watch = [
      setInterval(() => void this.#look(), WATCH_MS),
      setInterval(() => {
        this.#beat = performance.now();
      }, BEAT_MS),
    ];
  }

  /** A word to abort may get lost between processes; the row does not. */
  async #look(): Promise<void> {
    const keys = [...this.#running].filter(([, { signal }]) => !signal.aborted).map(([key]) => key.split('/'));
    if (this.#looking || keys.length === 0) return;
    this.#looking = true;
    try {
      const found = await this.#port.loadAll([...new Set(keys.map(([workflow]) => workflow as string))]);
      const rows = new Map(found.map((row) => [row.id, row]));
      for (const [workflow, work] of keys as [string, string][]) {
        const open = rows.get(workflow)?.works[work];
        if (open === undefined || open.aborting) this.abort(workflow, work);
      }
    } catch (error) {
      this.#port.failed('watch', error);
    } finally {
      this.#looking = false;
    }
  }

  /** The process stood still for so long that others may have taken its lanes. */
  #stalled(): boolean {
    return performance.now() - this.#beat > STALL_MS;
  }

  /** @returns whether the act runs here: it was told to abort, and will report its end */
  abort(workflow: string, work: string): boolean {
    const running = this.#running.get(`${workflow}/${work}`);
    running?.abort(new Error('the call was cancelled'));
    return running !== undefined;
  }

  runs(workflow: string, work: string): boolean {
    return this.#running.has(`${workflow}/${work}`);
  }

  get running(): number {
    return this.#running.size;
  }

  async #lane({ workflow, lane }: LaneJob, signal: AbortSignal): Promise<void> {
    let row = await this.#port.load(workflow);
    while (row !== undefined && !isQuarantined(row) && !this.#closing && !signal.aborted) {
      const work = Object.values(row.works).find((open) => open.lane === lane);
      if (work === undefined || this.runs(workflow, work.id)) return;
      row = await this.#run(row, work, signal);
    }
  }

  /** @returns the row with which the lane may go on: the result was taken */
  async #run(row: WorkflowRow, work: Work, signal: AbortSignal): Promise<WorkflowRow | undefined> {
    const key = `${row.id}/${work.id}`;
    const abort = new AbortController();
    this.#running.set(key, abort);
    try {
      const report = await perform(this.#port, row, work, abort.signal);
      if (report === undefined || (this.#closing && abort.signal.aborted)) return undefined;
      const lane = signal.aborted || this.#stalled() ? {} : { lane: work.lane as string };
      return await this.#report(row.id, { ...report, work: work.id, ...lane });
    } finally {
      this.#running.delete(key);
    }
  }

  /** A result is not given up because a store is away: it is told again until it is saved, or the daemon stops. */
  async #report(id: string, message: WorkflowMessage): Promise<WorkflowRow | undefined> {
    for (let waitMs = REPORT_AGAIN_MS; ; waitMs = Math.min(waitMs * 2, REPORT_AGAIN_MAX_MS)) {
      try {
        const told = await this.#port.tell.workflow(id, message);
        return told?.changed ? told.row : undefined;
      } catch (error) {
        this.#port.failed(id, error);
        if (this.#closing) return undefined;
        await setTimeout(waitMs, undefined, { ref: false });
      }
    }
  }

  /**
   * Takes no more lanes and lets the acts in hand end.
   * @param patienceMs after it, acts are told to abort and left: an idempotent one runs again at the next start
   */
  async close(patienceMs: number): Promise<void> {
    this.#closing = true;
    const timer = globalThis.setTimeout(() => {
      for (const running of this.#running.values()) running.abort(new Error('the daemon stops'));
    }, patienceMs);
    await this.#consumer?.close();
    clearTimeout(timer);
    for (const timer of this.#watch) clearInterval(timer);
  }
}
