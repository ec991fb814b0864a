/**
 * Notes in its document when a token or a user was last seen: in the background, and for each at most once in five minutes by each
 * process. A write that failed is tried again no earlier.
 */
import { LRUCache } from 'lru-cache';
import type { Collection, Document } from '../../platform/store/port.ts';

const NOTE_INTERVAL_MS = 300_000;
/** The most documents whose last note is remembered; a forgotten one may be noted sooner. */
const REMEMBERED = 10_000;
/** Writes under way; what is seen in the meantime is noted later. */
const CONCURRENT_WRITES = 100;

export class LastSeen<T extends Document> {
  readonly #stored: Pick<Collection<T>, 'update'>;
  readonly #field: keyof T & string;
  readonly #failed: (error: unknown) => void;
  // With `max`, it would allocate all of them now.
  readonly #noted = new LRUCache<string, true>({
    maxSize: REMEMBERED,
    sizeCalculation: () => 1,
    ttl: NOTE_INTERVAL_MS,
  });
  readonly #writes = new Set<Promise<void>>();

  /** @param field gets the time, ISO 8601 */
  constructor(
    stored: Pick<Collection<T>, 'update'>,
    field: keyof T & string,
    failed: (error: unknown) => void = () => {},
  ) {
    this.#stored = stored;
    this.#field = field;
    this.#failed = failed;
  }

  /** @param document as it was read for the request */
  note({ id, [this.#field]: last }: T): void {
    const at = Date.now();
    const isRecent = typeof last === 'string' && at - Date.parse(last) < NOTE_INTERVAL_MS;
    if (isRecent || this.#noted.has(id) || this.#writes.size >= CONCURRENT_WRITES) return;
    this.#noted.set(id, true);
    const write = this.#stored
      .update({ id }, { $set: { [this.#field]: new Date(at).toISOString() } })
      .then(() => {}, this.#failed)
      .finally(() => this.#writes.delete(write));
    this.#writes.add(write);
  }

  /** Resolves when what was seen is noted. */
  async close(): Promise<void> {
    await Promise.all(this.#writes);
  }
}
