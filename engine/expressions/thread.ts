/** One thread that evaluates expressions (`thread.mjs`), seen from outside. One list at a time. */
import { Worker } from 'node:worker_threads';
import { inPackage } from '../define/place.ts';

export type Pair = readonly [pattern: string, text: string];

/** Until it has started; a busy machine takes seconds. */
const START_MS = 30_000;
/** MiB. */
const HEAP_LIMIT = 128;
const YES = 2;

export class Thread {
  readonly #worker: Worker;
  readonly #ready: Promise<boolean>;
  /** Told of each message, and of the end. */
  #heard: (message: unknown) => void = () => {};
  #ended = false;

  constructor() {
    this.#worker = new Worker(inPackage('engine/expressions/thread.mjs'), {
      // Not what this process was started with: it needs no translator.
      execArgv: [],
      resourceLimits: { maxOldGenerationSizeMb: HEAP_LIMIT },
    });
    this.#worker.unref();
    this.#worker.on('message', (message) => this.#heard(message));
    this.#worker.on('error', () => this.#end());
    this.#worker.on('exit', () => this.#end());
    this.#ready = this.#next(START_MS);
  }

  get ended(): boolean {
    return this.#ended;
  }

  /**
   * @returns the verdicts, in order, as far as it came within the time; when some are missing, the thread has ended
   * @throws when it does not start
   */
  async run(pairs: readonly Pair[], limitMs: number): Promise<boolean[]> {
    if (!(await this.#ready)) {
      await this.stop();
      throw new Error(`the thread for expressions did not start within ${START_MS} ms`);
    }
    const verdicts = new SharedArrayBuffer(pairs.length);
    const done = this.#next(limitMs);
    this.#worker.postMessage({ pairs, verdicts });
    if (!(await done)) await this.stop();
    const shared = [...new Uint8Array(verdicts)];
    const missing = shared.indexOf(0);
    return shared.slice(0, missing === -1 ? undefined : missing).map((verdict) => verdict === YES);
  }

  /** @returns false when nothing is heard within the time, or the thread ends */
  #next(limitMs: number): Promise<boolean> {
    return new Promise((resolve) => {
      const timer = setTimeout(() => resolve(false), limitMs);
      this.#heard = (message) => {
        clearTimeout(timer);
        resolve(message !== undefined);
      };
      if (this.#ended) this.#heard(undefined);
    });
  }

  #end(): void {
    this.#ended = true;
    this.#heard(undefined);
  }

  /** Also in the middle of an expression. */
  async stop(): Promise<void> {
    this.#ended = true;
    await this.#worker.terminate();
  }
}
