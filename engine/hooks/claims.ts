/**
 * Ownership of a hook: its record names the process that delivers to it. A job can reach a second process while
 * the first still runs (its lock was lost, or it did not respond for a moment on a busy machine); the first then
 * keeps the hook, and nothing is posted twice.
 */
import type { Cluster } from '../cluster/cluster.ts';
import type { Collection } from '../store/port.ts';
import type { StoredHook } from './record.ts';

export type ClaimCluster = Pick<Cluster, 'id' | 'singleNode' | 'alive'>;

export class Claims {
  readonly #hooks: Collection<StoredHook>;
  readonly #cluster: ClaimCluster;

  constructor(hooks: Collection<StoredHook>, cluster: ClaimCluster) {
    this.#hooks = hooks;
    this.#cluster = cluster;
  }

  /**
   * Takes seconds if the previous owner does not respond.
   * @returns whether this process owns it.
   * @throws as `Cluster.alive`
   */
  async take(hook: StoredHook, signal: AbortSignal): Promise<boolean> {
    if (this.holds(hook)) return true;
    const { id, by } = hook;
    if (by !== null && (await this.#cluster.alive(by, signal))) return false;
    // Compare-and-set: of two concurrent processes, one succeeds.
    return (await this.#hooks.update({ id, by }, { $set: { by: this.#cluster.id } })) !== undefined;
  }

  /** @param hook as read from the store */
  holds({ by }: StoredHook): boolean {
    return this.#cluster.singleNode || by === this.#cluster.id;
  }

  /** Releases the hook for the next owner. */
  async give(id: string): Promise<void> {
    if (!this.#cluster.singleNode) await this.#hooks.update({ id, by: this.#cluster.id }, { $set: { by: null } });
  }
}
