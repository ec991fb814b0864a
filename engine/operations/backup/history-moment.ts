/** The history of workflows as of a moment, of which some steps are lists in Redis, and later ones are documents already. */
import { type HistoryChunk, historySpec, type StoredHistory, stepsIn } from '../../durable/live/history-log.ts';
import { workflowKind } from '../../durable/live/kinds.ts';
import type { RecordedRow } from '../../durable/live/port.ts';
import { RedisHistory } from '../../durable/live/redis-history.ts';
import { linesKey } from '../../durable/live/redis-rows.ts';
import type { WorkflowRow } from '../../durable/step/row.ts';
import type { RedisConnections } from '../../platform/redis/redis-connections.ts';
import type { Collection, Store } from '../../platform/store/port.ts';
import { sizedPages } from './sized-pages.ts';

const WORKFLOWS_PER_READ = 200;

/** The workflows of the moment. */
export interface IncludedHistory {
  /** Versions of those that could still change. */
  versions: ReadonlyMap<string, number>;
  /** Those that were over, with the version of the first step in the document of the row, which is included with it. */
  over: ReadonlyMap<string, number>;
}

export class HistoryMoment {
  readonly #stored: Collection<StoredHistory>;
  readonly #lists: RedisHistory;
  #chunks: HistoryChunk[] = [];

  private constructor(stored: Collection<StoredHistory>, lists: RedisHistory) {
    this.#stored = stored;
    this.#lists = lists;
  }

  static async open(
    store: Store,
    connections: RedisConnections,
    record: Collection<RecordedRow<WorkflowRow>>,
  ): Promise<HistoryMoment> {
    const stored = await store.collection<StoredHistory>(historySpec);
    const key = (id: string) => linesKey(workflowKind.name, id);
    return new HistoryMoment(stored, new RedisHistory(connections, stored, record, key));
  }

  /** While writes wait. */
  async read(workflows: readonly string[]): Promise<void> {
    for (let from = 0; from < workflows.length; from += WORKFLOWS_PER_READ) {
      this.#chunks.push(...(await this.#lists.chunks(workflows.slice(from, from + WORKFLOWS_PER_READ))));
    }
  }

  async *all(included: IncludedHistory): AsyncGenerator<StoredHistory[]> {
    // A list that became a document since is longer there.
    const ids = new Set(this.#chunks.map(({ id }) => id));
    for (let from = 0; from < this.#chunks.length; from += WORKFLOWS_PER_READ)
      yield this.#chunks.slice(from, from + WORKFLOWS_PER_READ);
    this.#chunks = [];
    for await (const page of sizedPages(this.#stored)) {
      yield page.flatMap((stored) => (ids.has(stored.id) ? [] : upTo(stored, included)));
    }
  }
}

/** Returns the steps of the moment. */
function upTo(stored: StoredHistory, { versions, over }: IncludedHistory): StoredHistory[] {
  const included = over.get(stored.workflow);
  const version = included === undefined ? versions.get(stored.workflow) : included - 1;
  if (version === undefined) return [];
  if (stored.version <= version) return [stored];
  const steps = stepsIn(stored).filter((step) => step.version <= version);
  const last = steps.at(-1);
  if (last === undefined) return [];
  return [{ id: stored.id, workflow: stored.workflow, version: last.version, last: last.last, steps }];
}
