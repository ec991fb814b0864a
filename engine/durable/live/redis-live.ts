/**
 * The live port on Redis, with a document for each row: the record. A row that moves is in Redis; its document has what
 * filters use, a moment later. A row that rests (ended, or unchanged for a while) is a document only.
 *
 * 1. A save is one script, on disk before its answer as far as the server's append-only file is (`redis-durability.ts`).
 * 2. A row is in Redis, or its document says that it rests; never neither. Before a row takes a step in Redis, its
 *    document says that it moves: a lost Redis is noticed, and no step is taken again from an old document.
 * 3. A document is written only over an older version of itself, so a late write changes nothing. A removed row leaves a
 *    document of the highest version for an hour, so that a late write does not bring it back.
 */

import { now } from '../../platform/lib/clock.ts';
import { byIds, pages, picking } from '../../platform/store/pages.ts';
import type { Collection } from '../../platform/store/port.ts';
import { NodewrightError } from '../../vocabulary/errors.ts';
import { HOUR_MS } from '../../vocabulary/units.ts';
import type { StepRow } from '../step/row.ts';
import { Activation } from './activation.ts';
import { type FixedConditions, KnownFields } from './fixed-fields.ts';
import type { Healing } from './healing.ts';
import { Overlay, presentRows } from './overlay.ts';
import {
  inPhase,
  isPresent,
  type LiveRows,
  type RecordedRow,
  type RowCache,
  type RowChange,
  type RowView,
  type RowWrite,
} from './port.ts';
import type { RecentLines } from './recent-lines.ts';
import type { RecordDelay } from './record-delay.ts';
import type { Recorder, RestingRow } from './recorder.ts';
import type { RedisHistory } from './redis-history.ts';
import type { RedisRows } from './redis-rows.ts';
import { RestingDocuments } from './resting-documents.ts';

/** Above that of each row. */
const LAST_VERSION = Number.MAX_SAFE_INTEGER;

/** ms for which a removed row leaves a document. */
const KEPT_MS = HOUR_MS;

/** Replies of scripts: the row rests, or is about to; it is not in Redis; Redis has lost everything. */
const AT_REST = -1;
const NOT_HERE = -2;
const NO_EPOCH = -9;

export class RedisLive<R extends StepRow> implements LiveRows<R>, RestingRow<R> {
  readonly view: RowView<R>;
  readonly #rows: RedisRows<R>;
  readonly #record: Collection<RecordedRow<R>>;
  readonly #resting: RestingDocuments<R>;
  readonly #recent: RecentLines | undefined;
  readonly #activation: Activation<R>;
  readonly #recorder: () => Pick<Recorder<R>, 'admit' | 'note' | 'drop'>;
  readonly #known: KnownFields;
  readonly #healing: () => Pick<Healing, 'notice' | 'whenReady'>;
  cache: RowCache<R> = new Map<string, R>();

  /** @param recorder gets each saved row whose document is behind now; it is made after this */
  constructor(
    rows: RedisRows<R>,
    record: Collection<RecordedRow<R>>,
    history: RedisHistory | undefined,
    recorder: () => Pick<Recorder<R>, 'admit' | 'note' | 'drop'>,
    healing: () => Pick<Healing, 'notice' | 'whenReady'>,
  ) {
    this.#rows = rows;
    this.#record = record;
    this.#resting = new RestingDocuments(record, history, (row) => rows.kind.isOver(row));
    this.#recent = history?.recent;
    this.#activation = new Activation(rows, record, () => healing().notice());
    this.#recorder = recorder;
    this.#healing = healing;
    this.#known = new KnownFields(rows.kind.fixed);
    this.view = new Overlay(this, record, presentRows, rows.kind.fixed);
  }

  get recordDelay(): RecordDelay {
    return this.#rows.recordDelay;
  }

  async get(id: string): Promise<R | undefined> {
    await this.#healing().whenReady();
    const [row] = await this.#rows.getAll([id]);
    if (row !== undefined) return row;
    const found = await this.#activation.document(id);
    return found && isPresent(found) ? this.#rows.read(found) : undefined;
  }

