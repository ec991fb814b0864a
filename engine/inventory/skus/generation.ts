/**
 * The generation of the SKUs: a number that increases with each change of any SKU, and the progress of classifying the
 * nodes by it. It is one document, so that another process can continue the work of a dead one.
 *
 * 1. It increases before and after each change. A process that reads the generation before the SKUs, and finds it
 *    unchanged later, has therefore read all changes.
 * 2. A running change is recorded in it. If its process dies, the change is not lost: after too long it is treated as
 *    made (`forget`).
 * 3. Progress is written only for the generation that it belongs to: a change in between restarts it.
 */
import { randomUUID } from 'node:crypto';
import type { Collection, CollectionSpec, Update } from '../../platform/store/port.ts';

export interface Regeneration {
  id: string;
  generation: number;
  /** Running changes. */
  changing: string[];
  /** All nodes are classified by this generation. */
  done: number;
  /** The generation of the running or last classification. */
  target: number;
  /** All nodes up to this id are classified by `target`. */
  cursor: string;
  /** Nodes classified so far, nodes reassigned, and the approximate total. */
  seen: number;
  changed: number;
  total: number;
}

export type RegenerationProgress = Pick<Regeneration, 'cursor' | 'seen' | 'changed' | 'total'>;

export const regenerationSpec: CollectionSpec = { name: 'regenerations', indexes: {} };

const id = 'skus';
export const atFirst: RegenerationProgress = { cursor: '', seen: 0, changed: 0, total: 0 };
const never: Regeneration = { id, generation: 0, changing: [], done: 0, target: 0, ...atFirst };

export class Generation {
  readonly #stored: Collection<Regeneration>;
  /** Notifies all processes of a change. */
  readonly #announce: () => Promise<void>;
  #knownGeneration = 0;

  constructor(stored: Collection<Regeneration>, announce: () => Promise<void>) {
    this.#stored = stored;
    this.#announce = announce;
  }

  /** The generation as this process last read it; 0: as far as it knows, there never was a SKU. */
  get knownGeneration(): number {
    return this.#knownGeneration;
  }

  async read(): Promise<Regeneration> {
    const state = (await this.#stored.get(id)) ?? never;
    this.#knownGeneration = state.generation;
    return state;
  }

  /** Runs a write of SKUs, and returns its result or throws its error. */
  async change<T>(change: () => Promise<T>): Promise<T> {
    const token = randomUUID();
    await this.#grow({ $push: { changing: token } });
    try {
      return await change();
    } finally {
      await this.#grow({ $pull: { changing: token } });
      await this.#announce();
    }
  }

  /** Treats changes that have run for too long as made. */
  async forget(tokens: readonly string[]): Promise<void> {
    for (const token of tokens) await this.#grow({ $pull: { changing: token } });
  }

  async #grow(change: Update): Promise<void> {
    const grow = () => this.#stored.update({ id }, { ...change, $inc: { generation: 1 } });
    if ((await grow()) !== undefined) return;
    await this.#stored.insertMissing([never]);
    await grow();
  }

  /** @returns whether `target` is still the current generation */
  async keep(target: number, progress: RegenerationProgress): Promise<boolean> {
    const regeneration = await this.#stored.update({ id, generation: target }, { $set: { target, ...progress } });
    return regeneration !== undefined;
  }

  async finish(target: number): Promise<void> {
    await this.#stored.update({ id, generation: target }, { $set: { done: target } });
  }
}
