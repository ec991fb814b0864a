/**
 * Waits until the node has the firmware versions and BIOS attributes of a baseline, over Redfish. The inventory and
 * the BIOS then become the catalogs `redfish-firmware` and `redfish-bios`, so that the drift of the node is current.
 *
 * Output: `{ firmware, bios }`, the numbers of versions and attributes that are as wanted.
 */
import { bmcRetry, defineTask, PermanentError, Type } from 'nodewright/define';
import { baselineOptions } from '../engine/hardware/redfish/baseline-options.ts';
import {
  type BaselineInput,
  differencesAt,
  readMachine,
  storeMachine,
} from '../engine/hardware/redfish/baseline-plan.ts';
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
}

const look = looking<Options & Since, Output>(
  async (scope) => {
    const { services, nodeId, input } = scope;
    const machine = await readMachine(await serviceOf(scope), input);
    const names = differencesAt(input, machine).map(({ name }) => name);
    if (names.length > 0) throw new NotYet(`${names.slice(0, MOST_NAMES).join(', ')} differ from the baseline`);
    if (nodeId !== null) await storeMachine(services, nodeId, machine);
    return { firmware: input.firmware.length, bios: Object.keys(input.bios).length };
  },
  (_, trouble) =>
    new PermanentError(
      `${trouble}; look at the log of the BMC, and whether the machine needs a restart`,
      'BASELINE_UNMET',
    ),
);

export default defineTask<typeof optionsSchema, Output>({
  injectableName: name,
  friendlyName: 'Verify a baseline',
  recovery: 'idempotent',
  retry: bmcRetry,
  needs: needsService,
  optionsSchema,
  options: { firmware: [], bios: {} },
  machine: lookMachine(name, look as never),
});
