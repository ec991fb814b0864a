/** The name that an author probably meant: of all that exist, the one with the fewest wrong letters. */

const NAMES_LIMIT = 2_000;
const LENGTH_LIMIT = 64;

/** Returns `; did you mean 'delay'?`, or an empty text if no name is near. */
export function didYouMean(word: string, names: Iterable<string>): string {
  let best: { name: string; distance: number } | undefined;
  let remainingNames = NAMES_LIMIT;
  for (const name of names) {
    remainingNames -= 1;
    if (remainingNames < 0) break;
    const distance = distanceOf(word.toLowerCase(), name.toLowerCase());
    if (distance < (best?.distance ?? Number.POSITIVE_INFINITY)) best = { name, distance };
  }
  const isNear = best !== undefined && word.length > 2 && best.distance <= Math.max(1, Math.floor(word.length / 4));
  return isNear ? `; did you mean '${best?.name}'?` : '';
}

/** Letters to insert, to leave out or to replace. */
function distanceOf(one: string, other: string): number {
  if (one.length > LENGTH_LIMIT || other.length > LENGTH_LIMIT) return Number.POSITIVE_INFINITY;
  let row = Array.from({ length: other.length + 1 }, (_, at) => at);
  for (let i = 1; i <= one.length; i += 1) {
    const next = [i];
    for (let j = 1; j <= other.length; j += 1) {
      const replaced = (row[j - 1] as number) + (one[i - 1] === other[j - 1] ? 0 : 1);
      next.push(Math.min((row[j] as number) + 1, (next[j - 1] as number) + 1, replaced));
    }
    row = next;
  }
  return row.at(-1) as number;
}
