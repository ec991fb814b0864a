/** The live port on the journal of the embedded store, whose rules are those of `journal-writer.ts`. */

import { AHEAD_MS, now } from '../../platform/lib/clock.ts';
import { byIds, pages } from '../../platform/store/pages.ts';
import type { StepRow } from '../step/row.ts';
import type { FixedConditions } from './fixed-fields.ts';
import type { JournalWriter } from './journal-writer.ts';
import { type MovingRows, PlannedWrite } from './moving-rows.ts';
import { Overlay } from './overlay.ts';
import type { LiveRows, RowChange, RowView } from './port.ts';

export class JournalLive<R extends StepRow> implements LiveRows<R> {
  readonly view: RowView<R>;
  readonly #rows: MovingRows<R>;
  readonly #writer: JournalWriter;

  constructor(rows: MovingRows<R>, writer: JournalWriter) {
    this.#rows = rows;
    this.#writer = writer;
    const live = {
      get: (id: string) => this.get(id),
      getAll: (ids: readonly string[]) => this.getAll(ids),
      unrecordedRows: async (conditions: FixedConditions) => rows.rowsNear(conditions),
      movingRows: async () => rows.all(),
    };
    this.view = new Overlay(live, rows.documents, {}, rows.kind.fixed);
  }

  async get(id: string): Promise<R | undefined> {
    return this.#rows.get(id) ?? (await this.#rows.documents.get(id));
  }

  async getAll(ids: readonly string[]): Promise<R[]> {
    const moving = ids.flatMap((id) => this.#rows.get(id) ?? []);
    const known = new Set(moving.map(({ id }) => id));
    const others = ids.filter((id) => !known.has(id));
    return [...moving, ...(await byIds(this.#rows.documents, others))];
  }

  insert(rows: readonly R[]): Promise<boolean[]> {
    return Promise.all(rows.map((row) => this.#writer.write(new PlannedWrite(this.#rows, { row }))));
  }

  insertOnce(rows: readonly R[]): Promise<boolean[]> {
    return this.insert(rows);
  }

  async withdraw({ id, version }: R): Promise<void> {
    if ((await this.get(id))?.version === version) await this.remove(id);
  }

  save(changes: readonly RowChange<R>[]): Promise<(boolean | Error)[]> {
    return this.#each(changes, (write) => this.#writer.write(write));
  }

  settle(changes: readonly RowChange<R>[]): Promise<(boolean | Error)[]> {
    return this.#each(changes, (write) => this.#writer.settle(write));
  }

  #each(changes: readonly RowChange<R>[], write: (planned: PlannedWrite<R>) => Promise<boolean>) {
    return Promise.all(
      changes.map((change) => write(new PlannedWrite(this.#rows, change)).catch((error: Error) => error)),
    );
  }

  isReplicated(): boolean {
    return false;
  }

  async remove(id: string): Promise<void> {
    await this.#writer.remove(this.#rows, id);
  }

  remember(): void {}

  leftRows(quietMs: number): AsyncGenerator<R> {
    return pages(this.view, { pending: true, ...(quietMs > 0 && unchangedFor(quietMs)) });
  }

  dueRows(until: number): AsyncGenerator<R> {
    return pages(this.view, { timerAt: { $lte: until } });
  }
}

/** A row that was saved in the future was saved before the clock was set back. */
const unchangedFor = (ms: number) => {
  const at = (offset: number) => new Date(now() + offset).toISOString();
  return { $or: [{ updatedAt: { $lte: at(-ms) } }, { updatedAt: { $gt: at(AHEAD_MS) } }] };
};
