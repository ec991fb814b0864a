/** The drives of a machine as its kernel shows them. Those that are missing are not among them. */
import { createHash } from 'node:crypto';
import type { DriveState } from '../machine/machine-state.ts';
import type { ModelDrive } from '../machine/model.ts';
import type { Machine } from '../machine/twin-machine.ts';

export interface DriveFacts {
  state: DriveState;
  model: ModelDrive;
  name: string;
  /** As lsblk prints it: `0x5000...`, or `eui....` of NVMe. */
  wwn: string;
  /** Its name in /dev/disk/by-id that comes first there. */
  link: string;
  /** As ESXi names it. */
  esxi: string;
  /** `0:0:1:0`; '' for NVMe. */
  hctl: string;
  /** `ATA` of a SATA drive; '' for NVMe. */
  vendor: string;
}

export const drivesOfMachine = ({ state, facts }: Machine): DriveFacts[] =>
  state.drives
    .filter(({ isMissing }) => isMissing !== true)
    .flatMap((drive) => {
      const model = facts.model.drives[drive.model];
      return model === undefined ? [] : [factsOfDrive(drive, model)];
    })
    .sort((a, b) => (a.name < b.name ? -1 : 1));

function factsOfDrive(state: DriveState, model: ModelDrive): DriveFacts {
  const digits = state.wwn.toLowerCase().replace(/^(naa|eui)\.|^0x|\s/g, '');
  const isNvme = model.kind === 'nvme';
  return {
    state,
    model: { ...model, firmware: state.firmware ?? model.firmware },
    name: state.name,
    wwn: isNvme ? `eui.${digits}` : `0x${digits}`,
    link: `/dev/disk/by-id/${isNvme ? 'nvme-eui.' : 'wwn-0x'}${digits}`,
    esxi: `${isNvme ? 'eui' : 'naa'}.${digits}`,
    hctl: isNvme ? '' : `0:0:${state.model}:0`,
    vendor: { nvme: '', sata: 'ATA', sas: model.vendor }[model.kind],
  };
}

/** @param named a name, a path below /dev, a link of it, or ESXi's name */
export const driveNamed = (machine: Machine, named: string): DriveFacts | undefined =>
  drivesOfMachine(machine).find(({ name, link, esxi }) => [name, `/dev/${name}`, link, esxi].includes(named));

/** As the script `common.sh` of the erase identifies a drive. */
export const identityOf = ({ wwn, state, model }: DriveFacts): string =>
  createHash('sha256').update(`${wwn} ${state.serial} ${model.bytes}`).digest('hex').slice(0, 32);
