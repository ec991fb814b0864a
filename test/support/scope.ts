/** Whoever owns what a test starts: `t` in a test, `OwnScope` outside one. */
export interface Scope {
  /** Called when the owner is through; the last that was started ends first. */
  teardown(end: () => unknown): void;
}

/** One thing that does not end must not keep the rest from ending. */
const END_MS = 15_000;

export class OwnScope implements Scope {
  readonly #ends: (() => unknown)[] = [];

  teardown(end: () => unknown): void {
    this.#ends.unshift(end);
  }

  async close(): Promise<void> {
    for (const end of this.#ends.splice(0)) {
      try {
        await within(Promise.resolve(end()), END_MS);
      } catch (error) {
        console.error('did not end well:', error);
      }
    }
  }
}

async function within(work: Promise<unknown>, ms: number): Promise<void> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new Error(`not within ${ms} ms`)), ms);
  });
  await Promise.race([work, late]).finally(() => clearTimeout(timer));
}
