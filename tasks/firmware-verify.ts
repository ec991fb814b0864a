/**
 * Compares the versions in the firmware inventory of the node's BMC with those before an update, once it answers again.
 * With a `version`, it waits until every target has it; with a `monitor`, until the BMC has ended that task, whose failure is its own.
 *
 * Output: `{ before, after, changed }`; `changed` lists the components with another version.
 */
import { bmcRetry, defineTask, PermanentError, Type } from 'nodewright/define';
import { areAt, updateServiceOf, type Versions, versionsOf } from '../engine/hardware/redfish/firmware.ts';
import { firmwareOptions } from '../engine/hardware/redfish/firmware-activities.ts';
import {
  type LookOptions,
  looking,
  lookMachine,
  lookOptions,
  NotYet,
  type Since,
} from '../engine/hardware/redfish/look.ts';
import {
  needsService,
  type ServiceInput,
  serviceOf,
  serviceOptions,
  taskProgress,
} from '../engine/hardware/redfish/service.ts';

const name = 'Task.Firmware.Verify';
const { targets, version } = firmwareOptions;
const optionsSchema = Type.Object(
  {
    ...serviceOptions,
    ...lookOptions,
    targets,
    version,
    monitor: Type.Optional(
      Type.String({
        pattern: '^/',
        maxLength: 2_048,
        description: 'Set by the graph: the task that waited for a restart.',
      }),
    ),
    before: Type.Optional(
      Type.Record(Type.String(), Type.String(), { description: 'Set by the graph: the versions before the update.' }),
    ),
  },
  { additionalProperties: false },
);

interface Options extends LookOptions, ServiceInput {
  targets?: string[];
  version?: string;
  monitor?: string;
  before?: Versions;
}

interface Output {
  before: Versions;
  after: Versions;
  changed: string[];
}

const look = looking<Options & Since, Output>(
  async (scope) => {
    const { targets: chosen = [], version: wanted, monitor, before = {} } = scope.input;
    const service = await serviceOf(scope);
    const progress = monitor === undefined ? undefined : await taskProgress(service, monitor);
    if (progress?.ended === false) throw new NotYet(`the task of the BMC is ${progress.state}`);
    const { ask } = service;
    const after = await versionsOf(ask, (await updateServiceOf(ask)).inventory, chosen);
    if (wanted !== undefined && !areAt(after, wanted)) return undefined;
    return { before, after, changed: Object.keys(after).filter((path) => before[path] !== after[path]) };
  },
  ({ version: wanted, targets: chosen = [] }, trouble) => {
    const problem = trouble || `not every component of ${chosen.join(', ')} has the version ${wanted}`;
    return new PermanentError(
      `${problem}; look at the log of the BMC, and whether the machine needs a restart`,
      'FIRMWARE_UNCHANGED',
    );
  },
);

export default defineTask<typeof optionsSchema, Output>({
  injectableName: name,
  friendlyName: 'Verify firmware',
  recovery: 'idempotent',
  retry: bmcRetry,
  needs: needsService,
  optionsSchema,
  machine: lookMachine(name, look as never),
});
