/** Task.noop: does nothing, for `delay` ms. A placeholder for testing the structure of a graph. Output: `{}`. */
import { defineTask, delay, Type } from 'nodewright/define';

const YEAR_MS = 31_536_000_000;

export default defineTask({
  injectableName: 'Task.noop',
  friendlyName: 'No operation',
  recovery: 'idempotent',
  optionsSchema: Type.Object(
    { delay: Type.Integer({ minimum: 0, maximum: YEAR_MS, default: 0, description: 'Duration in ms' }) },
    { additionalProperties: false },
  ),
  run: async ({ input, signal }) => {
    await delay(input.delay, signal);
    return {};
  },
});
