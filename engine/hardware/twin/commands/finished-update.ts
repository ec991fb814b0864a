/** The changes that an update of firmware in band makes when it ends. */
import { nextVersion } from '../machine/bmc-firmware.ts';
import type { UpdateOfJob } from '../machine/machine-state.ts';
import type { Machine } from '../machine/twin-machine.ts';
import { drivesOfMachine } from './drive-facts.ts';

/** As Dell's packages end: done, and a restart brings the version. */
const RESTART_CODE = 2;

/**
 * A file has the version that its name contains. A drive has it immediately; a package is one of the BIOS, which the next restart
 * brings. @returns the exit code of the tool
 */
export function finishUpdate(machine: Machine, { wanted, fails }: UpdateOfJob): number {
  if (fails) return 1;
  const { name = '', version = '', serial } = wanted;
  const isNamed = name.includes(version);
  if (serial === undefined) {
    const { bmc } = machine.state;
    bmc.stagedBios = isNamed ? version : nextVersion(name, bmc.versions.BIOS ?? '');
    return RESTART_CODE;
  }
  const drive = drivesOfMachine(machine).find(({ state }) => state.serial === serial);
  if (drive === undefined) return 1;
  drive.state.firmware = isNamed ? version : nextVersion(name, drive.model.firmware);
  return 0;
}
