/**
 * Who is there: each process counts in a document of its own, and one whose count goes on is alive. No clocks are
 * compared, so it does not matter how far they are apart.
 */
import { setTimeout } from 'node:timers/promises';
import type { Collection, CollectionSpec } from '../store/port.ts';

export interface Beat {
  id: string;
  count: number;
}

export const presenceSpec: CollectionSpec = { name: 'processes', indexes: {}, lazy: true };

const BEAT_MS = 1_000;
/** Longer than a beat is late on a busy machine. */
const LISTEN_MS = 4_000;

export class Presence {
  readonly #beats: Collection<Beat>;
  readonly #id: string;
  #timer: NodeJS.Timeout | undefined;
  #beating: Promise<unknown> | undefined;

  constructor(beats: Collection<Beat>, id: string) {
    this.#beats = beats;
    this.#id = id;
  }

  async start(): Promise<void> {
    await this.#beats.insertMissing([{ id: this.#id, count: 0 }]);
    this.#timer = setInterval(() => this.#beat(), BEAT_MS);
  }

  #beat(): void {
    this.#beating ??= this.#beats
      .update({ id: this.#id }, { $inc: { count: 1 } })
      .catch(() => {}) // a store that is away: the next beat tells
      .finally(() => {
        this.#beating = undefined;
      });
  }

  /** Takes a few seconds. While the store is away nobody is taken for dead. */
  async alive(id: string): Promise<boolean> {
    const before = await this.#beats.get(id);
    if (before === undefined) return false;
    await setTimeout(LISTEN_MS, undefined, { ref: false });
    const after = await this.#beats.get(id);
    if (after?.count !== before.count) return true;
    await this.#beats.remove({ id, count: before.count });
    return false;
  }

  async close(): Promise<void> {
    clearInterval(this.#timer);
    await this.#beating;
    await this.#beats.remove({ id: this.#id }).catch(() => {});
  }
}
