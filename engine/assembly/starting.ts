/**
 * The stages of the start. The daemon listens first; stages that might block or take long run afterwards, in sequence.
 *
 * 1. Until the definitions are loaded, requests that need them wait for a moment and are then rejected with UNAVAILABLE.
 *    `/readyz` waits likewise until all stages have ended: a client that has read the log line `listening` gets 200.
 * 2. A stop ends the start after the current stage.
 */
import { NodewrightError } from '../vocabulary/errors.ts';
import { withTimeout } from '../vocabulary/with-timeout.ts';

export interface Stage {
  /** For `/readyz`: completes "the daemon ...". */
  what: string;
  run(): Promise<void>;
}

/** Well below the timeout of any request. */
const STARTING_TIMEOUT_MS = 5_000;

export class Starting {
  #doing: string | undefined = 'is starting';
  #closing = false;
  #begun: Promise<void> = Promise.resolve();
  #loaded: () => void = () => {};
  readonly #loading = new Promise<void>((resolve) => {
    this.#loaded = resolve;
  });
  #ended: () => void = () => {};
  readonly #stages = new Promise<void>((resolve) => {
    this.#ended = resolve;
  });

  /** @throws the error of a stage: the daemon cannot continue then */
  begin(stages: readonly Stage[]): Promise<void> {
    const run = async () => {
      for (const { what, run } of stages) {
        if (this.#closing) return;
        this.#doing = what;
        await run();
      }
      this.#doing = undefined;
    };
    const begun = run();
    this.#begun = begun.catch(() => {}).finally(this.#ended); // the caller receives the error
    return begun;
  }

  /** Records that the definitions are loaded. */
  definitionsLoaded(): void {
    this.#loaded();
  }

  /** Waits for the definitions. @throws NodewrightError UNAVAILABLE if that takes too long */
  async definitions(): Promise<void> {
    await withTimeout(this.#loading, STARTING_TIMEOUT_MS, () => {
      throw new NodewrightError('UNAVAILABLE', 'the definitions of graphs and tasks are still being loaded; try again');
    });
  }

  /** Waits for all stages. @throws NodewrightError UNAVAILABLE if that takes too long, or if they cannot all end */
  async untilReady(): Promise<void> {
    if (this.#doing !== undefined) await withTimeout(this.#stages, STARTING_TIMEOUT_MS, () => {});
    if (this.#doing === undefined) return;
    throw new NodewrightError('UNAVAILABLE', `the daemon listens but is not ready yet: it ${this.#doing}`);
  }

  /** Resolves when the current stage has ended; no further stage starts. */
  async close(): Promise<void> {
    this.#closing = true;
    await this.#begun;
  }
}
