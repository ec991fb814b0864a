/**
 * Rows that change by steps: loads a row, takes the pure step, saves the result with compare-and-set, and returns its
 * pending effects to the effect runner. All writes of rows happen here.
 *
 * Owns the order of steps of one row in this process, and a small cache of rows. Relies on the live port for the rest:
 * another process may write the same row at any moment, and then the step is taken again on the newer row.
 *
 * 1. A step is saved before any of its effects run.
 * 2. The effects stay in the row's `pendingEffects` until they have run; a later write drops them (`forgetDone`).
 * 3. A cached row saves a read: a step on an outdated one loses its race and is taken again. A step that changes nothing
 *    must be decided on a fresh read, never on a cached row.
 * 4. Concurrent steps of different rows are saved together, in one round trip.
 *
 * Called by: `sender.ts` (`step`, `insert`), `effect-runner.ts` (`forgetDone`, `tidy`), `pairs.ts` (`joinWrite`), `worker.ts` and
 *   requests (`load`, `seenRow`).
 * Calls: the live port (`live/port.ts`), and the step that its caller passes to `step`.
 */
import { LRUCache } from 'lru-cache';
import { batch } from '../../platform/lib/batch.ts';
import { KeyedQueues } from '../../platform/lib/keyed-queues.ts';
import { NodewrightError } from '../../vocabulary/errors.ts';
import type { LiveRows, RowChange } from '../live/port.ts';
import type { StepResult, StepRow } from '../step/row.ts';

type Save<R> = (change: RowChange<R>) => Promise<boolean>;
/** @param stored the row with the effects that have run */
type Take<R> = (row: R, stored: R) => Promise<StepResult<R>>;

/** Says of a row what its kind knows. */
export interface RowState<R> {
  /** Whether it has operations that a process must run. */
  busy(row: R): boolean;
  /** Whether no step follows. */
  isOver(row: R): boolean;
}

interface CachedRow<R> {
  /** As it was saved, or read. */
  row: R;
  /** False: a later write may have been saved. */
  isLast: boolean;
}

/** Lost races for one row; more in sequence mean that something writes it endlessly. */
const RACE_LIMIT = 50;
const CACHED_ROWS = 1_000;
/** Maximum rows saved or read in one round trip. */
const BATCH_LIMIT = 200;

export class Rows<R extends StepRow> {
  readonly #live: LiveRows<R>;
  readonly #cache = new LRUCache<string, CachedRow<R>>({ max: CACHED_ROWS });
  readonly #shared: boolean;
  readonly #turns = new KeyedQueues();
  /** By row: the last step whose effects have all run, until the row itself records it. */
  readonly #done = new Map<string, number>();
  readonly #save: Save<R>;
  readonly #saveReplicated: Save<R>;
  readonly #settle: Save<R>;
  readonly #add: (row: R) => Promise<boolean>;

