/**
 * Yields to the event loop: long computations, and work that many may begin at the same time, share one slice of each of its
 * turns, so that a request waits for no more than a few slices. They resume in the order in which they came.
 */
const SLICE_MS = 5;

let until = 0;
let isOn = true;
let hasTurn = false;
const waiting: (() => void)[] = [];

/** Await it between two steps of a computation, or before a piece of work. @returns undefined if the slice is not over */
export function pause(): Promise<void> | undefined {
  if (!isOn || performance.now() < until) return undefined;
  return new Promise((resolve) => {
    waiting.push(resolve);
    awaitTurn();
  });
}

function awaitTurn(): void {
  if (hasTurn) return;
  hasTurn = true;
  setImmediate(turn);
}

/** Resumes as many as the slice has time for, at least one. */
async function turn(): Promise<void> {
  until = performance.now() + SLICE_MS;
  do {
    waiting.shift()?.();
    await untilStopped();
  } while (waiting.length > 0 && performance.now() < until);
  hasTurn = false;
  if (waiting.length > 0) awaitTurn();
}

/** Resolves when what was resumed has done all that it can do without waiting. */
async function untilStopped(): Promise<void> {
  await null;
  // From here on Node.js calls it after all promises.
  await new Promise<void>((resolve) => process.nextTick(resolve));
}

/** Under virtual time a computation takes none; and what one world leaves behind must not change the next. @returns ends it */
export function neverPause(): () => void {
  isOn = false;
  return () => {
    isOn = true;
  };
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
