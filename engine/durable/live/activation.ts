/**
 * Lets rows that rest take steps again, many at a time: a broadcast activates thousands.
 *
 * 1. First the row is in Redis, and takes no step; then its document says that it moves; then the row takes steps. A
 *    process that dies in between leaves a row that the next step activates.
 * 2. A row that rests is its document but for version and phase, so only these are written there.
 * 3. A process may have hung since it read the document, and the row have moved in the meantime. Then the document has
 *    another version than the row that was brought back, which leaves Redis again.
 * 4. A row is read as it will be brought back (`RedisRows.read`). So the step that woke it need not be taken again: it is
 *    saved by the script that lets the row take steps (`resume`), or, if another process was first, not at all.
 * 5. A row that is over stays a document: no step follows on it, and one that was decided before its end is taken again.
 */
import { LRUCache } from 'lru-cache';
import { batch } from '../../platform/lib/batch.ts';
import { byIds } from '../../platform/store/pages.ts';
import type { Collection } from '../../platform/store/port.ts';
import { NodewrightError } from '../../vocabulary/errors.ts';
import type { StepRow } from '../step/row.ts';
import { missingIn } from './missing.ts';
import { inPhase, isPresent, type RecordedRow, type RowChange } from './port.ts';
import type { RedisRows } from './redis-rows.ts';

/** Maximum rows that are activated, or documents that are read, at a time. */
const BATCH_SIZE = 200;
/** Documents that were just read for a step, which activates the row next. */
const READ = { max: 4 * BATCH_SIZE, ttl: 5_000 };

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
  /**
   * Brings a row back with its first step. @returns the reply of the script that saves it; 0: the step has to be taken again
   * @throws NodewrightError UNAVAILABLE if its document says that it is in Redis
   */
  readonly resume: (change: RowChange<R>) => Promise<number>;

  /** @param lost called when Redis has lost a row */
  constructor(rows: RedisRows<R>, record: Collection<RecordedRow<R>>, lost: () => void) {
    this.#rows = rows;
    this.#record = record;
    this.#lost = lost;
    this.document = batch((ids: string[]) => this.documents(ids), BATCH_SIZE);
    this.activate = batch((ids: string[]) => this.#activate(ids), BATCH_SIZE);
    this.revive = batch(async (ids: string[]) => {
      const found = await this.#revive(ids, new Map());
      return ids.map((id) => found.errors.get(id) ?? found.ids.has(id));
    }, BATCH_SIZE);
    this.resume = batch((changes: RowChange<R>[]) => this.#resume(changes), BATCH_SIZE);
  }

  /** Returns the documents of rows. */
  async documents(ids: readonly string[]): Promise<(RecordedRow<R> | undefined)[]> {
    const found = new Map((await byIds(this.#record, ids)).map((document) => [document.id, document]));
    for (const [id, document] of found) this.#read.set(id, document);
    return ids.map((id) => found.get(id));
  }

  /** Whether the row was read a moment ago from a document that rests: most likely it is not in Redis. */
  isAtRest({ id, version }: R): boolean {
    const document = this.#read.get(id);
    return document !== undefined && document.phase !== 'moving' && this.#rows.read(document).version === version;
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

  async #resume(changes: readonly RowChange<R>[]): Promise<(number | Error)[]> {
    const byId = new Map(changes.map((change) => [change.row.id, change]));
    const { errors, replies } = await this.#revive([...byId.keys()], byId);
    // At most one change of a row is saved.
    return changes.map((change) => errors.get(change.row.id) ?? replies.get(change) ?? 0);
  }

  /** @param changes by id, the first steps of rows */
  async #revive(ids: readonly string[], changes: ReadonlyMap<string, RowChange<R>>): Promise<Revival<R>> {
    const unread = ids.filter((id) => !this.#read.has(id));
    if (unread.length > 0) await this.documents(unread);
    const found = ids.flatMap((id) => this.#read.get(id) ?? []).filter(isPresent);
    for (const id of ids) this.#read.delete(id);
    const moving = found.filter(({ phase }) => phase === 'moving');
    const missing = await missingIn(this.#rows, this.#record, moving);
    if (missing.length > 0) this.#lost();
    return {
      ids: new Set(found.map(({ id }) => id)),
      errors: new Map(missing.map(({ id }) => [id, missingRow(id)])),
      replies: await this.#bringBack(
        found.filter((document) => document.phase !== 'moving' && !this.#rows.kind.isOver(this.#rows.read(document))),
        changes,
      ),
    };
  }

  /** @returns the replies to the changes */
  async #bringBack(resting: readonly RecordedRow<R>[], changes: ReadonlyMap<string, RowChange<R>>) {
    if (resting.length === 0) return new Map<RowChange<R>, number>();
    const rows = resting.map((document) => ({ ...this.#rows.read(document), version: document.version + 1 }));
    const replies = await this.#rows.write(
      'revive',
      rows.map((row) => ({ row })),
    );
    const activating = rows.filter((_, at) => replies[at] === 1);
    const changed = await this.#record.updateEach(
      activating.map(({ id, version }) => ({
        id,
        filter: { version: version - 1 },
        update: { $set: { phase: 'moving', version } },
      })),
    );
    const outdated = changed < activating.length ? await this.#outdatedIds(activating) : new Set<string>();
    const first = activating.flatMap(({ id, version }) => {
      const change = changes.get(id);
      return change?.before.version === version && !outdated.has(id) ? [change] : [];
    });
    const begun = new Set(first.map(({ row }) => row.id));
    await this.#activateRows(
      activating.filter(({ id }) => !begun.has(id)),
      outdated,
    );
    const saved = await this.#rows.write('resume', first);
    await Promise.all(rows.filter((_, at) => replies[at] !== 1).map(({ id }) => this.activate(id)));
    return new Map(first.map((change, at) => [change, saved[at] ?? 0]));
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

interface Revival<R> {
  /** The rows that exist. */
  ids: ReadonlySet<string>;
  /** Why those are not there that Redis has lost. */
  errors: ReadonlyMap<string, Error>;
  /** To the first steps of those that were brought back. */
  replies: ReadonlyMap<RowChange<R>, number>;
}

const missingRow = (id: string) =>
  new NodewrightError('UNAVAILABLE', `${id} moves, and is not in Redis; if Redis lost it, it ends as failed`);
