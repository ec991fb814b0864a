/**
 * Finds the enclosure of the node by a serial number in its catalogs, or creates it, and relates both: the node is `enclosedBy`
 * it. The first of these counts: the chassis of `ipmi-fru`, of `dmi`, the product of `ipmi-fru`, the system of `dmi`. A relation to
 * another enclosure is replaced.
 *
 * Output: `{ enclosure, serial }`; without a serial number it fails with `CATALOG_VALUE_MISSING`.
 */
import { defineTask, ignoredNodeId, PermanentError, Type, valueAt } from 'nodewright/define';

const FRU = 'Builtin FRU Device (ID 0)';
/** The order of RackHD. */
const places = [
  ['ipmi-fru', `${FRU}.Chassis Serial`],
  ['dmi', 'Chassis Information.Serial Number'],
  ['ipmi-fru', `${FRU}.Product Serial`],
  ['dmi', 'System Information.Serial Number'],
] as const;

/** Boards whose maker entered nothing share these: they would all be in one enclosure. */
const PLACEHOLDER = /^(none|n\/a|unknown|default|null|0123456789|123456789|[-.0_x]+)$/i;

export default defineTask({
  injectableName: 'Task.Enclosure.Assign',
  friendlyName: 'Assign the enclosure',
  // Every step looks first at what is there.
  recovery: 'idempotent',
  retry: { attempts: 5, delayMs: 1_000 },
  optionsSchema: Type.Object({ nodeId: ignoredNodeId }),
  run: async ({ nodeId, services }) => {
    if (nodeId === null) throw new PermanentError('a workflow without a node has no enclosure', 'NO_NODE');
    for (const [source, path] of places) {
      const serial = serialIn(await services.catalog(nodeId, source), path);
      if (serial !== undefined) return { enclosure: await services.enclose(nodeId, serial), serial };
    }
    const sought = places.map(([source, path]) => `${source}: ${path}`).join('; ');
    throw new PermanentError(
      `found no serial number of a chassis; expected one word in a catalog of the node, at one of ${sought}`,
      'CATALOG_VALUE_MISSING',
    );
  },
});

/** A machine with several chassis has a list of them; the first one is its own. */
function serialIn(catalog: unknown, path: string): string | undefined {
  const [block = '', key = ''] = path.split('.');
  const serialText = valueAt(catalog, `${block}.0.${key}`) ?? valueAt(catalog, path);
  if (typeof serialText !== 'string' && typeof serialText !== 'number') return undefined;
  const serial = `${serialText}`.trim();
  return /^\S{1,64}$/.test(serial) && !PLACEHOLDER.test(serial) ? serial : undefined;
}
