/**
 * How far the start has come. The daemon listens first; what would make it stand still, or takes long, comes after that,
 * one stage after the other.
 *
 * 1. Until the definitions are loaded whoever needs them waits for a moment, and is then told to come back.
 * 2. A stop ends the start after the stage that is under way.
 */
import { NodewrightError } from './define/errors.ts';
import { within } from './define/within.ts';

export interface Stage {
  /** For `/readyz`: what the daemon does. */
  what: string;
  run(): Promise<void>;
}

/** Well below the time that any request may take. */
const WAIT_MS = 5_000;

export class Starting {
  #doing: string | undefined = 'begins to start';
  #closing = false;
  #begun: Promise<void> = Promise.resolve();
  #loaded: () => void = () => {};
  readonly #loading = new Promise<void>((resolve) => {
    this.#loaded = resolve;
  });

  /** @throws what a stage threw: the daemon cannot go on then */
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
    this.#begun = begun.catch(() => {}); // whoever began hears of it
    return begun;
  }

  /** The definitions are there. */
  definitionsLoaded(): void {
    this.#loaded();
  }

  /** @throws NodewrightError UNAVAILABLE when it takes long */
  async definitions(): Promise<void> {
    await within(this.#loading, WAIT_MS, () => {
      throw new NodewrightError('UNAVAILABLE', 'the definitions of graphs and tasks are still being loaded; try again');
    });
  }

  /** @throws NodewrightError UNAVAILABLE while the start is under way */
  ready(): void {
    if (this.#doing === undefined) return;
    throw new NodewrightError('UNAVAILABLE', `the daemon listens and is not ready yet: it ${this.#doing}`);
  }

  /** Resolves when nothing of the start is under way, and no further stage will be. */
  async close(): Promise<void> {
    this.#closing = true;
    await this.#begun;
  }
}
