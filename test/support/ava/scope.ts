import { WAIT_MS } from './patience.ts';
/** The owner of what a test starts: `t` in a test, `OwnScope` outside one. */
export interface Scope {
  /** Registers a function that runs when the owner ends, in reverse order of registration. */
  teardown(end: () => unknown): void;
}

export class OwnScope implements Scope {
  readonly #ends: (() => unknown)[] = [];

  teardown(end: () => unknown): void {
    this.#ends.unshift(end);
  }

  async close(): Promise<void> {
    for (const end of this.#ends.splice(0)) {
      try {
        await within(Promise.resolve(end()), WAIT_MS);
      } catch (error) {
        console.error('teardown failed:', error);
      }
    }
  }
}

async function within(work: Promise<unknown>, ms: number): Promise<void> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new Error(`timed out after ${ms} ms`)), ms);
  });
  await Promise.race([work, late]).finally(() => clearTimeout(timer));
}
