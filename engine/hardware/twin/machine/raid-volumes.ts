/** Volumes of a RAID controller. A change of one destroys the content of its drives, as on real controllers. */
import { dataDrives, type RaidLevel } from '../../../vocabulary/raid-levels.ts';
import type { MachineState, VolumeChange } from './machine-state.ts';

export function changeVolume(state: MachineState, change: VolumeChange): void {
  const { bmc } = state;
  const before = bmc.volumes ?? [];
  if ('create' in change) {
    const { create } = change;
    bmc.volumes = [...before, create];
    overwrite(state, create.drives, `volume ${create.id}`);
    return;
  }
  const removed = before.find(({ id }) => id === change.remove);
  bmc.volumes = before.filter((volume) => volume !== removed);
  overwrite(state, removed?.drives ?? [], `no volume ${change.remove}`);
}

function overwrite({ drives }: MachineState, serials: readonly string[], content: string): void {
  for (const drive of drives) {
    if (!serials.includes(drive.serial)) continue;
    drive.content = content;
    delete drive.system;
  }
}

/** The largest volume that the drives hold, in bytes. @param bytes of each drive */
export const capacityOf = (raid: RaidLevel, bytes: readonly number[]): number =>
  Math.min(...bytes) * dataDrives(raid, bytes.length);
