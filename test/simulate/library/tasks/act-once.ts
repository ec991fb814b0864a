/** Do something that must not be done twice. */
import { defineTask, Type } from 'nodewright/define';
import { effects } from './_effects.ts';

export default defineTask({
  injectableName: 'Task.Simulated.Once',
  friendlyName: 'Do something that must not be done twice',
  recovery: 'once',
  optionsSchema: Type.Object({ what: Type.String(), ms: Type.Integer({ minimum: 0, default: 0 }) }),
  run: async ({ input: { what, ms = 0 }, signal }) => {
    await effects().act(what, ms, signal);
    return { what };
  },
});
