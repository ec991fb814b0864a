/**
 * The effect runner: runs the pending effects of saved steps and publishes their events.
 *
 * Owns the effects in progress. Relies on `effects.ts` to run them, and on every effect being harmless to repeat: after
 * a crash, all effects that are not recorded as done run again.
 *
 * 1. The effects of one row run in the order of its steps, and so are its events published: those of the steps that are taken
 *    while the broker confirms earlier ones go out together, so a workflow does not wait for one confirmation per step. If one
 *    of a group fails, none of it is done, and all are published again under the same ids. The two are independent: an
 *    unavailable broker blocks no workflow.
 * 2. A step is done when both are. A failed one blocks the later steps of its row until the sweep tries again.
 * 3. An idle row whose steps are all done is recorded as such (`tidy`), a moment later, many at a time.
 *
 * Called by: `sender.ts` after each saved step (`run`), `sweep.ts` (`retry`), the removal of a workflow (`settle`).
 * Calls: `effects.ts` (`performAll`), the outbox (`publish`), `rows.ts` (`done`, `tidy`). An effect that
 *   is a message calls `sender.ts`, which is why the sender gets its runners later.
 */
import { LRUCache } from 'lru-cache';
import { KeyedGroups } from '../../platform/lib/keyed-groups.ts';
import { KeyedQueues } from '../../platform/lib/keyed-queues.ts';
import type { Effect, PendingEffects, StepRow } from '../step/row.ts';
import type { RowState, Rows } from './rows.ts';

/** A step, and the row after it. */
export interface SavedStep<R> {
  row: R;
  pendingEffects: PendingEffects;
}

export interface EffectRunnerPort<R> extends RowState<R> {
  /** Runs the effects of a step, in their order. `isAgain`: they may have run before. */
  perform(effects: readonly Effect[], row: R, isAgain: boolean): Promise<void>;
  /**
   * Resolves when the events of the steps are stored elsewhere. `follows`: the events of each previous step were published
   * here too.
   */
  publish(steps: readonly SavedStep<R>[], follows: boolean): Promise<void>;
  failed(id: string, error: unknown): void;
}

/** An idle row often continues immediately; tidying waits this long. */
const TIDY_AFTER_MS = 250;
/**
 * Rows whose last publication is remembered. For any other row, a lookup shows whether another process has published
 * it.
 */
const ROWS_PUBLISHED = 1_000;

export class EffectRunner<R extends StepRow> {
  readonly #rows: Rows<R>;
  readonly #port: EffectRunnerPort<R>;
  readonly #effects = new KeyedQueues();
  readonly #publishing: KeyedGroups<SavedStep<R>, boolean>;
  /** By row: whether its last started step, and all before it, are done. */
  readonly #steps = new Map<string, Promise<boolean>>();
  /** By row: the last started step. */
  readonly #lastStarted = new Map<string, number>();
  readonly #failed = new Set<string>();
  /** By row: the last step whose events were published here. */
  readonly #lastPublished = new LRUCache<string, number>({ max: ROWS_PUBLISHED });
  #toTidy = new Set<string>();
  /** Set while a pass is due or runs; a pass is due only while there are rows to tidy. */
  #tidyTimer: NodeJS.Timeout | undefined;
  #tidying: Promise<void> = Promise.resolve();
  #isClosed = false;

  constructor(rows: Rows<R>, port: EffectRunnerPort<R>) {
    this.#rows = rows;
    this.#port = port;
    this.#publishing = new KeyedGroups((id, steps) => this.#unlessFailed(id, () => this.#publish(id, steps)));
  }

