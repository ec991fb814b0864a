/**
 * Keeps the record up to date, behind the steps: documents of live rows whose filtered fields changed, many at a time;
 * and whole documents of rows that rest, which then leave Redis.
 *
 * 1. A process records its own changes, and those of a process that died when their time has come.
 * 2. A change waits (`record-delay.ts`): a workflow that has ended by then is recorded once, at its end. Only the loss of all
 *    of Redis together with this process loses a change that waits.
 * 3. A row that the record can never take is reported, and delays no other.
 * 4. While the record is away, all changes wait. New rows are rejected when `BEHIND_LIMIT` changes wait; the others continue.
 */

import { Reconciler } from '../../platform/lib/reconciler.ts';
import { togetherOrAlone } from '../../platform/lib/together-or-alone.ts';
import { NodewrightError } from '../../vocabulary/errors.ts';
import type { StepRow } from '../step/row.ts';
import type { RecordDelay } from './record-delay.ts';
import type { RowKind } from './redis-rows.ts';

/** The part of the live rows that the recorder moves. */
export interface RestingRow<R> {
  readonly recordDelay: RecordDelay;
  record(rows: readonly R[]): Promise<void>;
  /** Takes rows whose documents are behind, and that no living process records. */
  takeUnrecorded(limit: number): Promise<R[]>;
  /** Takes rows that were idle long enough to rest. */
  takeIdle(limit: number): Promise<R[]>;
  /** Makes documents of rows, unless they took a step in the meantime. */
  rest(rows: readonly R[]): Promise<void>;
  /** Deletes documents that are no longer needed to fence late writes. */
  purge(): Promise<void>;
}

interface WaitingRow<R> {
  row: R;
  /** When its oldest change was noted; ms of the monotonic clock. */
  since: number;
}

const PASS_MS = 500;
const PURGE_MS = 600_000;
const BATCH = 200;
const BEHIND_LIMIT = 10_000;

export class Recorder<R extends StepRow> {
  readonly #live: RestingRow<R>;
  /** By id, the oldest change first. */
  readonly #waiting = new Map<string, WaitingRow<R>>();
  readonly #kind: RowKind<R>;
  readonly #passes: readonly Reconciler[];
  readonly #failed: (error: unknown) => void;

  constructor(live: RestingRow<R>, kind: RowKind<R>, failed: (error: unknown) => void) {
    this.#live = live;
    this.#kind = kind;
    this.#failed = failed;
    const every = (name: string, everyMs: number, pass: () => Promise<void>) =>
      new Reconciler({ name: `${name} ${kind.name}`, everyMs, firstMs: everyMs, pass, failed });
    this.#passes = [
      ...(kind.isRecordedAtOnce
        ? [every('record', PASS_MS, () => this.#write(performance.now() - live.recordDelay.ms))]
        : []),
      every('rest', PASS_MS, () => this.#rest()),
      every('purge', PURGE_MS, () => live.purge()),
    ];
  }

  start(): void {
    for (const pass of this.#passes) pass.start();
  }

  /** @throws NodewrightError UNAVAILABLE when too many rows wait for the record */
  admit(): void {
    if (this.#waiting.size < BEHIND_LIMIT) return;
    throw new NodewrightError(
      'UNAVAILABLE',
      `MongoDB has not taken the last ${BEHIND_LIMIT} changes; nothing new starts until it does`,
    );
  }

  /** Records the row soon; one that is over is recorded when it is settled, or rests. */
  note(row: R): void {
    if (!this.#kind.isRecordedAtOnce) return;
    if (this.#kind.isOver(row)) {
      this.#waiting.delete(row.id);
      this.#live.recordDelay.add(this.#kind.lifetimeMs(row));
    } else this.#waiting.set(row.id, { row, since: this.#waiting.get(row.id)?.since ?? performance.now() });
  }

  /** The row is removed. */
  drop(id: string): void {
    this.#waiting.delete(id);
  }

  /** @param until ms of the monotonic clock: records the changes that were noted before */
  async #write(until: number): Promise<void> {
    for (let waiting = this.#notedRows(until); waiting.length > 0; waiting = this.#notedRows(until)) {
      await this.#ofEach(
        waiting.map(({ row }) => row),
        (rows) => this.#live.record(rows),
      );
      for (const { row } of waiting) {
        // A row that changed in the meantime waits again.
        const latest = this.#waiting.get(row.id);
        this.#waiting.delete(row.id);
        if (latest !== undefined && latest.row !== row) this.note(latest.row);
      }
    }
    await this.#ofEach(await this.#live.takeUnrecorded(BATCH), (rows) => this.#live.record(rows));
  }

  async #ofEach(rows: readonly R[], write: (rows: readonly R[]) => Promise<void>): Promise<void> {
    for (const error of (await togetherOrAlone(rows, write)).values()) this.#failed(error);
  }

  #notedRows(until: number): WaitingRow<R>[] {
    const noted: WaitingRow<R>[] = [];
    for (const waiting of this.#waiting.values()) {
      if (waiting.since > until || noted.length === BATCH) break;
      noted.push(waiting);
    }
    return noted;
  }

  async #rest(): Promise<void> {
    for (let idle = await this.#live.takeIdle(BATCH); idle.length > 0; idle = await this.#live.takeIdle(BATCH)) {
      await this.#ofEach(
        idle.filter(({ pending }) => !pending),
        (rows) => this.#live.rest(rows),
      );
      if (idle.length < BATCH) return;
    }
  }

  async close(): Promise<void> {
    for (const pass of this.#passes) await pass.close();
    await this.#write(performance.now());
  }
}
