/**
 * Yields to the event loop during long computations: all of them together block it for one slice at a time, plus the
 * step that ends the slice. Each waiting computation resumes in its own turn.
 */
import { setImmediate as eventLoopTurn } from 'node:timers/promises';

const SLICE_MS = 10;

let until = 0;
let isOn = true;
let turns: Promise<void> = Promise.resolve();

/** Await it between two steps of a computation. @returns undefined if the slice is not over */
export function pause(): Promise<void> | undefined {
  if (!isOn || performance.now() < until) return undefined;
  turns = turns.then(() => eventLoopTurn()).then(begin);
  return turns;
}

/** Under virtual time a computation takes none; and what one world leaves behind must not change the next. @returns ends it */
export function neverPause(): () => void {
  isOn = false;
  return () => {
    isOn = true;
  };
}

function begin(): void {
  until = performance.now() + SLICE_MS;
}

/** Returns the results of `map`, with pauses in between. */
export async function mapPaced<A, B>(all: readonly A[], map: (one: A) => B): Promise<B[]> {
  const results: B[] = [];
  for (const one of all) {
    await pause();
    results.push(map(one));
  }
  return results;
}
