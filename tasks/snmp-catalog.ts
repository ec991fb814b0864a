/**
 * Reads a switch or a PDU by SNMP, with the address and the community or user of the node's `snmp-ibm-service`: catalogs `snmp`, with its
 * system, interfaces, LLDP neighbors and parts, and `snmp-1`, the same objects under the names that RackHD has for them.
 *
 * Output: `{ catalogs }`, their sources.
 */
import { defineTask, MINUTE_MS, PermanentError, Type } from 'nodewright/define';

export default defineTask({
  injectableName: 'Task.Snmp.Catalog',
  friendlyName: 'Catalog by SNMP',
  recovery: 'idempotent',
  retry: { attempts: 3, delayMs: 5_000 },
  optionsSchema: Type.Object(
    {
      timeoutMs: Type.Integer({
        minimum: 1_000,
        maximum: 3_600_000,
        description: 'Limit of the time for all objects.',
      }),
    },
    { additionalProperties: false },
  ),
  options: { timeoutMs: 5 * MINUTE_MS },
  run: async ({ nodeId, services, input, signal }) => {
    if (nodeId === null) throw new PermanentError('a workflow without a node has no catalogs', 'NO_NODE');
    const catalogs = await services.readSnmp(nodeId, input.timeoutMs, signal);
    for (const [source, data] of Object.entries(catalogs)) await services.addCatalog(nodeId, source, data);
    return { catalogs: Object.keys(catalogs) };
  },
});
