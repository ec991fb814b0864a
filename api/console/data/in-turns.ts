/** Many requests, a few at a time. */

const CONCURRENT = 6;

/** @returns the answers in the order of the questions */
export async function inTurns<T, U>(all: readonly T[], ask: (one: T) => Promise<U>): Promise<U[]> {
  const answers: U[] = [];
  for (let first = 0; first < all.length; first += CONCURRENT)
    answers.push(...(await Promise.all(all.slice(first, first + CONCURRENT).map(ask))));
  return answers;
}
