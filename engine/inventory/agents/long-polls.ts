/**
 * Long poll: requests in this process that wait for a command for a node. A bell costs one entry
 * in a map and one timer, and both are removed with its wait. A notification is only an
 * optimization: a request without one asks again later.
 */

export interface LongPoll {
  /** @returns true when notified since the creation or the last call; false on timeout or abort */
  notified(ms: number, signal: AbortSignal): Promise<boolean>;
  close(): void;
}

export class LongPolls {
  readonly #waiting = new Map<string, Set<() => void>>();
  #closed = false;

  notify(node: string): void {
    for (const end of this.#waiting.get(node) ?? []) end();
  }

  /** Returns a bell that records notifications from now on. */
  of(node: string): LongPoll {
    let heard = false;
    let end: (() => void) | undefined;
    let timer: NodeJS.Timeout | undefined;
    const notify = () => {
      heard = true;
      end?.();
    };
    const all = this.#waiting.get(node) ?? new Set();
    this.#waiting.set(node, all.add(notify));
    return {
      notified: async (ms, signal) => {
        const over = (): boolean => heard || signal.aborted || this.#closed;
        if (!over() && ms > 0) {
          await new Promise<void>((resolve) => {
            end = resolve;
            signal.addEventListener('abort', end, { once: true });
            timer = setTimeout(end, ms);
          });
          clearTimeout(timer);
          if (end !== undefined) signal.removeEventListener('abort', end);
        }
        const rang = heard && !signal.aborted && !this.#closed;
        heard = false;
        return rang;
      },
      close: () => {
        all.delete(notify);
        if (all.size === 0) this.#waiting.delete(node);
      },
    };
  }

  /** Number of nodes with waiting requests; tests check that none are left. */
  get size(): number {
    return this.#waiting.size;
  }

  close(): void {
    this.#closed = true;
    for (const node of [...this.#waiting.keys()]) this.notify(node);
  }
}
