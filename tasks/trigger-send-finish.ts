/**
 * Releases tasks of this workflow that wait for a group, such as `Task.Linux.Bootstrap`. No effect if none waits.
 *
 * Output: `{ released }`.
 */
import { defineTask, Type } from 'nodewright/define';

export default defineTask({
  injectableName: 'Task.Trigger.Send.Finish',
  friendlyName: 'Release a group',
  recovery: 'idempotent',
  releases: 'triggerGroup',
  optionsSchema: Type.Object(
    {
      triggerGroup: Type.String({ minLength: 1, maxLength: 256, description: 'The group to release.' }),
      triggerMode: Type.Optional(Type.Literal('send', { description: 'Has no effect; tasks of RackHD carry it.' })),
      triggerType: Type.Optional(Type.Literal('finish', { description: 'Has no effect; tasks of RackHD carry it.' })),
    },
    { additionalProperties: false },
  ),
  options: { triggerGroup: 'bootstrap' },
  run: async ({ input, operationId, services }) => ({
    released: await services.release(operationId, input.triggerGroup ?? 'bootstrap'),
  }),
});
