/**
 * Whose a hook is: the process that works it off stands in its record. A job can come to a second process while the
 * first lives (its lock was lost, or it was silent for a moment on a busy machine); then the first keeps the hook, and
 * nothing is posted twice.
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

  /** Takes seconds when its last owner is silent. @returns whether it is this process's. @throws as `Peers.alive` */
  async take(hook: StoredHook, signal: AbortSignal): Promise<boolean> {
    if (this.holds(hook)) return true;
    const { id, by } = hook;
    if (by !== null && (await this.#peers.alive(by, signal))) return false;
    // Of two that ask at once one finds it so.
    return (await this.#hooks.update({ id, by }, { $set: { by: this.#peers.id } })) !== undefined;
  }

  /** @param hook as it stands in the store */
  holds({ by }: StoredHook): boolean {
    return this.#peers.alone || by === this.#peers.id;
  }

  /** For whoever takes it next. */
  async give(id: string): Promise<void> {
    if (!this.#peers.alone) await this.#hooks.update({ id, by: this.#peers.id }, { $set: { by: null } });
  }
}
