/**
 * Waits until BIOS attributes have their values, after a restart of the machine. BIOSes publish them when their
 * self-test has ended, which takes minutes.
 *
 * Output: `{ attributes }`.
 */
import { bmcRetry, defineTask, PermanentError, Type } from 'nodewright/define';
import { type Attributes, biosOf, differingAttributes } from '../engine/hardware/redfish/bios.ts';
import { biosOptions } from '../engine/hardware/redfish/bios-options.ts';
import { type LookOptions, looking, lookMachine, lookOptions, type Since } from '../engine/hardware/redfish/look.ts';
import { needsService, type ServiceInput, serviceOf, serviceOptions } from '../engine/hardware/redfish/service.ts';

const name = 'Task.Bios.Verify';
const optionsSchema = Type.Object(
  { ...serviceOptions, ...lookOptions, attributes: biosOptions.attributes },
  { additionalProperties: false },
);

interface Options extends LookOptions, ServiceInput {
  attributes: Attributes;
}

const look = looking<Options & Since, { attributes: Attributes }>(
  async (scope) => {
    const { attributes } = scope.input;
    const service = await serviceOf(scope);
    const bios = await biosOf(service.ask, await service.system());
    return Object.keys(differingAttributes(bios.attributes, attributes)).length === 0 ? { attributes } : undefined;
  },
  ({ attributes }, trouble) => {
    const problem = trouble || `some of ${Object.keys(attributes).join(', ')} have other values`;
    return new PermanentError(`${problem}; look at the messages of the BIOS and at the machine`, 'BIOS_UNCHANGED');
  },
);

export default defineTask<typeof optionsSchema, { attributes: Attributes }>({
  injectableName: name,
  friendlyName: 'Verify the BIOS',
  recovery: 'idempotent',
  retry: bmcRetry,
  needs: needsService,
  optionsSchema,
  machine: lookMachine(name, look as never),
});
