/** The documents of rows that rest, with their history. */

import type { Collection } from '../../platform/store/port.ts';
import { withTimeout } from '../../vocabulary/with-timeout.ts';
import type { StepRow } from '../step/row.ts';
import { inPhase, type RecordedRow } from './port.ts';
import type { RedisHistory } from './redis-history.ts';

/** ms for MongoDB to take rows that are over: the sweep must not find them before. */
const STORE_MS = 500;
/** ms after a failure of that until it is tried again. */
const STORE_AGAIN_MS = 5_000;

export class RestingDocuments<R extends StepRow> {
  readonly #record: Pick<Collection<RecordedRow<R>>, 'put'>;
  readonly #history: RedisHistory | undefined;
  /** When MongoDB is tried again; ms of the monotonic clock. */
  #tryAt = 0;

  constructor(record: Pick<Collection<RecordedRow<R>>, 'put'>, history: RedisHistory | undefined) {
    this.#record = record;
    this.#history = history;
  }

  async store(rows: readonly R[]): Promise<void> {
    await this.#history?.store(rows.map(({ id }) => id));
    await this.#record.put(rows.map((row) => inPhase(row, 'resting')));
  }

  /** @returns false: MongoDB did not take them in time; it may have taken some, or do so later */
  async tryToStore(rows: readonly R[]): Promise<boolean> {
    if (performance.now() < this.#tryAt) return false;
    const stored = this.store(rows).then(
      () => true,
      () => false,
    );
    const isStored = await withTimeout(stored, STORE_MS, () => false);
    if (!isStored) this.#tryAt = performance.now() + STORE_AGAIN_MS;
    return isStored;
  }
}
