/**
 * The history of workflows whose rows are in Redis: a save appends its lines to a list. When the row comes to rest, the
 * list becomes a document; that of a workflow that has ended is a part of the row's own document, unless it is long.
 *
 * The part is in the write that makes the document rest, before the list leaves Redis with the row. Of a workflow that
 * has ended, only a later version of the same, or its removal, replaces the document: the list was there until then.
 */
import type { RedisConnections } from '../../platform/redis/redis-connections.ts';
import { shownError } from '../../platform/redis/redis-errors.ts';
import type { Collection } from '../../platform/store/port.ts';
import type { HistoryStep } from '../step/row.ts';
import {
  chunksOf,
  type HistoryChunk,
  type HistoryLog,
  type StoredHistory,
  stepsAfter,
  stepsIn,
} from './history-log.ts';
import type { RecordedRow } from './port.ts';
import { RecentLines } from './recent-lines.ts';

/** A JSON text of each step. */
type StepTexts = readonly string[];

type RecordedHistory = Pick<Collection<RecordedRow<{ id: string }>>, 'find'>;

/** Characters of a list that is a part of its row's document. */
const MAX_PART = 262_144;

export class RedisHistory implements HistoryLog {
  readonly #connections: RedisConnections;
  readonly #stored: Collection<StoredHistory>;
  readonly #record: RecordedHistory;
  readonly #key: (workflow: string) => string;
  readonly recent: RecentLines;

  /** @param record the documents of the workflows */
  constructor(
    connections: RedisConnections,
    stored: Collection<StoredHistory>,
    record: RecordedHistory,
    key: (workflow: string) => string,
  ) {
    this.#connections = connections;
    this.#stored = stored;
    this.#record = record;
    this.#key = key;
    this.recent = new RecentLines(() => connections.losses);
  }

  async after(workflow: string, skip: number, limit: number): Promise<HistoryStep[]> {
    // The list first: its steps may become a document in the meantime.
    const [moving = []] = await this.#lists([workflow]);
    const [stored, recorded] = await Promise.all([
      this.#stored.find({ workflow, last: { $gt: skip } }, { limit }),
      this.#record.find({ id: workflow }, { limit: 1, apart: true }),
    ]);
    return stepsAfter(skip, [...recorded.flatMap(stepsInPart), ...stored.flatMap(stepsIn), ...moving.map(parseStep)]);
  }

  /** Stores the lists of the workflows as documents. The lists stay. */
  async store(workflows: readonly string[]): Promise<void> {
    await this.#put(await this.#lists(workflows));
  }

  /**
   * Returns the list of each workflow that has ended as a part of its document; a long one becomes a document.
   * @param known the lists that are known
   */
  async parts(workflows: readonly string[], known: ReadonlyMap<string, StepTexts>): Promise<(string | undefined)[]> {
    const unknown = workflows.filter((id) => !known.has(id));
    const lists = await this.#lists(unknown);
    const read = new Map(unknown.map((id, at) => [id, lists[at] ?? []]));
    const all = workflows.map((id) => known.get(id) ?? read.get(id) ?? []);
    await this.#put(all.filter(isLong));
    return all.map((list) => (list.length === 0 || isLong(list) ? undefined : `[${list.join(',')}]`));
  }

  async #put(lists: readonly StepTexts[]): Promise<void> {
    const chunks = lists.flatMap((list) => chunksOf(list.map(parseStep)));
    if (chunks.length > 0) await this.#stored.put(chunks as (StoredHistory & HistoryChunk)[]);
  }

  /** Returns the documents that the lists of the workflows would be. */
  async chunks(workflows: readonly string[]): Promise<HistoryChunk[]> {
    return (await this.#lists(workflows)).flatMap((list) => chunksOf(list.map(parseStep)));
  }

  async #lists(workflows: readonly string[]): Promise<StepTexts[]> {
    if (workflows.length === 0) return [];
    const pipeline = this.#connections.commands.pipeline();
    for (const id of workflows) pipeline.lrange(this.#key(id), 0, -1);
    const replies = (await this.#connections.within(pipeline.exec())) as [Error | null, string[]][];
    return replies.map(([error, lines]) => {
      if (error !== null) throw shownError(error);
      return lines;
    });
  }

  async remove(workflow: string): Promise<void> {
    await this.#stored.remove({ workflow });
  }
}

const parseStep = (text: string): HistoryStep => JSON.parse(text) as HistoryStep;

const isLong = (list: StepTexts): boolean => list.reduce((length, text) => length + text.length, 0) > MAX_PART;

/** Returns the steps in the document of a workflow that has ended. */
export const stepsInPart = ({ lines }: { lines?: string }): HistoryStep[] =>
  lines === undefined ? [] : (JSON.parse(lines) as HistoryStep[]);
