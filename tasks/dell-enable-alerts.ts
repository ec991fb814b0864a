/**
 * Enables alerts on a node's iDRAC, as `racadm set iDRAC.IPMILan.AlertEnable 1` does; no change if already enabled.
 *
 * Output: `{ changed }`.
 */
import { defineTask, ObmError, Type } from 'nodewright/define';
import { attributesOf, idracOf } from '../engine/hardware/redfish/idrac.ts';
import { type Ask, needsService, serviceOf, serviceOptions } from '../engine/hardware/redfish/service.ts';

const ATTRIBUTE = 'IPMILan.1.AlertEnable';
const ENABLED = 'Enabled';

export default defineTask({
  injectableName: 'Task.Dell.Enable.Alerts',
  friendlyName: 'Enable Dell Alerts',
  recovery: 'idempotent',
  retry: { attempts: 3, delayMs: 2_000 },
  needs: needsService,
  optionsSchema: Type.Object(serviceOptions, { additionalProperties: false }),
  run: async (scope) => {
    const { ask } = await serviceOf(scope);
    const path = attributesOf(await idracOf(ask));
    if ((await valueAt(ask, path)) === ENABLED) return { changed: false };
    await ask({ method: 'PATCH', path, body: { Attributes: { [ATTRIBUTE]: ENABLED } } });
    // The iDRAC also answers 200 when it has ignored an attribute.
    const actualValue = await valueAt(ask, path);
    if (actualValue === ENABLED) return { changed: true };
    throw new ObmError(
      'OBM_FAILED',
      `the BMC reports ${ATTRIBUTE} ${String(actualValue)} after it was set, expected ${ENABLED}`,
    );
  },
});

async function valueAt(ask: Ask, path: string): Promise<unknown> {
  const { Attributes: attributes } = await ask({ method: 'GET', path });
  return (attributes as Record<string, unknown> | undefined)?.[ATTRIBUTE];
}
