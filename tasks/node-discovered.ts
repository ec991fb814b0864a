/**
 * Assigns the SKU that the node's catalogs match and publishes `node.discovered`. Output: `{ sku, graphName, graphOptions }`,
 * the SKU and the graph that the SKU wants to run.
 */
import { defineTask, PermanentError, Type } from 'nodewright/define';

export default defineTask({
  injectableName: 'Task.Node.Discovered',
  friendlyName: 'Classify a node',
  // The event has the same id in a repeat.
  recovery: 'idempotent',
  retry: { attempts: 5, delayMs: 1_000 },
  optionsSchema: Type.Object({}, { additionalProperties: false }),
  run: async ({ nodeId, operationId, services }) => {
    if (nodeId === null) throw new PermanentError('a workflow without a node has nothing to discover', 'NO_NODE');
    return services.completeDiscovery(nodeId, operationId);
  },
});
