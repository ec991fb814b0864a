/**
 * Reads the BMC of the node by Redfish, without a boot, and keeps what it says as catalogs: `redfish-system`, `redfish-bios`,
 * `redfish-chassis`, `redfish-manager` and `redfish-firmware`. Read-only for the machine. Its account, address and trust
 * are those of the obm. Unlike Task.Redfish.Discover, it changes no identifiers, and publishes no `node.discovered`.
 *
 * Output: `{ catalogs }`, their sources.
 */
import { defineTask, PermanentError, Type } from 'nodewright/define';
import { addCatalogs, readBmc } from '../engine/hardware/redfish/bmc-catalogs.ts';
import { BMC_LIMIT } from '../engine/hardware/redfish/discovery-targets.ts';

export default defineTask({
  injectableName: 'Task.Redfish.Catalog',
  friendlyName: 'Catalog a BMC by Redfish',
  recovery: 'idempotent',
  retry: { attempts: 3, delayMs: 2_000 },
  needs: [{ obm: 'redfish-obm-service', unless: ['discovered'] }],
  optionsSchema: Type.Object(
    {
      discovered: Type.Optional(
        Type.Union([Type.Array(Type.Object({}), { maxItems: BMC_LIMIT }), Type.Literal('')], {
          description: 'BMCs that a task before has discovered, and thus read; with any, nothing is read again.',
        }),
      ),
    },
    { additionalProperties: false },
  ),
  run: async (scope) => {
    const { nodeId, services, signal, input } = scope;
    if (input.discovered) return { catalogs: [] };
    if (nodeId === null) throw new PermanentError('a workflow without a node has no catalogs', 'NO_NODE');
    const { catalogs } = await readBmc(await services.redfish(nodeId), signal);
    return { catalogs: await addCatalogs(scope, nodeId, catalogs) };
  },
});
