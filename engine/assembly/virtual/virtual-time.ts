/**
 * Virtual time: the clocks and timers of this process, moved by hand. A day passes as quickly as what happens in it is computed.
 *
 * 1. One timer runs at a time. Everything that follows from it without another timer runs before the next one does: the turn of
 *    the real event loop in between empties the queues of promises.
 * 2. Each timer has an owner, the one whose timer was running when it was made. `drop` removes all timers of an owner, as the
 *    death of a process does.
 * 3. Timers of the same moment run in the order in which they were made, so the order of everything is always the same.
 */

import { syncBuiltinESMExports } from 'node:module';
import { Heap } from '../../platform/lib/heap.ts';
import { neverPause } from '../../platform/lib/pause.ts';

const promised = process.getBuiltinModule('node:timers/promises') as unknown as Record<string, unknown>;
const timers = process.getBuiltinModule('node:timers') as unknown as Record<string, unknown>;

interface Pending {
  at: number;
  order: number;
  owner: string;
  run: () => void;
  isDropped: boolean;
}

/** As Node's timers have it. */
class VirtualTimer {
  readonly #time: VirtualTime;
  readonly #run: () => void;
  readonly #ms: number;
  readonly #repeats: boolean;
  #pending: Pending | undefined;

  constructor(time: VirtualTime, ms: number, repeats: boolean, run: () => void) {
    this.#time = time;
    this.#ms = ms;
    this.#repeats = repeats;
    this.#run = run;
    this.#begin();
  }

  #begin(): void {
    this.#pending = this.#time.add(this.#ms, () => {
      this.#pending = undefined;
      if (this.#repeats) this.#begin();
      this.#run();
    });
  }

  cancel(): void {
    if (this.#pending !== undefined) this.#pending.isDropped = true;
    this.#pending = undefined;
  }

  refresh(): this {
    this.cancel();
    this.#begin();
    return this;
  }

  ref(): this {
    return this;
  }

  unref(): this {
    return this;
  }

  hasRef(): boolean {
    return true;
  }

  close(): this {
    this.cancel();
    return this;
  }

  [Symbol.dispose](): void {
    this.cancel();
  }
}

const nothing = (): void => {};
const byTime = (a: Pending, b: Pending): number => a.at - b.at || a.order - b.order;

export class VirtualTime {
  /** ms since the epoch. */
  now: number;
  /** The owner of the timer that runs; '' outside of all. */
  owner = '';
  /** Timers that have run. */
  steps = 0;
  readonly #began: number;
  readonly #timers = new Heap<Pending>(byTime);
  readonly #turn = setImmediate;
  /** By owner: how far its clock is ahead, in ms. */
  readonly #ahead = new Map<string, number>();
  /** By owner: until when it stands still, in ms since the epoch. */
  readonly #still = new Map<string, number>();
  readonly #ended = new Set<string>();
  #order = 0;
  #restore: (() => void) | undefined;

  /** @param now ms since the epoch, at the beginning */
  constructor(now: number) {
    this.now = now;
    this.#began = now;
  }

