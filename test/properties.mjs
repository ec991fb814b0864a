/**
 * The fast-check of tests (`build.mjs`): properties draw their values from one seed, so that a test that passes does so again.
 * `run.mjs` chooses another one in CI.
 */
import fc from 'fast-check';

fc.configureGlobal({ seed: Number(process.env.NODEWRIGHT_TEST_SEED ?? 1) });

export * from 'fast-check';
export default fc;
