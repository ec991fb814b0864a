/**
 * Reads values of catalogs, for `{{ context.<name> }}` of later tasks. The path `data` is the whole catalog; other paths
 * are below it, with or without `data.` in front.
 *
 * Output: `{ [name]: value }`; without a value it fails with `CATALOG_VALUE_MISSING`.
 */
import { defineTask, PermanentError, Type, valueAt } from 'nodewright/define';

const wanted = Type.Object(
  {
    source: Type.String({ minLength: 1, maxLength: 256 }),
    keys: Type.Record(Type.String(), Type.String({ minLength: 1, maxLength: 1_024 })),
  },
  { additionalProperties: false },
);

export default defineTask({
  injectableName: 'Task.Get.Catalog.Values',
  friendlyName: 'Get values of catalogs',
  recovery: 'idempotent',
  optionsSchema: Type.Object(
    {
      requestedData: Type.Array(wanted, {
        minItems: 1,
        maxItems: 100,
        description: 'Per catalog: its source, and names with their paths.',
      }),
    },
    { additionalProperties: false },
  ),
  run: async ({ input, nodeId, services }) => {
    if (nodeId === null) throw new PermanentError('a workflow without a node has no catalogs', 'NO_NODE');
    const values: Record<string, unknown> = {};
    for (const { source, keys } of input.requestedData) {
      const data = await services.catalog(nodeId, source);
      for (const [name, path] of Object.entries(keys)) {
        const value = path === 'data' ? data : (valueAt({ data }, path) ?? valueAt(data, path));
        if (value === undefined) {
          const problem = `the catalog ${source} of the node has no value at ${path}; collect it first`;
          throw new PermanentError(problem, 'CATALOG_VALUE_MISSING');
        }
        values[name] = value;
      }
    }
    return values;
  },
});
