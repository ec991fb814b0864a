/**
 * The live port: rows that move. Each step of a workflow or a node is one `save`. Implemented by `documents.ts`: a row
 * is a document of the store. When a write's promise resolves, it is on disk. The outcome of one that
 * fails with UNAVAILABLE is unknown.
 */
import type { StepRow } from '../step/row.ts';
import type { Collection, Document } from '../store/port.ts';

/** A step of a row, to be saved. */
export interface RowChange<R> {
  /** As it was loaded or last saved, with the version before: an adapter may write only the difference. */
  before: R;
  row: R;
}

/** Rows as others see them: each read shows every write that was answered before, by any process. */
export type RowView<R extends Document> = Pick<Collection<R>, 'get' | 'find' | 'pick' | 'count'>;

export interface Live<R extends StepRow> {
  readonly view: RowView<R>;
  get(id: string): Promise<R | undefined>;
  /** Returns the existing rows, in no particular order. */
  getAll(ids: readonly string[]): Promise<R[]>;
  /** @returns for each whether it was inserted; false: the row exists and is unchanged */
  insert(rows: readonly R[]): Promise<boolean[]>;
  /** Compare-and-set by version. @returns for each whether it was saved */
  save(changes: readonly RowChange<R>[]): Promise<boolean[]>;
  remove(id: string): Promise<void>;
  /** Yields the rows that need a process (`pending`) and were not saved for this many ms. */
  left(quietMs: number): AsyncIterable<R>;
  /** Yields the rows whose timers may be due until then, in ms since the epoch. */
  due(until: number): AsyncIterable<R>;
}
