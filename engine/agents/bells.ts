/**
 * Bells: who waits in this process for something to do on a node. A bell holds one entry in a map and one timer, and
 * neither outlives its wait. Ringing may only hasten: whoever heard nothing asks again by itself.
 */

export interface Bell {
  /** @returns true: it rang since it was made, or the last time; false: the time is over, or whoever waits is gone */
  rung(ms: number, signal: AbortSignal): Promise<boolean>;
  close(): void;
}

export class Bells {
  readonly #waiting = new Map<string, Set<() => void>>();
  #closed = false;

  ring(node: string): void {
    for (const wake of this.#waiting.get(node) ?? []) wake();
  }

  /** Heard from now on. */
  of(node: string): Bell {
    let heard = false;
    let wake: (() => void) | undefined;
    let timer: NodeJS.Timeout | undefined;
    const ring = () => {
      heard = true;
      wake?.();
    };
    const all = this.#waiting.get(node) ?? new Set();
    this.#waiting.set(node, all.add(ring));
    return {
      rung: async (ms, signal) => {
        const over = (): boolean => heard || signal.aborted || this.#closed;
        if (!over() && ms > 0) {
          await new Promise<void>((resolve) => {
            wake = resolve;
            signal.addEventListener('abort', wake, { once: true });
            timer = setTimeout(wake, ms);
          });
          clearTimeout(timer);
          if (wake !== undefined) signal.removeEventListener('abort', wake);
        }
        const rang = heard && !signal.aborted && !this.#closed;
        heard = false;
        return rang;
      },
      close: () => {
        all.delete(ring);
        if (all.size === 0) this.#waiting.delete(node);
      },
    };
  }

  /** How many wait; for a test of what is left behind. */
  get size(): number {
    return this.#waiting.size;
  }

  close(): void {
    this.#closed = true;
    for (const node of [...this.#waiting.keys()]) this.ring(node);
  }
}
