/**
 * The carrier: carries out what saved steps ask for, and tells what they did.
 *
 * Owns: what is under way of it. Relies on `effects.ts` for the doing, and on every effect being harmless to repeat:
 * after a crash all that was not written down as done is carried out again.
 *
 * 1. Effects of one row go in the order of its steps; so do its events; its history, whose lines are numbered, in any.
 *    None waits for the others: a broker that is away holds up no workflow.
 * 2. A step is done when all three are. One that failed holds back the later ones of its row until the sweep tries again.
 * 3. A row at rest whose steps are all done is written down as such (`tidy`), a moment later, many at a time.
 */

import { Lru } from '../lib/lru.ts';
import type { Effect, StepRow, Todo } from '../step/row.ts';
import { Keyed } from './keyed.ts';
import type { Rows } from './rows.ts';

export interface CarrierPort<R> {
  /** Carries out one effect of a row. */
  perform(effect: Effect, row: R): Promise<void>;
  /** Resolves when the events are safe elsewhere. `follows`: those of the step before went this way too. */
  publish(row: R, todo: Todo, follows: boolean): Promise<void>;
  /** Resolves when the lines of history are safe elsewhere. */
  record(row: R, todo: Todo): Promise<void>;
  busy(row: R): boolean;
  failed(id: string, error: unknown): void;
}

/** A row that has just come to rest often moves on at once; tidying waits this long for it. */
const TIDY_AFTER_MS = 1_000;
/** Of a row that is not remembered it is looked up whether another process told of it. */
const ROWS_TOLD = 1_000;

export class Carrier<R extends StepRow> {
  readonly #rows: Rows<R>;
  readonly #port: CarrierPort<R>;
  readonly #effects = new Keyed();
  readonly #telling = new Keyed();
  /** By row: whether its last step that was taken in hand, and all before it, are done. */
  readonly #steps = new Map<string, Promise<boolean>>();
  /** By row: the last step that was taken in hand. */
  readonly #taken = new Map<string, number>();
  readonly #failed = new Set<string>();
  /** By row: the last step whose events were told here. */
  readonly #told = new Lru<number>(ROWS_TOLD);
  #toTidy = new Set<string>();
  #tidying: Promise<void> = Promise.resolve();
  readonly #timer: NodeJS.Timeout;

  constructor(rows: Rows<R>, port: CarrierPort<R>) {
    this.#rows = rows;
    this.#port = port;
    this.#timer = setInterval(() => this.#tidy(), TIDY_AFTER_MS);
  }

  /** @returns a promise that resolves when all effects of the row were carried out, and never rejects */
  async carry(row: R): Promise<void> {
    const from = Math.max(this.#taken.get(row.id) ?? 0, this.#rows.doneUpTo(row.id));
    const todos = row.todo.filter((todo) => todo.version > from);
    const last = todos.at(-1);
    // The sweep may have found the row before its writer heard that it was saved.
    if (last === undefined) return row.todo.length > 0 ? this.#effects.run(row.id, async () => {}) : undefined;
    this.#taken.set(row.id, last.version);
    await Promise.all(todos.map((todo) => this.#carryStep(row, todo)));
  }

  /** Once more, for a row whose last try failed or whose process has died. */
  async retry(row: R): Promise<void> {
    await this.#effects.run(row.id, async () => {});
    this.#failed.delete(row.id);
    this.#taken.delete(row.id);
    this.#steps.delete(row.id);
    await this.carry(row);
    // An act that takes its time leaves nothing to tidy, however often the sweep comes by.
    if (row.todo.length > 0 || row.pending !== this.#port.busy(row)) this.#toTidy.add(row.id);
  }

  /** Before a row is removed: what its steps ask for stands nowhere else. @returns whether all was carried out and told */
  async settle(row: R): Promise<boolean> {
    const left = row.todo.length > 0;
    if (left) {
      await this.retry(row);
      await this.#steps.get(row.id);
    }
    this.#told.delete(row.id);
    return !(left && this.#failed.has(row.id));
  }

  #carryStep(row: R, todo: Todo): Promise<unknown> {
    const { id } = row;
    const acted = this.#effects.run(id, () => this.#unlessFailed(id, () => this.#act(row, todo)));
    const told = this.#telling.run(id, () => this.#unlessFailed(id, () => this.#tell(row, todo)));
    const recorded = this.#unlessFailed(id, () => this.#port.record(row, todo));
    // After the one before: what is written down as done is so for all steps up to it.
    const done = Promise.all([this.#steps.get(id) ?? true, acted, told, recorded]).then((went) => {
      if (went.every(Boolean)) this.#stepDone(id, todo.version);
      if (this.#steps.get(id) === done) this.#steps.delete(id);
      return went.every(Boolean);
    });
    this.#steps.set(id, done);
    return acted;
  }

  async #act(row: R, todo: Todo): Promise<void> {
    for (const effect of todo.effects) await this.#port.perform(effect, row);
  }

  async #tell(row: R, todo: Todo): Promise<void> {
    const follows = this.#told.get(row.id) === todo.version - 1;
    await this.#port.publish(row, todo, follows);
    // Without events nobody has looked what stands before.
    if (follows || todo.events.length > 0) this.#told.set(row.id, todo.version);
  }

  /** @returns whether it was done */
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
    this.#rows.done(id, version);
    if (this.#taken.get(id) === version) this.#taken.delete(id);
    this.#toTidy.add(id);
  }

  /** Two rounds: a row is tidied in the round after the one in which it came to rest. */
  #tidy(): void {
    const ids = [...this.#toTidy];
    this.#toTidy = new Set();
    if (ids.length === 0) return;
    this.#tidying = this.#tidying.then(async () => {
      await Promise.all(
        ids.map((id) => this.#rows.tidy(id, this.#port.busy).catch((error) => this.#port.failed(id, error))),
      );
    });
  }

  /** Waits for what is under way, and leaves rows at rest tidied. */
  async close(): Promise<void> {
    clearInterval(this.#timer);
    while (this.#steps.size > 0) await Promise.all(this.#steps.values());
    this.#tidy();
    await this.#tidying;
  }
}
