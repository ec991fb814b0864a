/** The history of workflows: the lines of each step, as they were saved with it. */
import type { Collection, CollectionSpec, VersionedDocument } from '../../platform/store/port.ts';
import type { HistoryStep } from '../step/row.ts';

export interface HistoryLog {
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

export const historySpec: CollectionSpec = {
  name: 'history',
  indexes: { workflow: 'text' },
  whole: ['last'],
};

export const stepsIn = (stored: StoredHistory): HistoryStep[] => ('steps' in stored ? stored.steps : [stored]);

/** Returns the steps whose last line is after the first `skip` lines, oldest first. @param all some may be there twice */
export function stepsAfter(skip: number, all: readonly HistoryStep[]): HistoryStep[] {
  const steps = new Map(all.map((step) => [step.version, step]));
  return [...steps.values()].filter(({ last }) => last > skip).sort((a, b) => a.version - b.version);
}

/** A document of MongoDB has at most 16 MiB; a graph that polls for days has tens of thousands of lines before it rests. */
const CHUNK_LINES = 2_000;

/**
 * The documents of successive steps. Each is named after its first step: one with more steps replaces it, and the ones before
 * stay the same.
 */
export function chunksOf(steps: readonly HistoryStep[]): HistoryChunk[] {
  const chunks: HistoryChunk[] = [];
  let lines = 0;
  for (const step of steps) {
    const chunk = chunks.at(-1);
    const { id, workflow, version, last } = step;
    if (chunk === undefined || lines + step.lines.length > CHUNK_LINES) {
      chunks.push({ id, workflow, version, last, steps: [step] });
      lines = 0;
    } else {
      Object.assign(chunk, { version, last });
      chunk.steps.push(step);
    }
    lines += step.lines.length;
  }
  return chunks;
}

/** The history of the embedded store: documents, and of workflows that move, the steps that these lack. */
export class StoredLog implements HistoryLog {
  readonly #stored: Collection<StoredHistory>;
  readonly #moving: (workflow: string) => readonly HistoryStep[];

  /** @param moving returns steps that may not be in documents yet */
  constructor(stored: Collection<StoredHistory>, moving: (workflow: string) => readonly HistoryStep[]) {
    this.#stored = stored;
    this.#moving = moving;
  }

  async after(workflow: string, skip: number, limit: number): Promise<HistoryStep[]> {
    // Those that move first: they may become a document in the meantime.
    const moving = [...this.#moving(workflow)];
    const stored = await this.#stored.find({ workflow, last: { $gt: skip } }, { limit });
    return stepsAfter(skip, [...stored.flatMap(stepsIn), ...moving]);
  }

  async remove(workflow: string): Promise<void> {
    await this.#stored.remove({ workflow });
  }
}
