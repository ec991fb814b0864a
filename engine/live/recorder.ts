/**
 * Keeps the record up to date, behind the steps: documents of live rows whose filtered fields changed, many at a time;
 * and whole documents of rows that rest, which then leave Redis.
 *
 * 1. A process records its own changes within `LINGER_MS`, and those of a process that died when their time has come.
 * 2. The record being away delays both. New rows are refused when `BEHIND_LIMIT` changes wait; the others go on.
 */
import { NodewrightError } from '../define/errors.ts';
import { Reconciler } from '../lib/reconciler.ts';
import type { StepRow } from '../step/row.ts';
import type { RowKind } from './redis-rows.ts';

/** The part of the live rows that the recorder moves. */
export interface Resting<R> {
  record(rows: readonly R[]): Promise<void>;
  /** Takes rows whose documents are behind, and that no living process records. */
  takeUnrecorded(limit: number): Promise<R[]>;
  /** Takes rows that were idle long enough to rest. */
  takeIdle(limit: number): Promise<R[]>;
  /** Makes documents of rows, unless they took a step meanwhile. */
  rest(rows: readonly R[]): Promise<void>;
  /** Deletes documents that are no longer needed to fence late writes. */
  purge(): Promise<void>;
}

/** A workflow that ends sooner is recorded once, at its end. */
const LINGER_MS = 100;
const PASS_MS = 500;
const PURGE_MS = 600_000;
const BATCH = 200;
const BEHIND_LIMIT = 10_000;

export class Recorder<R extends StepRow> {
  readonly #live: Resting<R>;
  readonly #waiting = new Map<string, R>();
  readonly #isAtOnce: boolean;
  readonly #isOver: (row: R) => boolean;
  /** Rows that took their last step here. */
  readonly #over = new Map<string, R>();
  readonly #writing: Reconciler<'changed'>;
  readonly #resting: Reconciler<'changed'>;
  readonly #purging: Reconciler<never>;
  #soon: NodeJS.Timeout | undefined;

  constructor(live: Resting<R>, kind: RowKind<R>, failed: (error: unknown) => void) {
    const { name } = kind;
    this.#live = live;
    this.#isAtOnce = kind.isRecordedAtOnce;
    this.#isOver = (row) => kind.isOver(row);
    this.#writing = new Reconciler({
      name: `record ${name}`,
      everyMs: PASS_MS,
      firstMs: PASS_MS,
      pass: () => this.#write(),
      failed,
    });
    this.#resting = new Reconciler({
      name: `rest ${name}`,
      everyMs: PASS_MS,
      firstMs: PASS_MS,
      pass: () => this.#rest(),
      failed,
    });
    this.#purging = new Reconciler({
      name: `purge ${name}`,
      everyMs: PURGE_MS,
      firstMs: PURGE_MS,
      pass: () => live.purge(),
      failed,
    });
  }

  start(): void {
    if (this.#isAtOnce) this.#writing.start();
    this.#resting.start();
    this.#purging.start();
  }

  /** @throws NodewrightError UNAVAILABLE when too many rows wait for the record */
  admit(): void {
    if (this.#waiting.size < BEHIND_LIMIT) return;
    throw new NodewrightError(
      'UNAVAILABLE',
      `MongoDB has not taken the last ${BEHIND_LIMIT} changes; nothing new starts until it does`,
    );
  }

  /** Records the row soon. */
  note(row: R): void {
    if (!this.#isAtOnce) return;
    if (this.#isOver(row)) {
      // It is recorded when it rests.
      this.#waiting.delete(row.id);
      if (!row.pending) this.#over.set(row.id, row);
    } else this.#waiting.set(row.id, row);
    this.#soon ??= setTimeout(() => {
      this.#soon = undefined;
      if (this.#waiting.size > 0) void this.#writing.request('changed');
      if (this.#over.size > 0) void this.#resting.request('changed');
    }, LINGER_MS);
  }

  /** The row is removed. */
  drop(id: string): void {
    this.#waiting.delete(id);
    this.#over.delete(id);
  }

  async #write(): Promise<void> {
    while (this.#waiting.size > 0) {
      const rows = [...this.#waiting.values()].slice(0, BATCH);
      await this.#live.record(rows);
      // A row that changed meanwhile waits again.
      for (const row of rows) if (this.#waiting.get(row.id) === row) this.#waiting.delete(row.id);
    }
    if (this.#isAtOnce) await this.#live.record(await this.#live.takeUnrecorded(BATCH));
  }

  async #rest(): Promise<void> {
    while (this.#over.size > 0) {
      const rows = [...this.#over.values()].slice(0, BATCH);
      for (const { id } of rows) this.#over.delete(id);
      await this.#live.rest(rows);
    }
    for (let idle = await this.#live.takeIdle(BATCH); idle.length > 0; idle = await this.#live.takeIdle(BATCH)) {
      await this.#live.rest(idle.filter(({ pending }) => !pending));
      if (idle.length < BATCH) return;
    }
  }

  async close(): Promise<void> {
    clearTimeout(this.#soon);
    await this.#purging.close();
    await this.#resting.close();
    await this.#writing.close();
    await this.#write();
  }
}
