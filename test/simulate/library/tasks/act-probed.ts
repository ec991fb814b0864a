/** Do something that must not be done twice, and can be looked up. */
import { defineTask, Type } from 'nodewright/define';
import { effects } from './_effects.ts';

export default defineTask({
  injectableName: 'Task.Simulated.Probed',
  friendlyName: 'Do something that can be looked up',
  recovery: 'once',
  optionsSchema: Type.Object({ what: Type.String(), ms: Type.Integer({ minimum: 0, default: 0 }) }),
  run: async ({ input: { what, ms = 0 }, signal }) => {
    await effects().act(what, ms, signal);
    return { what };
  },
  probe: async ({ input: { what } }) =>
    effects().count(what) > 0 ? { state: 'done', output: { what } } : { state: 'never-started' },
});
