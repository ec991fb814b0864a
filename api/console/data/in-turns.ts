/** Many requests, a few at a time. */

const CONCURRENT = 6;

/** @param concurrent requests at the same time @returns the answers in the order of the questions */
export async function inTurns<T, U>(
  all: readonly T[],
  ask: (one: T) => Promise<U>,
  concurrent = CONCURRENT,
): Promise<U[]> {
  const answers: U[] = [];
  for (let first = 0; first < all.length; first += concurrent)
    answers.push(...(await Promise.all(all.slice(first, first + concurrent).map(ask))));
  return answers;
}
