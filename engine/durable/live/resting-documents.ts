/** The documents of rows that rest, with their history. */

import type { Collection } from '../../platform/store/port.ts';
import { withTimeout } from '../../vocabulary/with-timeout.ts';
import type { StepRow } from '../step/row.ts';
import { inPhase, type RecordedRow, type RowChange } from './port.ts';
import type { RedisHistory } from './redis-history.ts';

/** ms for MongoDB to take rows that are over: the sweep must not find them before. */
const STORE_MS = 500;
/** ms after a failure of that until it is tried again. */
const STORE_AGAIN_MS = 5_000;

export class RestingDocuments<R extends StepRow> {
  readonly #record: Pick<Collection<RecordedRow<R>>, 'put'>;
  readonly #history: RedisHistory | undefined;
  readonly #isOver: (row: R) => boolean;
  /** When MongoDB is tried again; ms of the monotonic clock. */
  #tryAt = 0;

  constructor(
    record: Pick<Collection<RecordedRow<R>>, 'put'>,
    history: RedisHistory | undefined,
    isOver: (row: R) => boolean,
  ) {
    this.#record = record;
    this.#history = history;
    this.#isOver = isOver;
  }

  async store(rows: readonly R[]): Promise<void> {
    const [over, others] = [rows.filter(this.#isOver), rows.filter((row) => !this.#isOver(row))];
    await Promise.all([this.#rest(others), this.#end(over)]);
  }

  async #rest(rows: readonly R[]): Promise<void> {
    if (rows.length === 0) return;
    await this.#history?.store(rows.map(({ id }) => id));
    await this.#record.put(rows.map((row) => inPhase(row, 'resting')));
  }

  async #end(rows: readonly R[], known: ReadonlyMap<string, readonly string[]> = new Map()): Promise<void> {
    if (rows.length === 0) return;
    const parts =
      (await this.#history?.parts(
        rows.map(({ id }) => id),
        known,
      )) ?? [];
    await this.#record.put(
      rows.map((row, at) => {
        const lines = parts[at];
        return lines === undefined ? inPhase(row, 'resting') : { ...inPhase(row, 'resting'), lines };
      }),
    );
  }

  /** Stores rows that are over. @returns false: MongoDB did not take them in time; it may have taken some, or do so later */
  async tryToEnd(changes: readonly RowChange<R>[]): Promise<boolean> {
    if (performance.now() < this.#tryAt) return false;
    const known = new Map<string, readonly string[]>();
    for (const { before } of changes) {
      const texts = this.#history?.recent.of(before);
      if (texts !== undefined) known.set(before.id, texts);
    }
    const rows = changes.map(({ row }) => row);
    const stored = this.#end(rows, known).then(
      () => true,
      () => false,
    );
    const isStored = await withTimeout(stored, STORE_MS, () => false);
    if (!isStored) this.#tryAt = performance.now() + STORE_AGAIN_MS;
    return isStored;
  }
}
