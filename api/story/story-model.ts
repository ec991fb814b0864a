/** The model of the machine of a story. */
import { misuse, namesText } from '../../engine/kit/misuse.ts';
import type { Model } from '../../engine/twin/machine/model.ts';
import { shippedModels } from '../../engine/twin/read-model.ts';

const USUAL = 'dell-r650';

/** @throws NodewrightError INVALID */
export function modelNamed(given: string | Model = USUAL): Model {
  const models = shippedModels();
  const model = typeof given === 'string' ? models.get(given) : given;
  if (model === undefined) throw misuse(`the model ${given}`, namesText(models.keys()), 'correct the name');
  // Its BMC is reached through memory, and needs no TLS there.
  return { ...model, bmc: { ...model.bmc, https: false } };
}
