/** Sets an obm of the node. Output: `{ service }`. */
import { defineTask, type ObmService, obmServices, PermanentError, secret, Type } from 'nodewright/define';

export default defineTask({
  injectableName: 'Task.Obm.CreateSettings',
  friendlyName: 'Create obm settings',
  // A repeat writes the same obm.
  recovery: 'idempotent',
  provides: obmServices.map((obm) => ({ obm })),
  optionsSchema: Type.Object(
    {
      service: Type.Unsafe<ObmService>({ type: 'string', enum: [...obmServices], description: 'Service of the obm.' }),
      config: secret(Type.Record(Type.String(), Type.Unknown(), { description: 'Config of the obm.' })),
    },
    { additionalProperties: false },
  ),
  run: async ({ input: { service, config }, nodeId, services }) => {
    if (nodeId === null) throw new PermanentError('a workflow without a node has no obm', 'NO_NODE');
    await services.setObm(nodeId, service, config);
    return { service };
  },
});
