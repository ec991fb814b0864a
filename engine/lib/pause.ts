/**
 * Lets the event loop turn during long computations: all of them together hold it for one slice at a time, plus the step in
 * which the slice ends. Each that waits goes on in a turn of its own.
 */
import { setImmediate as eventLoopTurn } from 'node:timers/promises';

const SLICE_MS = 10;

let until = 0;
let turns: Promise<void> = Promise.resolve();

/** To be awaited between two steps of a computation. @returns undefined: the slice is not over */
export function pause(): Promise<void> | undefined {
  if (performance.now() < until) return undefined;
  turns = turns.then(() => eventLoopTurn()).then(begin);
  return turns;
}

function begin(): void {
  until = performance.now() + SLICE_MS;
}

/** @returns what `map` makes of each, with pauses */
export async function paced<A, B>(all: readonly A[], map: (one: A) => B): Promise<B[]> {
  const made: B[] = [];
  for (const one of all) {
    await pause();
    made.push(map(one));
  }
  return made;
}
