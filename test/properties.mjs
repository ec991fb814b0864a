/**
 * Loaded by the processes of tests: properties draw their values from one seed, so that a test that passes does so again.
 * `run.mjs` chooses another one in CI.
 */
import fc from 'fast-check';

fc.configureGlobal({ seed: Number(process.env.NODEWRIGHT_TEST_SEED ?? 1) });
