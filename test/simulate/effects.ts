/** The effects of the activities of a simulation, counted by the task run. */
import type { SeededRandom } from '../../engine/platform/lib/seeded-random.ts';
import { EFFECTS, type Effects } from './library/tasks/_effects.ts';

export class SimulatedEffects implements Effects {
  readonly counts = new Map<string, number>();
  readonly #note: (line: string) => void;
  readonly #random: SeededRandom;

  constructor(note: (line: string) => void, random: SeededRandom) {
    this.#note = note;
    this.#random = random;
  }

  install(): void {
    (globalThis as Record<symbol, unknown>)[EFFECTS] = this;
  }

  count(what: string): number {
    return this.counts.get(what) ?? 0;
  }

  isLucky(): boolean {
    return this.#random.chance(0.7);
  }

  act(what: string, ms: number, signal: AbortSignal): Promise<void> {
    signal.throwIfAborted();
    this.#note(`done: ${what}`);
    this.counts.set(what, this.count(what) + 1);
    return new Promise((resolve, reject) => {
      const timer = setTimeout(resolve, ms);
      signal.addEventListener('abort', () => {
        clearTimeout(timer);
        reject(signal.reason);
      });
    });
  }
}
