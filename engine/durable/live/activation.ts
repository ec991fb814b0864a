/**
 * Lets rows that rest take steps again, many at a time: a broadcast activates thousands.
 *
 * 1. First the row is in Redis, and takes no step; then its document says that it moves; then the row takes steps. A
 *    process that dies in between leaves a row that the next step activates.
 * 2. A row that rests is its document but for version and phase, so only these are written there.
 * 3. A process may have hung since it read the document, and the row have moved in the meantime. Then the document has
 *    another version than the row that was brought back, which leaves Redis again.
 */
import { LRUCache } from 'lru-cache';
import { batch } from '../../platform/lib/batch.ts';
import { byIds } from '../../platform/store/pages.ts';
import type { Collection } from '../../platform/store/port.ts';
import { NodewrightError } from '../../vocabulary/errors.ts';
import type { StepRow } from '../step/row.ts';
import { missingIn } from './missing.ts';
import { inPhase, isPresent, type RecordedRow } from './port.ts';
import type { RedisRows } from './redis-rows.ts';

/** Maximum rows that are activated, or documents that are read, at a time. */
const BATCH_SIZE = 200;
/** Documents that were just read for a step, which activates the row next. */
const READ = { max: 2 * BATCH_SIZE, ttl: 1_000 };

export class Activation<R extends StepRow> {
  readonly #rows: RedisRows<R>;
  readonly #record: Collection<RecordedRow<R>>;
  readonly #lost: () => void;
  readonly #read = new LRUCache<string, RecordedRow<R>>(READ);
  /** Returns the document of a row. */
  readonly document: (id: string) => Promise<RecordedRow<R> | undefined>;
  /** Lets a row in Redis take steps again that was about to rest, or whose activating was interrupted. */
  readonly activate: (id: string) => Promise<undefined>;
  /**
   * Brings a row back into Redis. @returns whether there is such a row
   * @throws NodewrightError UNAVAILABLE if its document says that it is in Redis
   */
  readonly revive: (id: string) => Promise<boolean>;

  /** @param lost called when Redis has lost a row */
  constructor(rows: RedisRows<R>, record: Collection<RecordedRow<R>>, lost: () => void) {
    this.#rows = rows;
    this.#record = record;
    this.#lost = lost;
    this.document = batch((ids: string[]) => this.#documents(ids), BATCH_SIZE);
    this.activate = batch((ids: string[]) => this.#activate(ids), BATCH_SIZE);
    this.revive = batch((ids: string[]) => this.#revive(ids), BATCH_SIZE);
  }

  async #documents(ids: readonly string[]): Promise<(RecordedRow<R> | undefined)[]> {
    const found = new Map((await byIds(this.#record, ids)).map((document) => [document.id, document]));
    for (const [id, document] of found) this.#read.set(id, document);
    return ids.map((id) => found.get(id));
  }

  async #activate(ids: readonly string[]): Promise<undefined[]> {
    const replies = await this.#rows.run(
      'activate',
      ids.map((id) => ({ id, version: 0 })),
    );
    const versions = new Map(ids.map((id, at) => [id, replies[at]]));
    const activating = (await this.#rows.getAll(ids)).filter(({ id, version }) => version === versions.get(id));
    if (activating.length > 0) {
      await this.#record.put(activating.map((row) => inPhase(row, 'moving')));
      await this.#activateRows(activating, await this.#outdatedIds(activating));
    }
    return ids.map(() => undefined);
  }

  async #revive(ids: readonly string[]): Promise<(boolean | Error)[]> {
    const unread = ids.filter((id) => !this.#read.has(id));
    if (unread.length > 0) await this.#documents(unread);
    const found = ids.flatMap((id) => this.#read.get(id) ?? []).filter(isPresent);
    for (const id of ids) this.#read.delete(id);
    const moving = found.filter(({ phase }) => phase === 'moving');
    const missing = new Set((await missingIn(this.#rows, this.#record, moving)).map(({ id }) => id));
    if (missing.size > 0) this.#lost();
    await this.#bringBack(found.filter(({ phase }) => phase !== 'moving'));
    const known = new Set(found.map(({ id }) => id));
    return ids.map((id) => (missing.has(id) ? missingRow(id) : known.has(id)));
  }

  async #bringBack(resting: readonly RecordedRow<R>[]): Promise<void> {
    if (resting.length === 0) return;
    const rows = resting.map((document) => ({ ...this.#rows.read(document), version: document.version + 1 }));
    const replies = await this.#rows.write(
      'revive',
      rows.map((row) => ({ row })),
    );
    const activating = rows.filter((_, at) => replies[at] === 1);
    const changes = activating.map(({ id, version }) => ({
      id,
      filter: { version: version - 1 },
      update: { $set: { phase: 'moving', version } },
    }));
    const changed = await this.#record.updateEach(changes);
    await this.#activateRows(activating, changed < activating.length ? await this.#outdatedIds(activating) : new Set());
    await Promise.all(rows.filter((_, at) => replies[at] !== 1).map(({ id }) => this.activate(id)));
  }

  /** Returns the ids of rows whose documents have another version. */
  async #outdatedIds(activating: readonly R[]): Promise<Set<string>> {
    const ids = activating.map(({ id }) => id);
    const versions = new Map((await byIds(this.#record, ids)).map(({ id, version }) => [id, version]));
    return new Set(activating.filter(({ id, version }) => versions.get(id) !== version).map(({ id }) => id));
  }

  async #activateRows(activating: readonly R[], outdated: ReadonlySet<string>): Promise<void> {
    await this.#rows.run(
      'forget',
      activating.filter(({ id }) => outdated.has(id)),
    );
    await this.#rows.run(
      'activated',
      activating.filter(({ id }) => !outdated.has(id)),
    );
  }
}

const missingRow = (id: string) =>
  new NodewrightError('UNAVAILABLE', `${id} moves, and is not in Redis; if Redis lost it, it ends as failed`);
