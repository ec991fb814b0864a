import { fromPromise } from 'xstate';

/** Logic that never runs: where a machine invokes it, the engine starts something else. */
export const placeholder = fromPromise<unknown, unknown>(() => new Promise(() => {}));
