/**
 * How long the tasks of each graph usually take: a sketch for each version and label, of runs that succeeded. The label ''
 * is the workflow as a whole.
 *
 * 1. Durations are counted when the step with the end is first saved, in memory, and added to the store every ten seconds.
 *    A crash loses those of ten seconds: they are statistics.
 * 2. Those of a team are counted apart, so that its members see nothing of others. The site sees all together.
 * 3. A version with less than ten runs of a label is judged by all versions of its graph.
 */
import { LRUCache } from 'lru-cache';
import type { UsualMs } from '../../api-port/index.ts';
import type { PendingEffects, WorkflowRow } from '../../durable/step/row.ts';
import { now } from '../../platform/lib/clock.ts';
import { intervalWhile, Reconciler } from '../../platform/lib/reconciler.ts';
import type { Collection, CollectionSpec } from '../../platform/store/port.ts';
import { addTo, bucketOf, runsIn, type Sketch, usualIn } from './sketch.ts';

export interface StoredDurations {
  /** Definition, owner and label. */
  id: string;
  definitionHash: string;
  graphName: string;
  label: string;
  /** The team that the workflows belonged to; absent: none. */
  owner?: string;
  buckets: Sketch;
  updatedAt: string;
}

export const durationSpec: CollectionSpec = {
  name: 'durations',
  indexes: { definitionHash: 'text', graphName: 'text', updatedAt: 'text' },
};

/** A workflow as a whole. */
const WHOLE = '';
/** The number of runs from which a sketch says something. */
export const ENOUGH_RUNS = 10;
const WRITE_INTERVAL_MS = 10_000;
const CACHED_MS = 10_000;
const PENDING_LIMIT = 10_000;

type UsualTimes = ReadonlyMap<string, UsualMs>;
type Pending = Omit<StoredDurations, 'updatedAt'>;

export class Durations {
  readonly #stored: Collection<StoredDurations>;
  readonly #reconciler: Reconciler;
  readonly #cache = new LRUCache<string, UsualTimes>({ max: 500, ttl: CACHED_MS });
  #pending = new Map<string, Pending>();

  constructor(stored: Collection<StoredDurations>, failed: (error: unknown) => void) {
    this.#stored = stored;
    this.#reconciler = new Reconciler({
      name: 'durations',
      everyMs: intervalWhile(() => this.#pending.size > 0, WRITE_INTERVAL_MS),
      pass: () => this.store(),
      failed,
    });
  }

  start(): void {
    this.#reconciler.start();
  }

  /** Counts the ends in a step. Called once for each step. */
  note(row: WorkflowRow, { lines, at }: Pick<PendingEffects, 'lines' | 'at'>): void {
    for (const { label, to, from } of lines) {
      if (to !== 'succeeded' || from === to) continue;
      if (label === undefined) this.#count(row, WHOLE, row.startedAt, at);
      else this.#count(row, label, row.tasks.find((task) => task.label === label)?.startedAt ?? null, at);
    }
  }

  #count({ definitionHash, graphName, owner }: WorkflowRow, label: string, from: string | null, to: string): void {
    if (from === null) return;
    const owned = owner === undefined ? {} : { owner };
    const id = `${owner === undefined ? definitionHash : `${definitionHash}@${owner}`} ${label}`;
    const pendingRun = this.#pending.get(id);
    if (pendingRun === undefined && this.#pending.size >= PENDING_LIMIT) return;
    const entry = pendingRun ?? { id, definitionHash, graphName, label, ...owned, buckets: {} };
    addTo(entry.buckets, { [bucketOf(Date.parse(to) - Date.parse(from))]: 1 });
    this.#pending.set(id, entry);
    this.#reconciler.shortenWait();
  }

  /** Adds what was counted to the store. */
  async store(): Promise<void> {
    const pending = [...this.#pending.values()];
    if (pending.length === 0) return;
    this.#pending = new Map();
    const updatedAt = new Date(now()).toISOString();
    await this.#stored.insertMissing(pending.map((entry) => ({ ...entry, buckets: {}, updatedAt })));
    await this.#stored.updateEach(
      pending.map(({ id, buckets }) => {
        const $inc = Object.fromEntries(Object.entries(buckets).map(([bucket, n]) => [`buckets.${bucket}`, n]));
        return { id, update: { $inc, $set: { updatedAt } } };
      }),
    );
  }

  /** Returns how long the labels of a version usually take. @param team only its workflows; absent: all */
  async usualTimes(
    { definitionHash, graphName }: Pick<WorkflowRow, 'definitionHash' | 'graphName'>,
    team?: string,
  ): Promise<UsualTimes> {
    const key = `${definitionHash} ${team ?? ''}`;
    const cached = this.#cache.get(key);
    if (cached !== undefined) return cached;
    const all = (await this.#stored.find({ graphName })).filter(({ owner }) => team === undefined || owner === team);
    const ownDurations = all.filter((stored) => stored.definitionHash === definitionHash);
    const usual = new Map<string, UsualMs>();
    for (const label of new Set(all.map((stored) => stored.label))) {
      const sketch = mergeSketches(ownDurations, label);
      const usualTime = usualIn(runsIn(sketch) >= ENOUGH_RUNS ? sketch : mergeSketches(all, label));
      if (usualTime !== null) usual.set(label, usualTime);
    }
    this.#cache.set(key, usual);
    return usual;
  }

  async close(): Promise<void> {
    await this.#reconciler.close();
    await this.store().catch(() => {}); // the stores may be gone
  }
}

function mergeSketches(stored: readonly StoredDurations[], label: string): Sketch {
  const sketch: Sketch = {};
  for (const { label: other, buckets } of stored) if (other === label) addTo(sketch, buckets);
  return sketch;
}
