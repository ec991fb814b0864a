/**
 * Costly repetitions of one proof. CI tries some of them in each run, chosen by the seed of the run, so that all are tried
 * within a few runs; a run without a seed tries all.
 */
import { createHash } from 'node:crypto';

const { NODEWRIGHT_TEST_SEED: SEED = null } = process.env;

/**
 * @param share of the list, such as 1 / 3; rounded up
 * @param seed as `run.mjs` prints it
 * @returns neighbours in the list, in its order; all without a seed
 */
export function drawn(all, share, seed = SEED) {
  if (seed === null) return [...all];
  const count = Math.ceil(all.length * share);
  const first = createHash('sha256').update(`${seed} ${all.length}`).digest().readUInt32BE() % all.length;
  return all.filter((_, at) => (at - first + all.length) % all.length < count);
}
