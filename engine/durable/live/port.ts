/**
 * The live port: rows that move. Each step of a workflow or a node is one `save`. Implemented by
 * `journal-live.ts`, where the steps of a row that moves are in the journal of the embedded store, and by `redis-live.ts`,
 * where the row is in Redis; a row that rests is a document. Both pass `test/conformance/live.ts` and `pairs.ts`. When a write's promise resolves, it is on disk. The outcome of one that
 * fails with UNAVAILABLE is unknown.
 *
 * Called by: `runtime/rows.ts` (each step), `runtime/sweep.ts` (`leftRows`, `dueRows`), `runtime/pairs.ts` (`together`), requests
 *   (`view`, history).
 * Calls: nothing above it; `remember` lets it restore rows from the caller's memory.
 */

import type { Collection, Document } from '../../platform/store/port.ts';
import type { NodeRow } from '../step/node.ts';
import type { StepRow, WorkflowRow } from '../step/row.ts';
import type { HistoryLog } from './history-log.ts';

/**
 * A row as a document beside the live one, which may be ahead if it is moving. A removed one has only its id, the highest
 * version, and the time of its removal (`updatedAt`). Absent: resting, written by an earlier version.
 */
export type RecordedRow<R> = R & {
  phase?: Phase;
  /** The last history steps of a workflow that has ended, as a JSON text (`redis-history.ts`), if a read asks for it. */
  lines?: string;
};
export type Phase = 'moving' | 'resting' | 'removed';

/** The new key first: a key that is added to a spread copy makes a new hidden class. */
export const inPhase = <R>(row: R, phase: Phase): RecordedRow<R> => ({ phase, ...row });

export const isPresent = ({ phase }: { phase?: Phase }): boolean => phase !== 'removed';

/** A step of a row, to be saved. */
export interface RowChange<R> {
  /** As it was loaded or last saved, with the version before. Only the difference is written. */
  before: R;
  row: R;
}

/** A change of a row, or its insertion. */
export interface RowWrite<R> {
  before?: R;
  row: R;
}

/** A workflow and its node, which one step changes. */
export interface Pair {
  workflow: RowWrite<WorkflowRow>;
  node: HoldChange | RowChange<NodeRow>;
}

/**
 * A step of a node that needs no row before it, because it follows from the node's holder: a launch on an idle node, and
 * the end of the holder. It is saved if the node has that holder, and nothing that the step would have to keep.
 */
interface HoldChange {
  /** Before; '': none. */
  holder: string;
  /** Its version does not count: it gets the next one. */
  row: NodeRow;
}

/**
 * The new version of the node, if the pair was saved. Otherwise why not: `differs`: the node has another holder, or more in
 * its row, or the workflow is another; `rested`: the node may now be taken; `absent`: it has no row.
 */
export type PairOutcome = number | 'differs' | 'rested' | 'absent';

/** Rows as others see them: each read shows every write that was answered before, by any process. */
export type RowView<R extends Document> = Pick<Collection<R>, 'get' | 'find' | 'pick' | 'lastOf' | 'count'>;

export interface RowCache<R> {
  values(): Iterable<R>;
  /** They may be other rows than those on the server. */
  clear(): void;
}

export interface LiveRows<R extends StepRow> {
  readonly view: RowView<R>;
  get(id: string): Promise<R | undefined>;
  /** Returns the existing rows, in no particular order. */
  getAll(ids: readonly string[]): Promise<R[]>;
  /** @returns for each whether it was inserted; false: the row exists and is unchanged */
  insert(rows: readonly R[]): Promise<boolean[]>;
  /** The same for rows that may have existed long before: also those that were removed since are not inserted again. */
  insertOnce(rows: readonly R[]): Promise<boolean[]>;
  /** Takes back the insertion of a row that has taken no step. */
  withdraw(row: R): Promise<void>;
  /** Compare-and-set by version. @returns for each whether it was saved, or why the outcome of it alone is unknown */
  save(changes: readonly RowChange<R>[]): Promise<(boolean | Error)[]>;
  /** Saves rows, as `save` does, after which nothing is left to do for them at the moment: they may leave memory. */
  settle(changes: readonly RowChange<R>[]): Promise<(boolean | Error)[]>;
  /** Whether the save of the change waits for replicas, which takes longer: it is saved apart from others. */
  isReplicated(change: RowChange<R>): boolean;
  remove(id: string): Promise<void>;
  /** @param cache the rows in the caller's memory, from which rows that the server lost are restored */
  remember(cache: RowCache<R>): void;
  /** Yields the rows that need a process (`pending`) and were not saved for this many ms. */
  leftRows(quietMs: number): AsyncIterable<R>;
  /** Yields the rows whose timers may be due until then, in ms since the epoch. */
  dueRows(until: number): AsyncIterable<R>;
}

/** Rows that move, and their history. */
export interface LiveState {
  workflows: LiveRows<WorkflowRow>;
  nodes: LiveRows<NodeRow>;
  history: HistoryLog;
  /**
   * Saves both rows of each pair, or none. Absent: rows are saved one by one.
   * @returns for each the outcome, or why it is unknown
   */
  together?(pairs: readonly Pair[]): Promise<(PairOutcome | Error)[]>;
  /** Records the rows that are not recorded yet. */
  close(): Promise<void>;
}