  async getAll(ids: readonly string[]): Promise<R[]> {
    await this.#healing().whenReady();
    const moving = await this.#rows.getAll(ids);
    const known = new Set(moving.map(({ id }) => id));
    const others = ids.filter((id) => !known.has(id));
    const found = others.length === 0 ? [] : await this.#activation.documents(others);
    return [...moving, ...found.flatMap((row) => (row && isPresent(row) ? [this.#rows.read(row)] : []))];
  }

  /**
   * Waits until rows may be written.
   * @throws NodewrightError UNAVAILABLE for new ones, when too many rows wait for the record
   */
  async open(isNew: boolean): Promise<void> {
    if (isNew) this.#recorder().admit();
    await this.#healing().whenReady();
  }

  /** Notes what was written. @param reply 1: it was written @throws NodewrightError UNAVAILABLE if Redis is empty */
  accept(written: RowWrite<R>, reply: number): boolean {
    if (reply === NO_EPOCH) throw this.#emptiedError();
    if (reply !== 1) return false;
    const { before, row } = written;
    this.#recent?.note(written, this.#rows.linesOf(row));
    const { kind } = this.#rows;
    if (before === undefined || kind.isOver(row) || this.#rows.isFilteredDifferently(before, row)) {
      this.#recorder().note(row);
    }
    return true;
  }

  async insert(rows: readonly R[]): Promise<boolean[]> {
    await this.open(true);
    const written = rows.map((row) => ({ row }));
    const replies = await this.#rows.write('insert', written);
    return replies.map((reply, at) => this.accept(written[at] as RowWrite<R>, reply));
  }

  /** The script rejects a row that leaves Redis between the two. */
  async insertOnce(rows: readonly R[]): Promise<boolean[]> {
    const ids = rows.map(({ id }) => id);
    const known = new Set((await byIds(this.#record, ids)).map(({ id }) => id));
    const inserted = await this.insert(rows.filter(({ id }) => !known.has(id)));
    return ids.map((id) => !known.has(id) && inserted.shift() === true);
  }

  async withdraw(row: R): Promise<void> {
    this.#recorder().drop(row.id);
    await this.#rows.run('withdraw', [row]);
  }

  async save(changes: readonly RowChange<R>[]): Promise<(boolean | Error)[]> {
    if (changes.length === 0) return [];
    await this.open(false);
    const resting = new Set(changes.filter(({ before }) => this.#activation.isAtRest(before)));
    const moving = changes.filter((change) => !resting.has(change));
    const replies = await this.#rows.write('save', moving);
    const replyOf = (change: RowChange<R>) => (resting.has(change) ? NOT_HERE : (replies.shift() as number));
    // One that Redis has lost is no failure of the others.
    return Promise.all(changes.map((change) => this.#isSaved(change, replyOf(change)).catch(asError)));
  }

  /**
   * Rows that are over become documents instead of a save, and leave Redis. If MongoDB does not take them, they are
   * saved as others are, and rest later. A row that is over changes no more but by this, so it needs no fence.
   */
  async settle(changes: readonly RowChange<R>[]): Promise<(boolean | Error)[]> {
    const over = changes.filter(({ row }) => this.#rows.kind.isOver(row));
    const others = changes.filter((change) => !over.includes(change));
    const [ended, saved] = await Promise.all([this.#end(over), this.save(others)]);
    return changes.map((change) => (over.includes(change) ? ended : saved).shift() ?? false);
  }

  async #end(changes: readonly RowChange<R>[]): Promise<(boolean | Error)[]> {
    if (changes.length === 0) return [];
    if (!(await this.#resting.tryToEnd(changes))) return this.save(changes);
    for (const { row } of changes) this.#recent?.forget(row.id);
    const replies = await this.#rows.run(
      'leave',
      changes.map(({ before }) => before),
    );
    return replies.map((reply) => reply === 1);
  }

  isReplicated(change: RowChange<R>): boolean {
    return this.#rows.isReplicated(change);
  }

  /** Whether the row was saved. If another process was first, the caller takes the step again. */
  async #isSaved(change: RowChange<R>, reply: number): Promise<boolean> {
    if (reply === NOT_HERE) return this.accept(change, await this.#activation.resume(change));
    if (reply === AT_REST) await this.#activation.activate(change.row.id);
    return this.accept(change, reply);
  }

  /** Lets a row that rests take steps again. @param reply of the script that found it so @returns whether it rested */
  async awaken(id: string, reply: number): Promise<boolean> {
    if (reply === AT_REST) await this.#activation.activate(id);
    return reply === AT_REST || (reply === NOT_HERE && (await this.#activation.revive(id)));
  }

  #emptiedError(): NodewrightError {
    this.#healing().notice();
    return new NodewrightError('UNAVAILABLE', 'Redis has lost the live state; it is being restored');
  }

  /** In this order: a process that dies in between leaves a row that the next removal finds. */
  async remove(id: string): Promise<void> {
    const row = { id, version: LAST_VERSION };
    this.#recorder().drop(id);
    this.#recent?.forget(id);
    if (!this.#rows.kind.isRecordedAtOnce) {
      const [removed] = await this.#rows.run('removeUnrecorded', [row]);
      if (removed === 1) return;
    }
    const removed = { ...row, phase: 'removed', updatedAt: new Date(now()).toISOString() };
    await this.#record.put([removed as unknown as RecordedRow<R>]);
    await this.#rows.run('remove', [row]);
  }

  remember(cache: RowCache<R>): void {
    this.cache = cache;
  }

  async *leftRows(quietMs: number): AsyncGenerator<R> {
    yield* this.#rows.each(await this.#rows.olderThan('left', quietMs));
    // Left by an earlier version.
    for await (const row of pages(this.#record, { pending: true, phase: { $ne: 'moving' } }))
      yield this.#rows.read(row);
  }

  async *dueRows(until: number): AsyncGenerator<R> {
    yield* this.#rows.each(await this.#rows.ids('due', until));
    for await (const row of pages(this.#record, { timerAt: { $lte: until }, phase: { $ne: 'moving' } }))
      yield this.#rows.read(row);
  }

  async unrecordedRows(conditions: FixedConditions = []): Promise<R[]> {
    const ids = await this.#rows.ids('unrecorded');
    const rows = await this.#rows.getAll(ids.filter((id) => this.#known.mayMeet(id, conditions)));
    this.#known.note(rows);
    return rows;
  }

  async movingRows(): Promise<R[]> {
    const ids = new Set(await this.#rows.ids('unrecorded'));
    for await (const { id } of pages(picking(this.#record, []), { phase: 'moving' })) ids.add(id);
    return this.#rows.getAll([...ids]);
  }

  async takeUnrecorded(limit: number): Promise<R[]> {
    return this.#rows.getAll(await this.#rows.take('unrecorded', limit, this.#rows.kind.holdMs));
  }

  async record(rows: readonly R[]): Promise<void> {
    await this.#record.put(rows.map((row) => inPhase(row, 'moving')));
    await this.#rows.run('recorded', rows);
  }

  async takeIdle(limit: number): Promise<R[]> {
    return this.#rows.getAll(await this.#rows.take('idle', limit, this.#rows.kind.holdMs));
  }

  async rest(rows: readonly R[]): Promise<void> {
    const began = await this.#rows.run('rest', rows);
    const resting = rows.flatMap((row, at) => (began[at] === 1 ? [{ ...row, version: row.version + 1 }] : []));
    // Above each version that a record of the live row may have, which is then late.
    await this.#resting.store(resting.map((row) => ({ ...row, version: row.version + 1 })));
    await this.#rows.run('forget', resting);
  }

  /** Forgets removed rows. A process that has hung for so long writes nothing any more. */
  async purge(): Promise<void> {
    const before = new Date(now() - KEPT_MS).toISOString();
    await this.#record.remove({ phase: 'removed', updatedAt: { $lte: before } });
  }
}

function asError(error: unknown): Error {
  if (error instanceof Error) return error;
  throw error;
}
