/**
 * Reads the MACs of the node's machine from its BMC by Redfish, and makes them identifiers of the node, by which requests of the machine
 * find it. MACs of another node change nothing: the task fails.
 *
 * Output: `{ macs }`.
 */
import { defineTask, PermanentError, Type } from 'nodewright/define';
import { hostOfTarget } from '../engine/hardware/redfish/discovery-targets.ts';
import { macsOf } from '../engine/hardware/redfish/inventory.ts';
import { serviceOf, unsupportedBy } from '../engine/hardware/redfish/service.ts';

export default defineTask({
  injectableName: 'Task.Redfish.Lookups',
  friendlyName: 'Find MACs by Redfish',
  recovery: 'idempotent',
  retry: { attempts: 3, delayMs: 2_000 },
  needs: [{ obm: 'redfish-obm-service' }],
  optionsSchema: Type.Object({}, { additionalProperties: false }),
  run: async (scope) => {
    const { services, nodeId } = scope;
    const service = await serviceOf({ ...scope, input: {} });
    const macs = await macsOf(service.ask, await service.system());
    if (macs.length === 0) throw unsupportedBy('the BMC names no MAC of its machine');
    const { id } = await services.registerBmc({ host: hostOfTarget(service.origin), macs });
    if (id === nodeId) return { macs };
    throw new PermanentError(`the machine of the BMC is the node ${id}`, 'CONFLICT');
  },
});
