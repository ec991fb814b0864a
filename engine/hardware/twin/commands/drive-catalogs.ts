/** The output of the commands that list drives: lsblk, and the collector of driveId. */
import type { Machine } from '../machine/twin-machine.ts';
import { type DriveFacts, drivesOfMachine } from './drive-facts.ts';

const orNull = (text: string): string | null => (text === '' ? null : text);

/** The columns of lsblk, by their names. */
const columns: Readonly<Record<string, (drive: DriveFacts) => unknown>> = {
  NAME: ({ name }) => name,
  KNAME: ({ name }) => name,
  TYPE: () => 'disk',
  SIZE: ({ model }) => model.bytes,
  MODEL: ({ model }) => model.model,
  SERIAL: ({ state }) => state.serial,
  WWN: ({ wwn }) => wwn,
  ROTA: ({ model }) => model.isRotational,
  TRAN: ({ model }) => model.kind,
  VENDOR: ({ vendor }) => orNull(vendor),
  REV: ({ model }) => orNull(model.kind === 'nvme' ? '' : model.firmware),
  HCTL: ({ hctl }) => orNull(hctl),
  RO: () => false,
  RM: () => false,
  MOUNTPOINT: () => null,
};

const USUAL_COLUMNS = ['NAME', 'KNAME', 'TYPE', 'SIZE', 'RO', 'RM', 'MOUNTPOINT'];

/** @param wanted names of columns; undefined: some @returns undefined: it has another column */
export function lsblkJson(machine: Machine, wanted: readonly string[] | undefined): string | undefined {
  const named = wanted ?? USUAL_COLUMNS;
  if (named.some((column) => columns[column] === undefined)) return undefined;
  const blockdevices = drivesOfMachine(machine).map((drive) =>
    Object.fromEntries(named.map((column) => [column.toLowerCase(), columns[column]?.(drive)])),
  );
  return `${JSON.stringify({ blockdevices }, null, 3)}\n`;
}

const protocols = { nvme: 'nvme', sata: 'ata', sas: 'scsi' } as const;

/** Lines `path=value`, as the collector of driveId prints them. */
export function driveIdLines(machine: Machine): string {
  const lines = drivesOfMachine(machine).flatMap(({ name, hctl, link, esxi, wwn, model, state }, n) => [
    `${n}.devName=${name}`,
    `${n}.identifier:=${n}`,
    `${n}.scsiId=${hctl}`,
    `${n}.linuxWwid=${link}`,
    `${n}.esxiWwid=${model.kind === 'nvme' ? wwn : esxi}`,
    `${n}.virtualDisk=`,
    `${n}.protocol=${protocols[model.kind]}`,
    `${n}.model=${model.model}`,
    `${n}.serial=${state.serial}`,
    `${n}.sizeBytes:=${model.bytes}`,
  ]);
  return `${(lines.length === 0 ? ['='] : lines).join('\n')}\n`;
}

/** The list that RackHD's get_driveid.js prints. */
export const driveIdJson = (machine: Machine): string =>
  JSON.stringify(
    drivesOfMachine(machine).map(({ name, hctl, link, esxi }, identifier) => ({
      scsiId: hctl,
      virtualDisk: '',
      esxiWwid: esxi,
      devName: name,
      identifier,
      linuxWwid: link,
    })),
  );

/** The catalog of the drives' health, by device name, with fields as smartctl names them. */
export const smartJson = (machine: Machine): string =>
  JSON.stringify(
    Object.fromEntries(
      drivesOfMachine(machine).map(({ name, model, state }) => [
        name,
        {
          device: { name: `/dev/${name}`, protocol: { nvme: 'NVMe', sata: 'ATA', sas: 'SCSI' }[model.kind] },
          ...(model.kind === 'sas'
            ? { scsi_vendor: model.vendor, scsi_product: model.model, scsi_revision: model.firmware }
            : { model_name: model.model, firmware_version: model.firmware }),
          serial_number: state.serial,
          user_capacity: { bytes: model.bytes },
          ...(model.kind !== 'nvme' && { rotation_rate: model.isRotational ? 7_200 : 0 }),
          smart_status: { passed: true },
          ...(model.kind === 'nvme' && {
            nvme_smart_health_information_log: { critical_warning: 0, percentage_used: 1, media_errors: 0 },
          }),
        },
      ]),
    ),
  );