  add(ms: number, run: () => void, owner = this.owner): Pending {
    const delay = Number.isFinite(ms) ? Math.max(0, ms) : 0;
    this.#order += 1;
    const pending = { at: this.now + delay, order: this.#order, owner, run, isDropped: this.#ended.has(owner) };
    if (!pending.isDropped) this.#timers.push(pending);
    return pending;
  }

  /** Removes all timers of the owner, which has none from now on: its code may still be on the way to the next wait. */
  drop(owner: string): void {
    this.#ended.add(owner);
    for (const pending of this.#timers.values()) {
      if (pending.owner !== owner) continue;
      pending.isDropped = true;
      // A timer of a day would keep the memory of a dead daemon for that long.
      pending.run = nothing;
    }
    this.#ahead.delete(owner);
    this.#still.delete(owner);
  }

  /** The clock of the owner jumps. Its timers, and `performance.now`, do not follow. */
  jump(owner: string, ms: number): void {
    this.#ahead.set(owner, (this.#ahead.get(owner) ?? 0) + ms);
  }

  /** ms since the epoch, as the clock of the present owner has it. */
  get clock(): number {
    return Math.floor(this.now + (this.#ahead.get(this.owner) ?? 0));
  }

  /** No timer of the owner runs for a while, as of a process that its machine has stopped. */
  stop(owner: string, ms: number): void {
    this.#still.set(owner, this.now + ms);
  }

  /** Runs timers until the condition holds, or none is left. @param until asked after each timer */
  async run(until: () => boolean): Promise<void> {
    await this.#settle();
    while (!until()) {
      const next = this.#timers.pop();
      if (next === undefined) return;
      if (next.isDropped) continue;
      const still = this.#still.get(next.owner);
      if (still !== undefined && still > next.at) {
        // The order of its timers stays: each keeps its number.
        next.at = still;
        this.#timers.push(next);
        continue;
      }
      this.now = next.at;
      this.owner = next.owner;
      this.steps += 1;
      next.run();
      await this.#settle();
      this.owner = '';
    }
  }

  #settle(): Promise<void> {
    return new Promise((resolve) => {
      this.#turn(resolve);
    });
  }

  /** Replaces the clocks and timers of the process, until `uninstall`. */
  install(): void {
    const globals = globalThis as unknown as Record<string, unknown>;
    const begin = (ms: number, repeats: boolean, run: (...all: unknown[]) => void, all: unknown[]) =>
      new VirtualTimer(this, ms, repeats, () => run(...all));
    const end = (timer: unknown) => void (timer instanceof VirtualTimer && timer.cancel());
    const replaced: [Record<string, unknown>, Record<string, unknown>][] = [[globals, { Date: dateOf(this) }]];
    const functions = {
      setTimeout: (run: () => void, ms = 0, ...all: unknown[]) => begin(ms, false, run, all),
      setInterval: (run: () => void, ms = 0, ...all: unknown[]) => begin(Math.max(1, ms), true, run, all),
      setImmediate: (run: () => void, ...all: unknown[]) => begin(0, false, run, all),
      clearTimeout: end,
      clearInterval: end,
      clearImmediate: end,
    };
    replaced.push([globals, functions], [timers, functions]);
    replaced.push([
      promised,
      {
        setTimeout: (ms = 0, value?: unknown, { signal }: { signal?: AbortSignal } = {}) =>
          this.#after(ms, value, signal),
        setImmediate: (value?: unknown, { signal }: { signal?: AbortSignal } = {}) => this.#after(0, value, signal),
      },
    ]);
    replaced.push([performance as unknown as Record<string, unknown>, { now: () => this.now - this.#began }]);
    replaced.push([
      AbortSignal as unknown as Record<string, unknown>,
      {
        timeout: (ms: number) => {
          const controller = new AbortController();
          this.add(ms, () => controller.abort(new DOMException('The operation timed out', 'TimeoutError')));
          return controller.signal;
        },
      },
    ]);
    const before = replaced.map(
      ([place, functions]) =>
        [
          place,
          Object.keys(functions).map((name) => [name, Object.getOwnPropertyDescriptor(place, name)] as const),
        ] as const,
    );
    for (const [place, functions] of replaced) {
      for (const [name, value] of Object.entries(functions)) {
        Object.defineProperty(place, name, { value, configurable: true, writable: true, enumerable: true });
      }
    }
    syncBuiltinESMExports();
    const pauseAgain = neverPause();
    this.#restore = () => {
      pauseAgain();
      for (const [place, names] of before) {
        for (const [name, descriptor] of names) {
          if (descriptor === undefined) delete place[name];
          else Object.defineProperty(place, name, descriptor);
        }
      }
      syncBuiltinESMExports();
    };
  }

  uninstall(): void {
    this.#restore?.();
    this.#restore = undefined;
  }

  #after(ms: number, value: unknown, signal: AbortSignal | undefined): Promise<unknown> {
    return new Promise((resolve, reject) => {
      const abort = () =>
        reject(new DOMException('The operation was aborted', { name: 'AbortError', cause: signal?.reason }));
      if (signal?.aborted === true) return abort();
      const cancel = () => {
        pending.isDropped = true;
        abort();
      };
      const pending = this.add(ms, () => {
        signal?.removeEventListener('abort', cancel);
        resolve(value);
      });
      signal?.addEventListener('abort', cancel, { once: true });
    });
  }
}

function dateOf(time: VirtualTime): DateConstructor {
  const RealDate = Date;
  return class extends RealDate {
    constructor(...all: unknown[]) {
      if (all.length === 0) super(time.clock);
      else super(...(all as [number]));
    }

    static override now(): number {
      return time.clock;
    }
  } as DateConstructor;
}
