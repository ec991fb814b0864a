/** Assigns the SKU that the node's catalogs match. Output: `{ sku }`, its id or null. */
import { defineTask, PermanentError, Type } from 'nodewright/define';

export default defineTask({
  injectableName: 'Task.Sku.Assign',
  friendlyName: 'Assign the SKU',
  recovery: 'idempotent',
  retry: { attempts: 5, delayMs: 1_000 },
  optionsSchema: Type.Object({
    nodeId: Type.Optional(
      Type.Unsafe<string | null>({
        type: ['string', 'null'],
        description: 'Has no effect: it is the node of the workflow.',
      }),
    ),
  }),
  run: async ({ nodeId, services }) => {
    if (nodeId === null) throw new PermanentError('a workflow without a node has no SKU', 'NO_NODE');
    const { sku } = await services.classify(nodeId);
    return { sku };
  },
});
