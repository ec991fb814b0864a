/**
 * Reads one value of a catalog, for `{{ context.<source>.<path> }}` of later tasks.
 *
 * Output: `{ [source]: { [path]: value } }`; without the value it fails with `CATALOG_VALUE_MISSING`.
 */
import { defineTask, PermanentError, Type, valueAt } from 'nodewright/define';

export default defineTask({
  injectableName: 'Task.Catalogs.ProvideValue',
  friendlyName: 'Provide a value of a catalog',
  recovery: 'idempotent',
  optionsSchema: Type.Object(
    {
      source: Type.String({ minLength: 1, maxLength: 256, description: 'Source of the catalog.' }),
      path: Type.String({ minLength: 1, maxLength: 1_024, description: 'Path in its data, such as `a.0.b`.' }),
    },
    { additionalProperties: false },
  ),
  run: async ({ input: { source, path }, nodeId, services }) => {
    if (nodeId === null) throw new PermanentError('a workflow without a node has no catalogs', 'NO_NODE');
    const value = valueAt(await services.catalog(nodeId, source), path);
    if (value !== undefined) return { [source]: { [path]: value } };
    throw new PermanentError(
      `the catalog ${source} of the node has no value at ${path}; collect it first`,
      'CATALOG_VALUE_MISSING',
    );
  },
});
