/**
 * Sends one HTTP request and keeps the body of the answer as a catalog of the node. Its options are those of
 * `Task.Run.Rest.Command`, and `source`.
 *
 * Output: `{ statusCode, headers, body }`.
 */
import { defineTask, PermanentError, Type } from 'nodewright/define';
import { exchange, isRepeatable, restDefaults, restOptions } from '../engine/hardware/rest/exchange.ts';

export default defineTask({
  injectableName: 'Task.Rest.Catalog',
  friendlyName: 'Catalog by a REST request',
  // As for Task.Run.Rest.Command.
  recovery: 'once',
  readOnly: { method: ['GET', 'HEAD'] },
  optionsSchema: Type.Object(
    { ...restOptions, source: Type.String({ minLength: 1, maxLength: 256, description: 'Source of the catalog.' }) },
    { additionalProperties: false },
  ),
  options: restDefaults,
  run: async (scope) => {
    const { nodeId, services, input } = scope;
    if (nodeId === null) throw new PermanentError('a workflow without a node has no catalogs', 'NO_NODE');
    const answer = await exchange(scope);
    await services.addCatalog(nodeId, input.source, answer.body);
    return answer;
  },
  probe: async ({ input: { method } }) => ({ state: isRepeatable(method) ? 'never-started' : 'unknown' }),
});
