/**
 * Caches all hooks in this process: read at the start, when a change is announced, and periodically in case the
 * announcement was lost. Without hooks, an event costs one look at an empty list.
 */
import { Reconciler } from '../../platform/lib/reconciler.ts';
import type { Channel } from '../../platform/queue/port.ts';
import type { Collection } from '../../platform/store/port.ts';
import { HOOKS_READ, type StoredHook } from './stored-hook.ts';

const REREAD_INTERVAL_MS = 30_000;
const JITTER = 0.1;

export class HookCache {
  readonly #stored: Collection<StoredHook>;
  readonly #changes: Channel<null>;
  readonly #failed: (error: unknown) => void;
  readonly #seen: (hooks: readonly StoredHook[]) => void;
  #all: readonly StoredHook[] = [];
  #reading: Promise<void> = Promise.resolve();
  readonly #refresh: Reconciler;
  #unsubscribe: (() => Promise<void>) | undefined;

  /** @param seen called with all hooks after each read */
  constructor(
    stored: Collection<StoredHook>,
    changes: Channel<null>,
    failed: (error: unknown) => void,
    seen: (hooks: readonly StoredHook[]) => void,
  ) {
    this.#stored = stored;
    this.#changes = changes;
    this.#failed = failed;
    this.#seen = seen;
    this.#refresh = new Reconciler({
      name: 'hooks known',
      everyMs: REREAD_INTERVAL_MS,
      firstMs: REREAD_INTERVAL_MS,
      jitter: JITTER,
      pass: () => this.read(),
      failed,
    });
  }

  get all(): readonly StoredHook[] {
    return this.#all;
  }

  async start(): Promise<void> {
    this.#unsubscribe = await this.#changes.subscribe(() => void this.#readSafely());
    await this.read();
    this.#refresh.start();
  }

  /** Reads the hooks. Reads run one after the other, so that the last one determines the cache. */
  read(): Promise<void> {
    const reading = this.#reading.then(async () => {
      this.#all = await this.#stored.find({}, { limit: HOOKS_READ });
      this.#seen(this.#all);
    });
    this.#reading = reading.catch(() => {}); // the caller handles it
    return reading;
  }

  /** Called after a change by this process, which then applies here immediately, and in other processes soon. */
  async reload(): Promise<void> {
    await this.#readSafely();
    await this.#changes.publish(null).catch(this.#failed);
  }

  #readSafely(): Promise<void> {
    return this.read().catch(this.#failed);
  }

  async close(): Promise<void> {
    await this.#refresh.close();
    await this.#unsubscribe?.();
    await this.#reading;
  }
}