  /** @returns a promise that resolves when all effects of the row have run, and never rejects; false: one has failed */
  async run(row: R, isAgain = false): Promise<boolean> {
    const from = Math.max(this.#lastStarted.get(row.id) ?? 0, this.#rows.doneUpTo(row.id));
    const steps = row.pendingEffects.filter((pendingEffects) => pendingEffects.version > from);
    const last = steps.at(-1);
    // The sweep may find the row before the process that wrote it learns that it is saved.
    if (last === undefined) {
      return row.pendingEffects.length === 0 || this.#effects.run(row.id, async () => !this.#failed.has(row.id));
    }
    this.#lastStarted.set(row.id, last.version);
    return (await Promise.all(steps.map((pendingEffects) => this.#runStep(row, pendingEffects, isAgain)))).every(
      Boolean,
    );
  }

  /** The same for a row that this process has just inserted: no other one has published events of it. */
  runFirst(row: R): Promise<boolean> {
    this.#lastPublished.set(row.id, (row.pendingEffects[0]?.version ?? row.version) - 1);
    return this.run(row);
  }

  /** Runs the pending effects again, for a row whose last try failed or whose process has died. */
  async retry(row: R): Promise<void> {
    await this.#effects.run(row.id, async () => {});
    this.#failed.delete(row.id);
    this.#lastStarted.delete(row.id);
    this.#steps.delete(row.id);
    await this.run(row, true);
    // Nothing to tidy while a long activity runs, however often the sweep comes.
    if (row.pendingEffects.length > 0 || row.pending !== this.#port.busy(row)) this.#tidyLater(row.id);
  }

  /**
   * Before a row is removed, which holds the only copy of its pending effects.
   * @returns whether all have run and were published
   */
  async settle(row: R): Promise<boolean> {
    const left = row.pendingEffects.length > 0;
    if (left) {
      await this.retry(row);
      await this.#steps.get(row.id);
    }
    this.#lastPublished.delete(row.id);
    return !(left && this.#failed.has(row.id));
  }

  #runStep(row: R, pendingEffects: PendingEffects, isAgain: boolean): Promise<boolean> {
    const { id } = row;
    const acted = this.#effects.run(id, () =>
      this.#unlessFailed(id, () => this.#port.perform(pendingEffects.effects, row, isAgain)),
    );
    const published = this.#publishing.add(id, { row, pendingEffects });
    // After the previous step, because a step is recorded as done only with all steps before it.
    const done = Promise.all([this.#steps.get(id) ?? true, acted, published]).then((went) => {
      if (went.every(Boolean)) this.#stepDone(id, pendingEffects.version);
      if (this.#steps.get(id) === done) this.#steps.delete(id);
      return went.every(Boolean);
    });
    this.#steps.set(id, done);
    return acted;
  }

  async #publish(id: string, steps: readonly SavedStep<R>[]): Promise<void> {
    let last = this.#lastPublished.get(id);
    let follows = true;
    for (const { pendingEffects } of steps) {
      follows &&= last === pendingEffects.version - 1;
      last = pendingEffects.version;
    }
    await this.#port.publish(steps, follows);
    // Steps without events do not show which events were published before them.
    const hasEvents = steps.some(({ pendingEffects }) => pendingEffects.events.length > 0);
    if (last !== undefined && (follows || hasEvents)) this.#lastPublished.set(id, last);
  }

  /** @returns whether it succeeded */
  async #unlessFailed(id: string, run: () => Promise<void>): Promise<boolean> {
    if (this.#failed.has(id)) return false;
    try {
      await run();
      return true;
    } catch (error) {
      this.#failed.add(id);
      this.#port.failed(id, error);
      return false;
    }
  }

  #stepDone(id: string, version: number): void {
    this.#rows.forgetDone(id, version);
    if (this.#lastStarted.get(id) === version) this.#lastStarted.delete(id);
    this.#tidyLater(id);
  }

  #tidyLater(id: string): void {
    this.#toTidy.add(id);
    if (this.#tidyTimer === undefined && !this.#isClosed) this.#expectPass();
  }

  /** Passes never overlap: the wait for the next begins when one has ended. */
  #expectPass(): void {
    this.#tidyTimer = setTimeout(() => {
      this.#tidying = this.#tidy().then(() => {
        this.#tidyTimer = undefined;
        if (this.#toTidy.size > 0 && !this.#isClosed) this.#expectPass();
      });
    }, TIDY_AFTER_MS);
  }

  async #tidy(): Promise<void> {
    const ids = [...this.#toTidy];
    this.#toTidy = new Set();
    await Promise.all(ids.map((id) => this.#rows.tidy(id, this.#port).catch((error) => this.#port.failed(id, error))));
  }

  /** Waits for running effects and tidies idle rows. */
  async close(): Promise<void> {
    this.#isClosed = true;
    clearTimeout(this.#tidyTimer);
    await this.#tidying;
    while (this.#steps.size > 0) await Promise.all(this.#steps.values());
    await this.#tidy();
  }
}