  /** @param shared other processes write these rows too, so cached rows may be outdated */
  constructor(live: LiveRows<R>, shared: boolean) {
    this.#live = live;
    this.#shared = shared;
    live.remember({
      values: () => [...this.#cache.values()].map(({ row }) => row),
      clear: () => this.#cache.clear(),
    });
    this.#save = batch((changes: RowChange<R>[]) => live.save(changes), BATCH_LIMIT);
    this.#saveReplicated = batch((changes: RowChange<R>[]) => live.save(changes), BATCH_LIMIT);
    this.#settle = batch((changes: RowChange<R>[]) => live.settle(changes), BATCH_LIMIT);
    this.#add = batch((rows: R[]) => live.insert(rows), BATCH_LIMIT);
  }

  /** Returns the current row, whichever process wrote it. */
  async load(id: string): Promise<R | undefined> {
    return this.#cachedRow(id) ?? (await this.#live.get(id));
  }

  /** Like `load`, for many; missing rows are left out. */
  async loadAll(ids: readonly string[]): Promise<R[]> {
    const rows: R[] = [];
    const missing = ids.filter((id) => {
      const row = this.#cachedRow(id);
      if (row !== undefined) rows.push(row);
      return row === undefined;
    });
    return [...rows, ...(await this.#live.getAll(missing))];
  }

  /**
   * Reads rows of which each takes a step next, which then needs no read of its own; if another process is first, the step is
   * taken again. Without other processes a row in memory is trusted, and this read may be late.
   */
  async readAhead(ids: readonly string[]): Promise<void> {
    if (!this.#shared) return;
    for (const row of await this.#live.getAll(ids)) {
      const cached = this.#cache.get(row.id);
      if (cached === undefined || (cached.isLast && cached.row.version < row.version)) this.#remember(row);
    }
  }

  /** Returns the row as this process last saw it, for a caller that has just changed it. */
  async seenRow(id: string): Promise<R | undefined> {
    return this.#lastRow(id) ?? (await this.#live.get(id));
  }

  /** Whether this process took a later step than the row has: Redis has lost steps, and gets them again in a moment. */
  isBehind(row: R): boolean {
    const last = this.#lastRow(row.id);
    return last !== undefined && last.version > row.version;
  }

  #cachedRow(id: string): R | undefined {
    return this.#shared ? undefined : this.#lastRow(id);
  }

  #lastRow(id: string): R | undefined {
    const cached = this.#cache.get(id);
    return cached?.isLast ? cached.row : undefined;
  }

  #remember(row: R): void {
    this.#cache.set(row.id, { row, isLast: true });
  }

  /** Returns the row as this process last saw it, if it is in memory. It may have changed since, or be changing now. */
  knownRow(id: string): R | undefined {
    return this.#cache.get(id)?.row;
  }

  /**
   * A change, or an insertion, that is saved with that of another row.
   * @param save returns the row as it is saved; undefined: none of both is
   */
  async joinWrite(id: string, save: () => Promise<R | undefined>): Promise<R | undefined> {
    const before = this.#lastRow(id);
    if (before !== undefined) this.#cache.set(id, { row: before, isLast: false });
    const saved = await save();
    if (saved === undefined) this.#cache.delete(id);
    else this.#remember(saved);
    return saved;
  }

  /** @returns false if the row exists; it stays unchanged */
  async insert(row: R): Promise<boolean> {
    const added = await this.#add(row);
    if (added) this.#remember(row);
    return added;
  }

  /** The same for a row that may have existed long before. */
  async insertOnce(row: R): Promise<boolean> {
    const [added] = await this.#live.insertOnce([row]);
    if (added) this.#remember(row);
    return added === true;
  }

  /** Takes back the insertion of a row that has taken no step. */
  async withdraw(row: R): Promise<void> {
    await this.#turns.run(row.id, async () => {
      this.#cache.delete(row.id);
      await this.#live.withdraw(row);
    });
  }

  /** Whether this process has saved the row's last step a moment ago. */
  isOwn({ id, version }: R): boolean {
    return this.#lastRow(id)?.version === version;
  }

  /**
   * Runs with a row that is in memory, before and after other steps of it. @param run gets it as `Take` does
   * @returns undefined if the row is not in memory
   */
  inTurn<T>(id: string, run: (row: R, stored: R) => Promise<T>): Promise<T | undefined> {
    return this.#turns.run(id, async () => {
      const row = this.#lastRow(id);
      return row && run(this.#trimRow(row), row);
    });
  }

  /** @returns the row after the step, or undefined if there is no such row; steps of one row are queued */
  step(id: string, take: Take<R>): Promise<StepResult<R> | undefined> {
    return this.#turns.run(id, () => this.#race(id, take, !this.#shared));
  }

  /** @param trusts use the cache also for a step that changes nothing, without a fresh read */
  async #race(id: string, take: Take<R>, trusts: boolean, save?: Save<R>): Promise<StepResult<R> | undefined> {
    for (let lost = 0; lost < RACE_LIMIT; lost += 1) {
      const guess = lost === 0 ? this.#lastRow(id) : undefined;
      const row = guess ?? (await this.#live.get(id));
      if (row === undefined) return undefined;
      const done = this.#done.get(id);
      const result = await take(this.#trimRow(row), row);
      const { changed, row: next, joint } = result;
      if (joint !== undefined) {
        if (await this.#write({ before: row, row: joint.row }, done, joint.save)) return { ...result, row: joint.row };
        // The outdated row may have been this one.
        if (guess !== undefined) continue;
      }
      if (changed ? await this.#write({ before: row, row: next }, done, save) : trusts || guess === undefined) {
        return result;
      }
    }
    throw new NodewrightError(
      'CONFLICT',
      `${id} was changed ${RACE_LIMIT} times concurrently while a step was taken; try again`,
    );
  }

  /** @param done the last step that was dropped from the row's `pendingEffects` */
  async #write(change: RowChange<R>, done: number | undefined, save = this.#saveOf(change)): Promise<boolean> {
    const { before, row } = change;
    // If the write fails without an answer, the stored row is unknown; if a server lost it, the one before is known.
    this.#cache.set(row.id, { row: before, isLast: false });
    if (!(await save(change))) {
      this.#cache.delete(row.id);
      return false;
    }
    this.#remember(row);
    if (this.#done.get(row.id) === done) this.#done.delete(row.id);
    return true;
  }

  #saveOf(change: RowChange<R>): Save<R> {
    return this.#live.isReplicated(change) ? this.#saveReplicated : this.#save;
  }

  /** Records that all effects of the steps up to `version` have run. */
  forgetDone(id: string, version: number): void {
    this.#done.set(id, Math.max(version, this.#done.get(id) ?? 0));
  }

  #trimRow(row: R): R {
    const done = this.#done.get(row.id) ?? 0;
    return row.pendingEffects.some((pendingEffects) => pendingEffects.version <= done)
      ? { ...row, pendingEffects: row.pendingEffects.filter((pendingEffects) => pendingEffects.version > done) }
      : row;
  }

  /** Returns the last step whose effects have all run here; 0 if unknown. */
  doneUpTo(id: string): number {
    return this.#done.get(id) ?? 0;
  }

  /**
   * Records in the row that no effects are pending, so that no sweep runs them again; nothing if another process has
   * done so. One that is over leaves the memory too: it is a document now, and nothing reads it soon.
   */
  async tidy(id: string, of: RowState<R>): Promise<void> {
    const take = async (row: R, stored: R) => {
      const pending = of.busy(row);
      // Effects of a later step have run here: another process has saved it.
      const isOutdated = this.doneUpTo(id) > stored.version;
      const isUntidy = stored.pendingEffects.length > 0 || row.pending !== pending || isOutdated;
      const changed = row.pendingEffects.length === 0 && isUntidy;
      return { changed, row: { ...row, version: row.version + 1, pending }, replies: [] };
    };
    await this.#turns.run(id, async () => {
      // A cached row is enough: a later step records the same, and changes by another process are tidied by that process.
      const result = await this.#race(id, take, true, this.#settle);
      if (result !== undefined && result.row.pendingEffects.length > 0) return;
      this.#done.delete(id);
      if (result !== undefined && of.isOver(result.row)) this.#cache.delete(id);
    });
  }

  /** Drops a row from the cache that is not needed soon. */
  forget(id: string): void {
    this.#cache.delete(id);
  }

  async remove(id: string): Promise<void> {
    await this.#turns.run(id, async () => {
      await this.#live.remove(id);
      this.#cache.delete(id);
      this.#done.delete(id);
    });
  }
}
