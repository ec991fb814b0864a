/** The history of workflows: the lines of each step, as they were saved with it. */
import { batch } from '../../platform/lib/batch.ts';
import type { Collection, CollectionSpec, VersionedDocument } from '../../platform/store/port.ts';
import type { HistoryStep } from '../step/row.ts';

export interface HistoryLog {
  /** Stores the lines of a step, unless they were saved with it. */
  write(step: HistoryStep): Promise<void>;
  /** Returns steps of the workflow whose last line is after the first `skip` lines, oldest first. */
  after(workflow: string, skip: number, limit: number): Promise<HistoryStep[]>;
  remove(workflow: string): Promise<void>;
}

/** Steps that were written together; `version` and `last` are those of the last one. */
export interface HistoryChunk extends VersionedDocument {
  workflow: string;
  last: number;
  steps: HistoryStep[];
}

export type StoredHistory = HistoryStep | HistoryChunk;

/** Lazy: a step's lines stay in its row until a later, synchronous write of the row drops them. */
export const historySpec: CollectionSpec = {
  name: 'history',
  indexes: { workflow: 'text' },
  lazy: true,
  whole: ['last'],
};

const HISTORY_BATCH = 200;
const BATCH_MS = 100;

export const stepsIn = (stored: StoredHistory): HistoryStep[] => ('steps' in stored ? stored.steps : [stored]);

/** Writes steps in batches, with a delay: until then the lines are in the rows, and the next steps need the store. */
export function documentHistory(collection: Collection<StoredHistory>): HistoryLog {
  const write = batch((steps: HistoryStep[]) => collection.insertMissing(steps), HISTORY_BATCH, BATCH_MS);
  return {
    async write(step) {
      await write(step);
    },
    async after(workflow, skip, limit) {
      const stored = await collection.find({ workflow, last: { $gt: skip } }, { limit });
      return stored.flatMap(stepsIn);
    },
    async remove(workflow) {
      await collection.remove({ workflow });
    },
  };
}
