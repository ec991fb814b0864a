/** The firmware of a node as `device-look.sh` prints it, and the devices that updates mean. Pure. */
import { PermanentError } from '../../define/index.ts';
import { type DriveKind, driveKinds, fileNameOf } from '../../vocabulary/device-kinds.ts';
import { factsOf } from '../erase/facts.ts';
import { type DeviceUpdate, isModel, type UpdateOptions } from './device-updates.ts';

interface LookedDrive {
  name: string;
  kind: DriveKind;
  serial: string;
  version: string;
  model: string;
  /** Where it is mounted; '': nowhere. */
  used: string;
}

export interface DeviceLook {
  /** Id of the boot. */
  boot: string;
  /** Name of the machine's product. */
  product: string;
  drives: LookedDrive[];
  /** That of each package, by the position of its update. */
  versions: ReadonlyMap<number, string>;
}

/** A device that an update means. */
export interface TargetDevice {
  /** Position of the update. */
  at: number;
  /** Such as `nvme0n1`; of a package the name of its file. */
  device: string;
  model: string;
  /** '': it is a package. */
  serial: string;
  /** The version that it has. */
  version: string;
  used: string;
}

export const rejectedUpdate = (problem: string): PermanentError =>
  new PermanentError(`nothing was changed: ${problem}`, 'FIRMWARE_REJECTED');

/** The updates that are packages, with their positions. */
export const packagesIn = (updates: readonly DeviceUpdate[]): { at: number; versionCommand: string }[] =>
  updates.flatMap(({ package: vendors }, at) =>
    vendors === undefined ? [] : [{ at, versionCommand: vendors.versionCommand }],
  );

/** @throws PermanentError FIRMWARE_REJECTED if a part of it is missing */
export function deviceLookIn(printed: string, updates: readonly DeviceUpdate[]): DeviceLook {
  const all = factsOf(printed);
  const { boot = '', lacks = '', product = '', end } = all.get('') ?? {};
  if (end !== 'yes' || boot === '') throw rejectedUpdate('the node did not report all of its devices');
  if (lacks !== '') throw rejectedUpdate(`the booted system lacks ${lacks}; add it to the microkernel`);
  const drives = [...all].flatMap(([name, { kind, answer = '', used = '' }]) => {
    const [serial = '', version = '', model = ''] = answer.split('|');
    return isDriveKind(kind) ? [{ name, kind, serial, version, model, used }] : [];
  });
  const versions = packagesIn(updates).map(({ at }, n) => [at, all.get(`${n}`)?.version ?? ''] as const);
  return { boot, product, drives, versions: new Map(versions) };
}

const isDriveKind = (kind: string | undefined): kind is DriveKind => (driveKinds as readonly unknown[]).includes(kind);

/** @returns the devices of each update; none if the node has no such model @throws PermanentError FIRMWARE_REJECTED */
export function targetsIn(look: DeviceLook, { updates, mayLack = false }: UpdateOptions): TargetDevice[] {
  const targets = updates.flatMap((update, at) => targetsOf(look, update, at));
  if (targets.length === 0 && !mayLack)
    throw rejectedUpdate(`no device is of a model of the updates; the node has ${modelsIn(look)}`);
  const anonymous = targets.find(({ at, serial }) => serial === '' && updates[at]?.kind !== 'package');
  if (anonymous !== undefined)
    throw rejectedUpdate(`${anonymous.device} (${anonymous.model}) reports no serial number`);
  return targets;
}

function targetsOf(look: DeviceLook, { kind, model: wanted, file }: DeviceUpdate, at: number): TargetDevice[] {
  if (kind !== 'package') {
    const drives = look.drives.filter((drive) => drive.kind === kind && isModel(drive.model, wanted));
    // A controller of NVMe has the firmware, whatever the number of its namespaces.
    const isFirst = ({ serial }: LookedDrive, n: number) => drives.findIndex((one) => one.serial === serial) === n;
    return drives.filter(isFirst).map(({ name: device, ...drive }) => {
      const used = drives.flatMap((one) => (one.serial === drive.serial && one.used !== '' ? [one.used] : []));
      return { at, device, model: drive.model, serial: drive.serial, version: drive.version, used: used.join(' ') };
    });
  }
  const version = look.versions.get(at) ?? '';
  if (version === '' || !isModel(look.product, wanted)) return [];
  return [{ at, device: fileNameOf(file), model: look.product, serial: '', version, used: '' }];
}

const modelsIn = ({ product, drives }: DeviceLook): string =>
  [`the product ${product || '(unknown)'}`, ...new Set(drives.map(({ kind, model }) => `${kind} ${model}`))].join(', ');
