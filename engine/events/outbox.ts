/**
 * The outbox: the way of events from saved steps to the broker. While the broker is away they wait in the store.
 *
 * Owns: what waits (`outbox`), and whether events go straight or wait in line. Relies on whoever publishes to keep an
 * event until `publish` resolves.
 *
 * 1. `publish` resolves when the broker has confirmed, or when the events stand in the store.
 * 2. While anything waits, everything waits in line behind it: events of one workflow keep their order.
 * 3. An event may be sent twice, with the same id; none is lost.
 * 4. Without a broker there is nothing to wait for: events go to this process's own listeners only.
 */
import type { Publication } from '../define/event.ts';
import type { Collection, CollectionSpec } from '../store/port.ts';
import type { Broker } from './port.ts';

export interface Waiting {
  id: string;
  publication: Publication;
}

export const outboxSpec: CollectionSpec = { name: 'outbox', indexes: {} };
const AT_ONCE = 100;
/** After a send that failed while the broker seems up. */
const AGAIN_MS = 1_000;

export type Listener = (publication: Publication) => void;

export class Outbox {
  readonly #waiting: Collection<Waiting>;
  readonly #broker: Broker | undefined;
  readonly #failed: (error: unknown) => void;
  readonly #listeners = new Set<Listener>();
  /** Until the store was looked at, events of an earlier life of the daemon may wait there. */
  #inLine = true;
  #count = 0;
  #storing = 0;
  #draining: Promise<void> | undefined;
  #again: NodeJS.Timeout | undefined;
  #closed = false;

  constructor(waiting: Collection<Waiting>, broker: Broker | undefined, failed: (error: unknown) => void) {
    this.#waiting = waiting;
    this.#broker = broker;
    this.#failed = failed;
    broker?.onUp(() => this.#drain());
    if (broker?.up) this.#drain();
  }

  /** @returns takes the listener off again */
  listen(listener: Listener): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  async publish(publications: readonly Publication[]): Promise<void> {
    for (const listener of this.#listeners) for (const publication of publications) listener(publication);
    if (this.#broker === undefined || publications.length === 0) return;
    if (this.#inLine) return this.#store(publications);
    try {
      await this.#broker.send(publications);
    } catch {
      this.#inLine = true;
      await this.#store(publications);
      if (this.#broker.up) this.#drain();
    }
  }

  async #store(publications: readonly Publication[]): Promise<void> {
    this.#storing += 1;
    try {
      await this.#waiting.insertMissing(publications.map((publication) => ({ id: this.#place(), publication })));
    } finally {
      this.#storing -= 1;
    }
    // The broker may have come back while this was written, and its drain may have seen an empty line.
    if (this.#broker?.up) this.#drain();
  }

  /** Sorts in the order of publishing. */
  #place(): string {
    this.#count += 1;
    return `${String(Date.now()).padStart(14, '0')}-${String(this.#count).padStart(12, '0')}-${process.pid}`;
  }

  #drain(): void {
    if (this.#closed) return;
    this.#draining ??= this.#run()
      .catch((error) => this.#later(error))
      .finally(() => {
        this.#draining = undefined;
      });
  }

  #later(error: unknown): void {
    this.#failed(error);
    this.#again = setTimeout(() => this.#drain(), AGAIN_MS);
  }

  async #run(): Promise<void> {
    while (this.#broker?.up && !this.#closed) {
      const page = await this.#waiting.find({}, { limit: AT_ONCE });
      if (page.length === 0 && this.#storing === 0) {
        this.#inLine = false;
        return;
      }
      if (page.length === 0) return;
      await this.#broker.send(page.map(({ publication }) => publication));
      await this.#waiting.remove({ id: { $in: page.map(({ id }) => id) } });
    }
  }

  async close(): Promise<void> {
    this.#closed = true;
    clearTimeout(this.#again);
    await this.#draining;
    await this.#broker?.close();
  }
}
