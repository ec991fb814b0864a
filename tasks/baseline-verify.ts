/**
 * Waits until the node has the firmware versions and BIOS attributes of a baseline, over Redfish. The inventory and
 * the BIOS then become the catalogs `redfish-firmware` and `redfish-bios`, so that the drift of the node is current. Devices that are
 * updated in band are compared by their catalogs, which no wait changes.
 *
 * Output: `{ firmware, bios, inBand }`, the numbers of versions, attributes and updates that are as wanted.
 */
import { bmcRetry, defineTask, PermanentError, Type } from 'nodewright/define';
import { baselineOptions } from '../engine/hardware/baseline/baseline-options.ts';
import {
  type BaselineInput,
  differingNames,
  readMachine,
  storeMachine,
} from '../engine/hardware/baseline/baseline-plan.ts';
import {
  type LookOptions,
  looking,
  lookMachine,
  lookOptions,
  NotYet,
  type Since,
} from '../engine/hardware/redfish/look.ts';
import { needsService, serviceOf, serviceOptions } from '../engine/hardware/redfish/service.ts';

const name = 'Task.Baseline.Verify';
/** In the message of an error. */
const MOST_NAMES = 20;
const optionsSchema = Type.Object(
  { ...serviceOptions, ...lookOptions, ...baselineOptions },
  { additionalProperties: false },
);

interface Options extends LookOptions, BaselineInput {}

interface Output {
  firmware: number;
  bios: number;
  inBand: number;
}

const unmet = (problem: string): PermanentError => new PermanentError(problem, 'BASELINE_UNMET');

const look = looking<Options & Since, Output>(
  async (scope) => {
    const { services, nodeId, input } = scope;
    const machine = await readMachine(await serviceOf(scope), scope);
    const differing = differingNames(input, machine);
    const names = differing.slice(0, MOST_NAMES).join(', ');
    const { devices } = machine;
    if (devices.lacks.length > 0)
      throw unmet(
        `the node lacks the catalog ${devices.lacks.join(' and ')}, so the firmware of its devices is not known`,
      );
    if (devices.differences.length > 0) throw unmet(`by the catalogs of the node, ${names} differ from the baseline`);
    if (differing.length > 0) throw new NotYet(`${names} differ from the baseline`);
    if (nodeId !== null) await storeMachine(services, nodeId, machine);
    return { firmware: input.firmware.length, bios: Object.keys(input.bios).length, inBand: input.inBand.length };
  },
  (_, trouble) => unmet(`${trouble}; look at the log of the BMC, and whether the machine needs a restart`),
);

export default defineTask<typeof optionsSchema, Output>({
  injectableName: name,
  friendlyName: 'Verify a baseline',
  recovery: 'idempotent',
  retry: bmcRetry,
  needs: needsService,
  optionsSchema,
  options: { firmware: [], bios: {}, inBand: [] },
  machine: lookMachine(name, look as never),
});
