/** Task.noop: does nothing, for `delay` ms. For trying a graph's shape before its tasks are there. */
import { setTimeout as sleep } from 'node:timers/promises';
import { defineTask, Type } from '../engine/define/index.ts';

export default defineTask({
  injectableName: 'Task.noop',
  friendlyName: 'No operation',
  recovery: 'idempotent',
  optionsSchema: Type.Object(
    { delay: Type.Integer({ minimum: 0, default: 0, description: 'How long it takes, in ms' }) },
    { additionalProperties: false },
  ),
  run: async ({ input, signal }) => {
    // Even of 0 ms, a timer takes one.
    if (input.delay > 0) await sleep(input.delay, undefined, { signal });
    return {};
  },
});
