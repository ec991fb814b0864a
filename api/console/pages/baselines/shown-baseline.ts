/** Baselines as the daemon answers them. */

import { countText } from '../../../../engine/vocabulary/count-texts.ts';
import type { GetAnswer } from '../../../client/requests.ts';

export type Baseline = GetAnswer<'/baselines'>[number];
export type Drift = GetAnswer<'/baselines/:id/drift'>[number];

/** `3 versions, 1 BIOS setting, 2 updates in band`. */
export function contentText({ firmware, bios, inBand }: Baseline): string {
  const counts = { version: firmware.length, 'BIOS setting': Object.keys(bios).length };
  const devices = inBand.length > 0 ? [`${countText(inBand.length, 'update')} in band`] : [];
  const texts = Object.entries(counts).flatMap(([one, count]) => (count > 0 ? [countText(count, one)] : []));
  return [...texts, ...devices].join(', ');
}
