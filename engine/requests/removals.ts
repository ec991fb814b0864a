/**
 * Tombstones: the events of deleted documents, kept until they have been published.
 *
 * 1. A tombstone is written before its documents are deleted. It applies only to documents that were in fact deleted:
 *    if the process died first, they remain and the tombstone is dropped after a minute. No write takes that long.
 * 2. A published tombstone is kept for at least a minute, so that two concurrent deletions of the same node publish one
 *    event. A later publication deletes it.
 */
import { randomUUID } from 'node:crypto';
import { now } from '../runtime/clock.ts';
import { pages } from '../runtime/pages.ts';
import { AHEAD_MS } from '../runtime/sweep.ts';
import type { Collection, CollectionSpec } from '../store/port.ts';
import type { Note, Untold } from './node-events.ts';

interface Going {
  document: string;
  /** Distinguishes the document from a later one with the same id. */
  born: string;
  notes: readonly Note[];
}

export interface Removal {
  id: string;
  /** Name of the collection. */
  of: string;
  going: readonly Going[];
  at: string;
  told: boolean;
}

export const removalSpec: CollectionSpec = {
  name: 'removals',
  indexes: { of: 'text', told: 'boolean', at: 'text' },
};

const MINUTE_MS = 60_000;

/** Whether a record saved at this time is abandoned: older than `minAgeMs`, or from before the clock was set back. */
export function isLeft(at: string, minAgeMs: number): boolean {
  const age = now() - Date.parse(at);
  return age >= minAgeMs || age < -AHEAD_MS;
}

export class Removals {
  readonly #orders: Collection<Removal>;
  #cleared = now();

  constructor(orders: Collection<Removal>) {
    this.#orders = orders;
  }

  /** @returns undefined when the same deletion was ordered already; its first caller publishes the events */
  async order(of: string, going: readonly Going[], key: string = randomUUID()): Promise<Untold | undefined> {
    const order: Removal = { id: `${of} ${key}`, of, going, at: new Date(now()).toISOString(), told: false };
    const [first] = await this.#orders.insertMissing([order]);
    return first ? this.#untold(order.id, going) : undefined;
  }

  #untold(id: string, gone: readonly Going[]): Untold {
    return { notes: gone.flatMap(({ notes }) => notes), told: () => this.#told(id) };
  }

  async #told(id: string): Promise<void> {
    await this.#orders.update({ id }, { $set: { told: true } });
    if (now() - this.#cleared < MINUTE_MS) return;
    this.#cleared = now();
    await this.#orders.remove({ told: true, at: { $lte: new Date(now() - MINUTE_MS).toISOString() } });
  }

  /** Like `Telling.left`. @param standing returns `born` of those documents that still exist, by id */
  async *left(
    of: string,
    minAgeMs: number,
    standing: (ids: readonly string[]) => Promise<Map<string, string>>,
  ): AsyncGenerator<Untold> {
    for await (const { id, going, at } of pages(this.#orders, { told: false, of })) {
      if (!isLeft(at, minAgeMs)) continue;
      const there = await standing(going.map(({ document }) => document));
      const gone = going.filter(({ document, born }) => there.get(document) !== born);
      if (gone.length < going.length && minAgeMs > 0 && !isLeft(at, MINUTE_MS)) continue;
      if (gone.length > 0) yield this.#untold(id, gone);
      else await this.#orders.remove({ id });
    }
  }
}
