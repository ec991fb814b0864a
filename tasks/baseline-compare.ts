/**
 * Compares firmware versions and BIOS attributes of the node with a baseline, over Redfish. It changes nothing, and rejects a
 * baseline that could not be reached: a component that is missing or has no image, an attribute that the BIOS does not take.
 *
 * Output: `{ differences, updates, attributes }`: the differences, the options of `Task.Firmware.Update` for each component, and the
 * attributes for `Task.Bios.Configure`. The inventory and the BIOS become the catalogs `redfish-firmware` and `redfish-bios`.
 */
import { bmcRetry, defineTask, Type } from 'nodewright/define';
import { baselineOptions, goalViolations } from '../engine/hardware/redfish/baseline-options.ts';
import {
  type BaselineInput,
  type BaselinePlan,
  planBaseline,
  readMachine,
  storeMachine,
} from '../engine/hardware/redfish/baseline-plan.ts';
import { needsService, serviceOf, serviceOptions } from '../engine/hardware/redfish/service.ts';

const optionsSchema = Type.Object({ ...serviceOptions, ...baselineOptions }, { additionalProperties: false });

export default defineTask<typeof optionsSchema, BaselinePlan>({
  injectableName: 'Task.Baseline.Compare',
  friendlyName: 'Compare with a baseline',
  recovery: 'idempotent',
  retry: bmcRetry,
  needs: needsService,
  optionsSchema,
  options: { firmware: [], bios: {} },
  run: async (scope) => {
    const { services, nodeId } = scope;
    const goal = scope.input as BaselineInput;
    const service = await serviceOf(scope);
    const machine = await readMachine(service, goal);
    if (nodeId !== null) await storeMachine(services, nodeId, machine);
    return planBaseline(service, goal, machine);
  },
  checkLaunch: async ({ options }) => goalViolations((options as Partial<BaselineInput>).firmware ?? []),
});
