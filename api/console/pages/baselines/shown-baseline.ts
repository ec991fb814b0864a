/** Baselines as the daemon answers them. */
import type { GetAnswer } from '../../../client/requests.ts';

export type Baseline = GetAnswer<'/baselines'>[number];
export type Drift = GetAnswer<'/baselines/:id/drift'>[number];

/** `3 versions, 1 BIOS setting`. */
export function contentText({ firmware, bios }: Baseline): string {
  const settings = Object.keys(bios).length;
  return [
    ...(firmware.length > 0 ? [`${firmware.length} ${firmware.length === 1 ? 'version' : 'versions'}`] : []),
    ...(settings > 0 ? [`${settings} BIOS ${settings === 1 ? 'setting' : 'settings'}`] : []),
  ].join(', ');
}
