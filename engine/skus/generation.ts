/**
 * The generation of the SKUs: a number that grows with each change of any of them, and how far the nodes have been
 * classified by it. One document, so that whoever dies leaves the rest to whoever comes next.
 *
 * 1. It grows before a change and after it. Whoever reads the SKUs after the generation, and finds the generation as it
 *    was later on, knows that it has them all.
 * 2. A change that is under way stands in it. So one whose process died in the middle is not forgotten: when it has been
 *    under way for too long, it counts as made (`forget`).
 * 3. Progress is written only for the generation that it was made by: a change in between starts it again.
 */
import { randomUUID } from 'node:crypto';
import type { Collection, CollectionSpec, Update } from '../store/port.ts';

export interface Regeneration {
  id: string;
  generation: number;
  /** Changes under way. */
  changing: string[];
  /** All nodes were classified by this generation. */
  done: number;
  /** The one that they are being classified by, or were last. */
  target: number;
  /** All nodes up to this id are classified by `target`. */
  cursor: string;
  /** Nodes seen so far, those that got another SKU, and about how many there are. */
  seen: number;
  changed: number;
  total: number;
}

export type Progress = Pick<Regeneration, 'cursor' | 'seen' | 'changed' | 'total'>;

export const regenerationSpec: CollectionSpec = { name: 'regenerations', indexes: {} };

const id = 'skus';
export const atFirst: Progress = { cursor: '', seen: 0, changed: 0, total: 0 };
const never: Regeneration = { id, generation: 0, changing: [], done: 0, target: 0, ...atFirst };

export class Generation {
  readonly #stored: Collection<Regeneration>;
  /** Tells all processes that a change was made. */
  readonly #tell: () => Promise<void>;
  #known = 0;

  constructor(stored: Collection<Regeneration>, tell: () => Promise<void>) {
    this.#stored = stored;
    this.#tell = tell;
  }

  /** As this process read it last; 0: as far as it knows there never was a SKU. */
  get known(): number {
    return this.#known;
  }

  async read(): Promise<Regeneration> {
    const state = (await this.#stored.get(id)) ?? never;
    this.#known = state.generation;
    return state;
  }

  /** @param change a write of SKUs; its result, or what it throws, is this one's */
  async change<T>(change: () => Promise<T>): Promise<T> {
    const token = randomUUID();
    await this.#grow({ $push: { changing: token } });
    try {
      return await change();
    } finally {
      await this.#grow({ $pull: { changing: token } });
      await this.#tell();
    }
  }

  /** Changes of which nothing was heard for long. */
  async forget(tokens: readonly string[]): Promise<void> {
    for (const token of tokens) await this.#grow({ $pull: { changing: token } });
  }

  async #grow(change: Update): Promise<void> {
    const grow = () => this.#stored.update({ id }, { ...change, $inc: { generation: 1 } });
    if ((await grow()) !== undefined) return;
    await this.#stored.insertMissing([never]);
    await grow();
  }

  /** @returns whether `target` is still the generation. */
  async keep(target: number, progress: Progress): Promise<boolean> {
    const kept = await this.#stored.update({ id, generation: target }, { $set: { target, ...progress } });
    return kept !== undefined;
  }

  async finish(target: number): Promise<void> {
    await this.#stored.update({ id, generation: target }, { $set: { done: target } });
  }
}
