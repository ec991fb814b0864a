/** Delays longer than a Node.js timer supports: a timer of more than 2^31 - 1 ms (25 days) would fire immediately. */
import { setTimeout } from 'node:timers/promises';

export const LONGEST_TIMER_MS = 2 ** 31 - 1;

/** @param ms any length @throws the signal's reason if it is aborted */
export async function delay(ms: number, signal?: AbortSignal): Promise<void> {
  const end = performance.now() + ms;
  for (let remainingMs = ms; remainingMs > 0; remainingMs = end - performance.now()) {
    await setTimeout(Math.min(remainingMs, LONGEST_TIMER_MS), undefined, { signal });
  }
}
