/** A version of a graph, by the beginning of its hash. */
import { CommandError, EXIT } from './exit-codes.ts';

/** A shorter beginning of a hash is not certain enough. */
const SHORTEST = 4;

/** @throws CommandError unless exactly one hash begins so */
export function chosenHash(hashes: readonly string[], start: string): string {
  const matches = start.length < SHORTEST ? [] : hashes.filter((hash) => hash.startsWith(start));
  const [hash] = matches;
  if (hash !== undefined && matches.length === 1) return hash;
  throw new CommandError(
    `found ${matches.length} versions that begin with ${start}, expected one; nw graph versions`,
    EXIT.usage,
  );
}
