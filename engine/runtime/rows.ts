/**
 * Rows that change by steps: loads one, takes the pure step, saves it with compare-and-set, and hands what the step
 * asked for to whoever carries it out. The one place where a row is written.
 *
 * Owns: the order of steps of one row in this process, and a small cache of rows. Relies on the store for the rest:
 * another process may write the same row at any moment, and then the step is taken again on what it wrote.
 *
 * 1. A step is saved before anything that it asks for is carried out.
 * 2. What it asks for stays in the row's `todo` until it was carried out; a later write drops it (`done`).
 * 3. A cached row saves a read: a step on an old one loses its race and is taken again. Only what a step would leave
 *    as it is has to be decided on the row as it stands.
 * 4. Steps of different rows that are ready together are saved together, in one round trip.
 */
import { NodewrightError } from '../define/errors.ts';
import { Lru } from '../lib/lru.ts';
import type { StepResult, StepRow } from '../step/row.ts';
import { batch } from '../store/batch.ts';
import type { Collection } from '../store/port.ts';
import { Keyed } from './keyed.ts';
import { byIds } from './pages.ts';

type Take<R> = (row: R) => Promise<StepResult<R>>;

/** Races for one row; more than this many lost in a row means that something writes it without end. */
const RACE_LIMIT = 50;
const CACHED_ROWS = 1_000;
/** Rows saved or read in one round trip. */
const BATCH_LIMIT = 200;

export class Rows<R extends StepRow> {
  readonly #collection: Collection<R>;
  readonly #cache = new Lru<R>(CACHED_ROWS);
  readonly #shared: boolean;
  readonly #turns = new Keyed();
  /** By row: the last step of which everything was carried out, until the row says so itself. */
  readonly #done = new Map<string, number>();
  readonly #save: (row: R) => Promise<boolean>;
  readonly #add: (row: R) => Promise<boolean>;

  /** @param shared other processes write these rows too: what is cached may be old */
  constructor(collection: Collection<R>, shared: boolean) {
    this.#collection = collection;
    this.#shared = shared;
    this.#save = batch((rows: R[]) => collection.replace(rows), BATCH_LIMIT);
    this.#add = batch((rows: R[]) => collection.insertMissing(rows), BATCH_LIMIT);
  }

  /** The row as it stands now, whoever wrote it. */
  async load(id: string): Promise<R | undefined> {
    return this.#cached(id) ?? (await this.#collection.get(id));
  }

  /** As `load`, for many; those that are not there are left out. */
  async loadAll(ids: readonly string[]): Promise<R[]> {
    const rows: R[] = [];
    const missing = ids.filter((id) => {
      const row = this.#cached(id);
      if (row !== undefined) rows.push(row);
      return row === undefined;
    });
    return [...rows, ...(await byIds(this.#collection, missing, BATCH_LIMIT))];
  }

  /** The row as this process saw it last: for whoever has just had it written. */
  async seen(id: string): Promise<R | undefined> {
    return this.#cache.get(id) ?? (await this.#collection.get(id));
  }

  #cached(id: string): R | undefined {
    return this.#shared ? undefined : this.#cache.get(id);
  }

  /** @returns false when the row was there already; it stays as it is */
  async insert(row: R): Promise<boolean> {
    const added = await this.#add(row);
    if (added) this.#cache.set(row.id, row);
    return added;
  }

  /** @returns the row after the step, or undefined when there is no such row; steps of one row queue up */
  step(id: string, take: Take<R>): Promise<StepResult<R> | undefined> {
    return this.#turns.run(id, () => this.#race(id, take, !this.#shared));
  }

  /** @param trusts the cache: a step that would leave the row there as it is need not see what others wrote since */
  async #race(id: string, take: Take<R>, trusts: boolean): Promise<StepResult<R> | undefined> {
    for (let lost = 0; lost < RACE_LIMIT; lost += 1) {
      const guess = lost === 0 ? this.#cache.get(id) : undefined;
      const row = guess ?? (await this.#collection.get(id));
      if (row === undefined) return undefined;
      const done = this.#done.get(id);
      const result = await take(this.#trimmed(row));
      if (result.changed ? await this.#write(result.row, done) : trusts || guess === undefined) return result;
    }
    throw new NodewrightError('CONFLICT', `${id} was changed ${RACE_LIMIT} times by others while a step was taken`);
  }

  /** @param done what is not in the row's `todo` any more */
  async #write(row: R, done: number | undefined): Promise<boolean> {
    // Forgotten first: should the write fail without an answer, what is stored is unknown.
    this.#cache.delete(row.id);
    const saved = await this.#save(row);
    if (!saved) return false;
    this.#cache.set(row.id, row);
    if (this.#done.get(row.id) === done) this.#done.delete(row.id);
    return true;
  }

  /** Everything that the steps up to `version` asked for was carried out. */
  done(id: string, version: number): void {
    this.#done.set(id, Math.max(version, this.#done.get(id) ?? 0));
  }

  #trimmed(row: R): R {
    const done = this.#done.get(row.id) ?? 0;
    return row.todo.some((todo) => todo.version <= done)
      ? { ...row, todo: row.todo.filter((todo) => todo.version > done) }
      : row;
  }

  /** The last step of which everything was carried out here; 0 when that is not known. */
  doneUpTo(id: string): number {
    return this.#done.get(id) ?? 0;
  }

  /**
   * Writes down that nothing is left to carry out, so that no sweep carries it out again.
   * @param busy whether the row has work that some process has to run
   */
  async tidy(id: string, busy: (row: R) => boolean): Promise<void> {
    const take = async (row: R) => {
      const pending = busy(row);
      const changed = row.todo.length === 0 && (this.#done.has(id) || row.pending !== pending);
      return { changed, row: { ...row, version: row.version + 1, pending }, replies: [] };
    };
    // A later step has done so, or will. What another process wrote since is that one's to tidy.
    const result = await this.#turns.run(id, () => this.#race(id, take, true));
    if (result === undefined) this.#done.delete(id);
  }

  /** Nobody will ask for it soon. */
  forget(id: string): void {
    this.#cache.delete(id);
  }

  async remove(id: string): Promise<void> {
    await this.#turns.run(id, async () => {
      await this.#collection.remove({ id });
      this.#cache.delete(id);
      this.#done.delete(id);
    });
  }
}
