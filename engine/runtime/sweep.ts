/**
 * The sweep: finds what nobody is seeing to, and sees to it. It is how a dead process's steps are carried out, how a
 * lost job comes back, and how far timers come near.
 *
 * 1. A row that is `pending` and was not written for a while is carried out again; its open acts get their jobs again
 *    (a job that is still there is left alone).
 * 2. A timer that comes due within the horizon gets its delayed job; one that is over gets it at once. Should nobody
 *    have heard of it a while later, its workflow is woken from here: a delayed job waits by the machine's clock, and is
 *    late by as much as that was set back.
 * 3. Of several processes one sweeps for all. Who learns that another is dead sweeps at once.
 * 4. A pass holds a page of rows at a time, whatever their number.
 * 5. Quarantined workflows are left alone; one that the process before this one may have died of is resumed last.
 */

import type { Duties } from '../peers/duties.ts';
import type { NodeRow } from '../step/node.ts';
import { isQuarantined } from '../step/quarantine.ts';
import type { Work, WorkflowRow } from '../step/row.ts';
import { HORIZON_MS } from '../step/workflow.ts';
import type { Collection } from '../store/port.ts';
import type { Carrier } from './carrier.ts';
import { now } from './clock.ts';
import type { Effects } from './effects.ts';
import { inGroups, pages } from './pages.ts';

export interface SweepPort {
  workflows: Collection<WorkflowRow>;
  nodes: Collection<NodeRow>;
  workflowCarrier: Carrier<WorkflowRow>;
  nodeCarrier: Carrier<NodeRow>;
  effects: Effects;
  duties: Duties;
  wake(workflow: string): Promise<void>;
  /** At the start it is resumed after all others. */
  comesLast(workflow: string): boolean;
  runsHere(workflow: string, work: string): boolean;
  /** What others than rows keep until somebody sees to it. @param quietMs it was saved so long ago; 0: this process is alone */
  besides(quietMs: number): Promise<void>;
  failed(what: string, error: unknown): void;
}

/** What another process left is taken up soon. */
const EVERY_MS = 2_000;
/** Timers every so many rounds: well under the horizon, so that none comes due unseen. */
const TIMER_ROUNDS = 8;
/** A wake-up takes milliseconds; a queue that has much to do, longer. */
const LATE_MS = 2_000;
/** A row at rest is tidied within two seconds; one that was not is in trouble. */
const QUIET_MS = 3_000;
/** When a process is known to be dead, only what others write at this moment is left to them. */
const HASTE_MS = 500;
/** Further ahead than the clocks of machines differ: written before the clock was set back, not just now. */
export const AHEAD_MS = 60_000;
const AT_ONCE = 50;

export const openActs = (row: WorkflowRow): Work[] => Object.values(row.works).filter((work) => work.kind === 'act');

export class Sweep {
  readonly #port: SweepPort;
  #timer: NodeJS.Timeout | undefined;
  #round = 0;
  #pass: Promise<void> = Promise.resolve();

  constructor(port: SweepPort) {
    this.#port = port;
  }

  /** @param alone this process is the only one: whatever is pending was left by a process that is gone */
  async start(alone: boolean): Promise<void> {
    await this.#run(alone ? 0 : QUIET_MS);
    this.#timer = setInterval(() => this.#next(() => this.#onDuty(QUIET_MS)), EVERY_MS);
  }

  /** After a process was found silent, which all others find at the same time. */
  soon(): void {
    this.#next(() => this.#onDuty(HASTE_MS));
  }

  /** After a process died of which nobody else may know yet. */
  now(): void {
    this.#next(() => this.#run(HASTE_MS));
  }

  #next(run: () => Promise<void>): void {
    this.#pass = this.#pass.then(() => this.#safely(run));
  }

  async #onDuty(quietMs: number): Promise<void> {
    if (await this.#port.duties.take('sweep')) await this.#run(quietMs);
  }

  async #run(quietMs: number): Promise<void> {
    const left = { pending: true, ...(quietMs > 0 && quiet(quietMs)) };
    await this.#nodes(left);
    await this.#workflows(left);
    await this.#safely(() => this.#port.besides(quietMs));
    if (this.#round % TIMER_ROUNDS === 0) await this.#timers();
    else await this.#late();
    this.#round += 1;
  }

  async #nodes(filter: Record<string, unknown>): Promise<void> {
    await inGroups(pages(this.#port.nodes, filter), AT_ONCE, (row) =>
      this.#safely(() => this.#port.nodeCarrier.retry(row)),
    );
  }

  async #workflows(filter: Record<string, unknown>): Promise<void> {
    const last: WorkflowRow[] = [];
    await inGroups(pages(this.#port.workflows, filter), AT_ONCE, async (row) => {
      if (this.#port.comesLast(row.id)) last.push(row);
      else await this.#safely(() => this.#resume(row));
    });
    for (const row of last) await this.#safely(() => this.#resume(row));
  }

  async #resume(row: WorkflowRow): Promise<void> {
    await this.#port.workflowCarrier.retry(row);
    if (isQuarantined(row)) return;
    for (const work of openActs(row)) {
      if (!this.#port.runsHere(row.id, work.id)) await this.#port.effects.lane(row.id, work.lane as string);
    }
  }

  async #timers(): Promise<void> {
    const near = { wakeAt: { $lte: now() + HORIZON_MS } };
    await inGroups(pages(this.#port.workflows, near), AT_ONCE, (row) => this.#safely(() => this.#arm(row)));
  }

  async #arm(row: WorkflowRow): Promise<void> {
    for (const { at } of Object.values(row.timers)) {
      if (at <= now() + HORIZON_MS) await this.#port.effects.wake(row.id, at);
    }
  }

  async #late(): Promise<void> {
    const late = now() - LATE_MS;
    const isLate = (row: WorkflowRow) => Object.values(row.timers).some(({ at }) => at <= late);
    await inGroups(pages(this.#port.workflows, { wakeAt: { $lte: late } }), AT_ONCE, async (row) => {
      if (isLate(row)) await this.#safely(() => this.#port.wake(row.id));
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
    clearInterval(this.#timer);
    await this.#pass;
  }
}

const quiet = (ms: number) => {
  const at = (offset: number) => new Date(now() + offset).toISOString();
  return { $or: [{ updatedAt: { $lte: at(-ms) } }, { updatedAt: { $gt: at(AHEAD_MS) } }] };
};
