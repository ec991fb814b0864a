/**
 * Gives BIOS attributes their values by Redfish. Attributes that have them already are not sent. Unknown attributes and
 * values that the BIOS does not take are rejected before anything is changed. The values take effect with the next
 * restart of the machine; `Task.Bios.Verify` waits for that.
 *
 * Output: `{ changed, restart }`: the attributes with other values before, and whether they need a restart.
 */
import { bmcRetry, defineTask, Type } from 'nodewright/define';
import {
  type Attributes,
  biosOf,
  biosRejection,
  differingAttributes,
  rejectedValues,
} from '../engine/hardware/redfish/bios.ts';
import { biosOptions } from '../engine/hardware/redfish/bios-options.ts';
import { needsService, serviceOf, serviceOptions } from '../engine/hardware/redfish/service.ts';

const optionsSchema = Type.Object(
  { ...serviceOptions, attributes: biosOptions.attributes },
  { additionalProperties: false },
);

/** `from` and `to`, by attribute. */
type Changes = Record<string, { from: unknown; to: unknown }>;

export default defineTask<typeof optionsSchema, { changed: Changes; restart: boolean }>({
  injectableName: 'Task.Bios.Configure',
  friendlyName: 'Configure the BIOS',
  recovery: 'idempotent',
  retry: bmcRetry,
  needs: needsService,
  optionsSchema,
  run: async (scope) => {
    const service = await serviceOf(scope);
    const { ask } = service;
    const system = await service.system();
    const bios = await biosOf(ask, system);
    const wanted = scope.input.attributes as Attributes;
    const wrong = await rejectedValues(ask, bios, wanted);
    if (wrong.length > 0) throw biosRejection(wrong);
    const changes = differingAttributes(bios.attributes, wanted);
    const changed = Object.fromEntries(
      Object.entries(changes).map(([name, to]) => [name, { from: bios.attributes[name], to }]),
    );
    if (Object.keys(changes).length === 0) return { changed, restart: false };
    const apply = bios.applyTimes.includes('OnReset') ? { '@Redfish.SettingsApplyTime': { ApplyTime: 'OnReset' } } : {};
    await ask({ method: 'PATCH', path: bios.settings, body: { Attributes: changes, ...apply } });
    // A BIOS that takes values immediately needs no restart.
    const { attributes: now } = await biosOf(ask, system);
    return { changed, restart: Object.keys(differingAttributes(now, changes)).length > 0 };
  },
});
