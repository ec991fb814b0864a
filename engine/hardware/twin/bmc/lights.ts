/** The light by which a machine is found: as a flag, or as a state in older services. */
import type { JsonObject } from '../../../vocabulary/json.ts';
import type { BmcCall } from './bmc-call.ts';
import type { BodyFields } from './fields.ts';

const states = ['Lit', 'Blinking', 'Off'] as const;

export const lightOf = ({ bmc, model }: BmcCall): JsonObject =>
  model.tree.light === 'IndicatorLED' ? { IndicatorLED: bmc.light } : { LocationIndicatorActive: bmc.light !== 'Off' };

export function changeLight({ bmc, model }: BmcCall, fields: BodyFields): void {
  const { light } = model.tree;
  if (!fields.has(light)) return;
  if (light === 'IndicatorLED') bmc.light = fields.oneOf(light, states);
  else bmc.light = fields.flagOr(light, false) === true ? 'Blinking' : 'Off';
}
