/** Do something that may fail. */
import { defineTask, Type } from 'nodewright/define';
import { effects } from './_effects.ts';

export default defineTask({
  injectableName: 'Task.Simulated.Risky',
  friendlyName: 'Do something that may fail',
  recovery: 'idempotent',
  optionsSchema: Type.Object({ what: Type.String(), ms: Type.Integer({ minimum: 0, default: 0 }) }),
  run: async ({ input: { what, ms = 0 }, signal }) => {
    await effects().act(what, ms, signal);
    if (!effects().isLucky()) throw new Error('it failed this time');
    return { what };
  },
});
