/**
 * Costly repetitions of one proof. CI tries some of them in each run, chosen by the seed of the run, so that all are tried
 * within a few runs; a run without a seed tries all.
 */
import { createHash } from 'node:crypto';

const { NODEWRIGHT_TEST_SEED: SEED = null } = process.env;

/** @returns `count` neighbours of the list, in its order; all without a seed @param seed as `run.mjs` prints it */
export function drawn<T>(all: readonly T[], count: number, seed = SEED): T[] {
  if (seed === null) return [...all];
  const first = createHash('sha256').update(`${seed} ${all.length}`).digest().readUInt32BE() % all.length;
  return all.filter((_, at) => (at - first + all.length) % all.length < count);
}
