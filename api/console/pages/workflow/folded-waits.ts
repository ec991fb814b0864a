/** Which waits of a workflow are shown, and which are folded. */
import type { WaitingOn } from '../../../../engine/vocabulary/states.ts';

/** Waits for a release are folded beside others. */
export function foldedWaits<T extends { waitingOn: WaitingOn | null }>(
  waits: readonly T[],
): { open: T[]; folded: T[] } {
  const open = waits.filter(({ waitingOn }) => waitingOn !== 'release');
  if (open.length === 0) return { open: [...waits], folded: [] };
  return { open, folded: waits.filter(({ waitingOn }) => waitingOn === 'release') };
}
