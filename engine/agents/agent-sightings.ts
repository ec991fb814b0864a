/**
 * When each node's agent was last seen. Kept in memory and stored every ten seconds: after a crash, a sighting may be that
 * much older than it was.
 */
import { now } from '../lib/clock.ts';
import { Reconciler } from '../lib/reconciler.ts';
import type { Collection, CollectionSpec } from '../store/port.ts';

export interface Sighted {
  /** The node. */
  id: string;
  /** ms since the epoch; later sightings replace earlier ones. */
  version: number;
  address: string;
}

export const sightingSpec: CollectionSpec = { name: 'sightings', indexes: { version: 'number' } };

const EVERY_MS = 10_000;
/** Nodes whose sightings are not stored yet. */
const PENDING_LIMIT = 50_000;

export class AgentSightings {
  readonly #stored: Collection<Sighted>;
  readonly #reconciler: Reconciler;
  #pending = new Map<string, Sighted>();

  constructor(stored: Collection<Sighted>, failed: (error: unknown) => void) {
    this.#stored = stored;
    this.#reconciler = new Reconciler({ name: 'sightings', everyMs: EVERY_MS, pass: () => this.#store(), failed });
  }

  start(): void {
    this.#reconciler.start();
  }

  note(node: string, address: string): void {
    if (this.#pending.size < PENDING_LIMIT || this.#pending.has(node))
      this.#pending.set(node, { id: node, version: now(), address });
  }

  async #store(): Promise<void> {
    const pending = this.#pending;
    if (pending.size === 0) return;
    await this.#stored.put([...pending.values()]);
    // One that came meanwhile is stored by the next pass.
    for (const [node, sighted] of pending) if (this.#pending.get(node) === sighted) this.#pending.delete(node);
  }

  /** @returns undefined if no agent of the node was ever seen */
  async of(node: string): Promise<{ lastSeenAt: string; address: string } | undefined> {
    const sighted = this.#pending.get(node) ?? (await this.#stored.get(node));
    if (sighted === undefined) return undefined;
    return { lastSeenAt: new Date(sighted.version).toISOString(), address: sighted.address };
  }

  /** Returns the number of nodes whose agents were seen in the last so many ms. */
  async count(ms: number): Promise<number> {
    return this.#stored.count({ version: { $gte: now() - ms } });
  }

  async close(): Promise<void> {
    await this.#reconciler.close();
    await this.#store().catch(() => {}); // the stores may be gone; a sighting is no promise
  }
}
