/**
 * The hooks that there are, as this process knows them: read at the start, when somebody says that they changed, and
 * every so often, should that word get lost. Without hooks an event costs one look at an empty list.
 */
import type { Channel } from '../queue/port.ts';
import type { Collection } from '../store/port.ts';
import { HOOKS_READ, type StoredHook } from './record.ts';

const AGAIN_MS = 30_000;

export class KnownHooks {
  readonly #stored: Collection<StoredHook>;
  readonly #changes: Channel<null>;
  readonly #failed: (error: unknown) => void;
  readonly #seen: (hooks: readonly StoredHook[]) => Promise<void>;
  #all: readonly StoredHook[] = [];
  #reading: Promise<void> = Promise.resolve();
  #timer: NodeJS.Timeout | undefined;
  #unsubscribe: (() => Promise<void>) | undefined;

  /** @param seen called with all hooks after each reading */
  constructor(
    stored: Collection<StoredHook>,
    changes: Channel<null>,
    failed: (error: unknown) => void,
    seen: (hooks: readonly StoredHook[]) => Promise<void>,
  ) {
    this.#stored = stored;
    this.#changes = changes;
    this.#failed = failed;
    this.#seen = seen;
  }

  get all(): readonly StoredHook[] {
    return this.#all;
  }

  async start(): Promise<void> {
    this.#unsubscribe = await this.#changes.subscribe(() => void this.#readSafely());
    await this.read();
    this.#timer = setInterval(() => void this.#readSafely(), AGAIN_MS);
  }

  /** One reading after the other: the last word is what was read last. */
  read(): Promise<void> {
    const reading = this.#reading.then(async () => {
      this.#all = await this.#stored.find({}, { limit: HOOKS_READ });
      await this.#seen(this.#all);
    });
    this.#reading = reading.catch(() => {}); // whoever asked hears of it
    return reading;
  }

  /** After a change of this process: what comes from now on goes by it, here at once, elsewhere soon. */
  async changed(): Promise<void> {
    await this.#readSafely();
    await this.#changes.publish(null).catch(this.#failed);
  }

  #readSafely(): Promise<void> {
    return this.read().catch(this.#failed);
  }

  async close(): Promise<void> {
    clearInterval(this.#timer);
    await this.#unsubscribe?.();
    await this.#reading;
  }
}
