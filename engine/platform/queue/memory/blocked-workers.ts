/**
 * The idle workers of a queue, each blocked until there may be a job for it. One timer serves all of them.
 *
 * 1. Delays begin and end by the system clock; a timer does not notice when that clock is set. BullMQ therefore
 *    limits each block to 10 s, after which the worker looks for due jobs.
 * 2. The timer keeps no process running.
 */
import type { Holder } from './stored-job.ts';

/** As BullMQ's workers expect it; a score of 0 means that there may be a job now. */
interface Marker {
  member: string;
  score: number;
}

export const NOW: Marker = { member: '0', score: 0 };

/** An interrupted worker takes no job. */
export const NEVER: Marker = { member: '1', score: Number.POSITIVE_INFINITY };

/** Longest delay of a timer. */
const MAX_MS = 2 ** 31 - 1;

interface BlockedWorker {
  worker: Holder;
  /** ms, as `performance.now()` counts them. */
  until: number;
  end(marker: Marker | null): void;
}

export class BlockedWorkers {
  readonly #all = new Set<BlockedWorker>();
  readonly #nextDue: () => number;
  #timer: NodeJS.Timeout | undefined;
  #notification: NodeJS.Immediate | undefined;

  /** @param nextDue returns the time at which the next delayed job is due (ms since the epoch), or infinity */
  constructor(nextDue: () => number) {
    this.#nextDue = nextDue;
  }

  get size(): number {
    return this.#all.size;
  }

  /** @returns null after `ms` */
  wait(worker: Holder, ms: number): Promise<Marker | null> {
    return new Promise((resolve) => {
      const blocked = {
        worker,
        until: performance.now() + ms,
        end: (marker: Marker | null) => {
          this.#all.delete(blocked);
          if (this.#all.size === 0) clearTimeout(this.#timer);
          resolve(marker);
        },
      };
      this.#all.add(blocked);
      this.schedule();
    });
  }

  /** Ends all blocks, in the next turn of the event loop. */
  notify(): void {
    this.#notification ??= setImmediate(() => {
      this.#notification = undefined;
      for (const { end } of this.#all) end(NOW);
    });
  }

  interrupt(worker: Holder): void {
    for (const blocked of this.#all) if (blocked.worker === worker) blocked.end(NEVER);
  }

  /** Must be called when another delayed job becomes the next one. */
  schedule(): void {
    if (this.#all.size === 0) return;
    clearTimeout(this.#timer);
    const time = performance.now();
    let ms = this.#nextDue() - Date.now();
    for (const { until } of this.#all) ms = Math.min(ms, until - time);
    this.#timer = setTimeout(() => this.#expire(), Math.min(Math.max(1, Math.ceil(ms)), MAX_MS)).unref();
  }

  #expire(): void {
    const time = performance.now();
    if (this.#nextDue() <= Date.now()) this.notify();
    else for (const { until, end } of this.#all) if (until <= time) end(null);
    this.schedule();
  }
}
