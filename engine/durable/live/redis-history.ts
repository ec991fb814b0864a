/**
 * The history of workflows whose rows are in Redis: a save appends its lines to a list; the list becomes a document when
 * the row rests, or is long.
 */
import type { RedisConnections } from '../../platform/redis/redis-connections.ts';
import { shownError } from '../../platform/redis/redis-errors.ts';
import type { Collection } from '../../platform/store/port.ts';
import type { HistoryStep } from '../step/row.ts';
import { type HistoryChunk, type HistoryLog, type StoredHistory, stepsIn } from './history-log.ts';

export class RedisHistory implements HistoryLog {
  readonly #connections: RedisConnections;
  readonly #stored: Collection<StoredHistory>;
  readonly #key: (workflow: string) => string;

  constructor(connections: RedisConnections, stored: Collection<StoredHistory>, key: (workflow: string) => string) {
    this.#connections = connections;
    this.#stored = stored;
    this.#key = key;
  }

  async write(): Promise<void> {}

  async after(workflow: string, skip: number, limit: number): Promise<HistoryStep[]> {
    // The list first: its steps may become a document in the meantime.
    const [moving = []] = await this.#lists([workflow]);
    const stored = await this.#stored.find({ workflow, last: { $gt: skip } }, { limit });
    const steps = new Map([...stored.flatMap(stepsIn), ...moving].map((step) => [step.version, step]));
    return [...steps.values()].filter(({ last }) => last > skip).sort((a, b) => a.version - b.version);
  }

  /** Stores the lists of the workflows as documents. The lists stay. */
  async store(workflows: readonly string[]): Promise<void> {
    await this.#stored.put((await this.chunks(workflows)) as (StoredHistory & HistoryChunk)[]);
  }

  /** Returns the documents that the lists of the workflows would be. */
  async chunks(workflows: readonly string[]): Promise<HistoryChunk[]> {
    return (await this.#lists(workflows)).flatMap(chunkOf);
  }

  async #lists(workflows: readonly string[]): Promise<HistoryStep[][]> {
    const pipeline = this.#connections.commands.pipeline();
    for (const id of workflows) pipeline.lrange(this.#key(id), 0, -1);
    const replies = (await this.#connections.within(pipeline.exec())) as [Error | null, string[]][];
    return replies.map(([error, lines]) => {
      if (error !== null) throw shownError(error);
      return lines.map((line) => JSON.parse(line) as HistoryStep);
    });
  }

  async remove(workflow: string): Promise<void> {
    await this.#stored.remove({ workflow });
  }
}

/** Named after its first step: a list that has become longer replaces its document. */
function chunkOf(steps: readonly HistoryStep[]): HistoryChunk[] {
  const [first, last] = [steps[0], steps.at(-1)];
  if (first === undefined || last === undefined) return [];
  const { workflow } = first;
  return [{ id: first.id, workflow, version: last.version, last: last.last, steps: [...steps] }];
}
