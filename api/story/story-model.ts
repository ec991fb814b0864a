/** The model of the machine of a story. */

import type { Model } from '../../engine/hardware/twin/machine/model.ts';
import { shippedModels } from '../../engine/hardware/twin/read-model.ts';
import { misuse, namesText } from '../../engine/kit/misuse.ts';

const USUAL = 'dell-r650';

/** @throws NodewrightError INVALID */
export function modelNamed(given: string | Model = USUAL): Model {
  const models = shippedModels();
  const model = typeof given === 'string' ? models.get(given) : given;
  if (model === undefined) throw misuse(`the model ${given}`, namesText(models.keys()), 'correct the name');
  // Its BMC is reached through memory, and needs no TLS there.
  return { ...model, bmc: { ...model.bmc, https: false } };
}
