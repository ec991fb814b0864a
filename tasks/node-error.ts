/** Writes the reason of a failed discovery into the node's record and the daemon's log. Output: `{}`. */
import { defineTask, Type } from 'nodewright/define';

export default defineTask({
  injectableName: 'Task.Node.Error',
  friendlyName: 'Record an error of a node',
  recovery: 'idempotent',
  retry: { attempts: 5, delayMs: 1_000 },
  optionsSchema: Type.Object(
    {
      code: Type.String({ minLength: 1, maxLength: 256, description: 'A stable code.' }),
      message: Type.String({ maxLength: 4_096, description: 'The finding and the remedy.' }),
    },
    { additionalProperties: false },
  ),
  options: { code: 'TASK_FAILED', message: '' },
  run: async ({ input: { code = 'TASK_FAILED', message = '' }, nodeId, services }) => {
    if (nodeId !== null) await services.noteError(nodeId, { code, message });
    return {};
  },
});
