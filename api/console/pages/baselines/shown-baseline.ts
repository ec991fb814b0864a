/** Baselines as the daemon answers them. */
import type { GetAnswer } from '../../../client/requests.ts';
import { countText } from '../../parts/count-texts.ts';

export type Baseline = GetAnswer<'/baselines'>[number];
export type Drift = GetAnswer<'/baselines/:id/drift'>[number];

/** `3 versions, 1 BIOS setting`. */
export function contentText({ firmware, bios }: Baseline): string {
  const counts = { version: firmware.length, 'BIOS setting': Object.keys(bios).length };
  return Object.entries(counts)
    .filter(([, count]) => count > 0)
    .map(([one, count]) => countText(count, one))
    .join(', ');
}
