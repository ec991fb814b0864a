/** Releases what waits in this workflow under a group's name, such as `Task.Linux.Bootstrap`. Nothing waits: no harm. */
import { defineTask, Type } from '../engine/define/index.ts';

export default defineTask({
  injectableName: 'Task.Trigger.Send.Finish',
  friendlyName: 'Release a group',
  recovery: 'idempotent',
  optionsSchema: Type.Object(
    { triggerGroup: Type.String({ minLength: 1, maxLength: 256, description: 'What is released.' }) },
    { additionalProperties: false },
  ),
  options: { triggerGroup: 'bootstrap' },
  run: async ({ input, workId, world }) => ({
    released: await world.release(workId, input.triggerGroup ?? 'bootstrap'),
  }),
});
