/** Assigns the SKU that the node's catalogs match. Output: `{ sku }`, its id or null. */
import { defineTask, ignoredNodeId, PermanentError, Type } from 'nodewright/define';

export default defineTask({
  injectableName: 'Task.Sku.Assign',
  friendlyName: 'Assign the SKU',
  recovery: 'idempotent',
  retry: { attempts: 5, delayMs: 1_000 },
  optionsSchema: Type.Object({ nodeId: ignoredNodeId }),
  run: async ({ nodeId, services }) => {
    if (nodeId === null) throw new PermanentError('a workflow without a node has no SKU', 'NO_NODE');
    const { sku } = await services.classify(nodeId);
    return { sku };
  },
});
