/**
 * Compares firmware versions and BIOS attributes of the node with a baseline, over Redfish, and devices that are updated in band by the
 * catalogs `smart` and `firmware-packages`. It changes nothing, and rejects a baseline that could not be reached: a component that is
 * missing or has no image, an attribute that the BIOS does not take, a file that is not stored.
 *
 * Output: `{ differences, updates, attributes, inBand }`: the differences, the options of `Task.Firmware.Update` for each component, the
 * attributes for `Task.Bios.Configure`, and the updates for `Graph.Firmware.Update.InBand`, none if no device differs and all are known.
 * The inventory and the BIOS become the catalogs `redfish-firmware` and `redfish-bios`.
 */
import { bmcRetry, defineTask, Type } from 'nodewright/define';
import { baselineOptions, goalViolations } from '../engine/hardware/baseline/baseline-options.ts';
import {
  type BaselineInput,
  type BaselinePlan,
  planBaseline,
  readMachine,
  storeMachine,
} from '../engine/hardware/baseline/baseline-plan.ts';
import { checkFiles } from '../engine/hardware/firmware/in-band-updates.ts';
import { needsService, serviceOf, serviceOptions } from '../engine/hardware/redfish/service.ts';

const optionsSchema = Type.Object({ ...serviceOptions, ...baselineOptions }, { additionalProperties: false });

export default defineTask<typeof optionsSchema, BaselinePlan>({
  injectableName: 'Task.Baseline.Compare',
  friendlyName: 'Compare with a baseline',
  recovery: 'idempotent',
  retry: bmcRetry,
  needs: needsService,
  optionsSchema,
  options: { firmware: [], bios: {}, inBand: [] },
  run: async (scope) => {
    const { services, nodeId } = scope;
    const input = scope.input as BaselineInput;
    const service = await serviceOf(scope);
    const machine = await readMachine(service, { input, services, nodeId });
    if (nodeId !== null) await storeMachine(services, nodeId, machine);
    const plan = await planBaseline(service, input, machine);
    await checkFiles(services, plan.inBand);
    return plan;
  },
  checkLaunch: async ({ options }) => goalViolations(options as Partial<BaselineInput>),
});
