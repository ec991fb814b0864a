/**
 * The latest note of one kind about each node. Kept in memory and stored every ten seconds: after a crash, a note may be
 * that much older than it was, which harms nothing that is only shown.
 */
import { intervalWhile, Reconciler } from '../../platform/lib/reconciler.ts';
import type { Collection } from '../../platform/store/port.ts';

export interface NodeNote {
  /** The node. */
  id: string;
  /** ms since the epoch; later notes replace earlier ones. */
  version: number;
}

const WRITE_INTERVAL_MS = 10_000;
/** Nodes whose notes are not stored yet. */
const PENDING_LIMIT = 50_000;

export class LatestOfNodes<Note extends NodeNote> {
  readonly #stored: Collection<Note>;
  readonly #reconciler: Reconciler;
  #pending = new Map<string, Note>();

  constructor(name: string, stored: Collection<Note>, failed: (error: unknown) => void) {
    this.#stored = stored;
    this.#reconciler = new Reconciler({
      name,
      everyMs: intervalWhile(() => this.#pending.size > 0, WRITE_INTERVAL_MS),
      pass: () => this.#store(),
      failed,
    });
  }

  start(): void {
    this.#reconciler.start();
  }

  add(note: Note): void {
    if (this.#pending.size < PENDING_LIMIT || this.#pending.has(note.id)) this.#pending.set(note.id, note);
    this.#reconciler.shortenWait();
  }

  async #store(): Promise<void> {
    const pending = this.#pending;
    if (pending.size === 0) return;
    await this.#stored.put([...pending.values()]);
    // One that came in the meantime is stored by the next pass.
    for (const [node, note] of pending) if (this.#pending.get(node) === note) this.#pending.delete(node);
  }

  /** @returns undefined if there never was one */
  async of(node: string): Promise<Note | undefined> {
    return this.#pending.get(node) ?? (await this.#stored.get(node));
  }

  /** Returns the number of nodes with a note since then, in ms since the epoch. */
  async countSince(version: number): Promise<number> {
    return this.#stored.count({ version: { $gte: version } } as Parameters<Collection<Note>['count']>[0]);
  }

  async close(): Promise<void> {
    await this.#reconciler.close();
    await this.#store().catch(() => {}); // the stores may be gone; a note is no promise
  }
}
