/**
 * Ownership of a hook: its record names the process that delivers to it. A job can reach a second process while
 * the first still runs (its lock was lost, or it did not respond for a moment on a busy machine); the first then
 * keeps the hook, and nothing is posted twice.
 */
import type { Peers } from '../peers/peers.ts';
import type { Collection } from '../store/port.ts';
import type { StoredHook } from './record.ts';

export type ClaimPeers = Pick<Peers, 'id' | 'alone' | 'alive'>;

export class Claims {
  readonly #hooks: Collection<StoredHook>;
  readonly #peers: ClaimPeers;

  constructor(hooks: Collection<StoredHook>, peers: ClaimPeers) {
    this.#hooks = hooks;
    this.#peers = peers;
  }

  /**
   * Takes seconds if the previous owner does not respond.
   * @returns whether this process owns it.
   * @throws as `Peers.alive`
   */
  async take(hook: StoredHook, signal: AbortSignal): Promise<boolean> {
    if (this.holds(hook)) return true;
    const { id, by } = hook;
    if (by !== null && (await this.#peers.alive(by, signal))) return false;
    // Compare-and-set: of two concurrent processes, one succeeds.
    return (await this.#hooks.update({ id, by }, { $set: { by: this.#peers.id } })) !== undefined;
  }

  /** @param hook as read from the store */
  holds({ by }: StoredHook): boolean {
    return this.#peers.alone || by === this.#peers.id;
  }

  /** Releases the hook for the next owner. */
  async give(id: string): Promise<void> {
    if (!this.#peers.alone) await this.#hooks.update({ id, by: this.#peers.id }, { $set: { by: null } });
  }
}
