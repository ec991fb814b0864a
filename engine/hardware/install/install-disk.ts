/** Selects the disk of an installation by the node's latest driveId catalog. Pure. */
import { type ChosenDrive, PermanentError } from '../../define/index.ts';
import { objectIn } from '../../vocabulary/json.ts';

export interface InstallDisk {
  /** A path below /dev; one that does not change with the order of the drives, if the catalog has one. */
  linux: string;
  /** The name that ESXi has for it; null: its first disk. */
  esxi: string | null;
}

/** Installers of Linux and of ESXi have different names for a disk. */
export type DiskNames = 'linux' | 'esxi';

const DEVICE_PATH = /^\/dev\/[A-Za-z0-9][A-Za-z0-9/._:+-]*$/;
const text = (value: unknown): string => (typeof value === 'string' ? value.trim() : '');

/** @param system whose names it must have @throws PermanentError INSTALL_REJECTED */
export function installDisk(given: string | number | undefined, catalog: unknown, system: DiskNames): InstallDisk {
  const disk = selectedDisk(given, catalog);
  if (given === undefined || system === 'linux' || disk.esxi !== null) return disk;
  throw new PermanentError(
    `installDisk: ${given} has no name of ESXi; expected a drive of the catalog`,
    'INSTALL_REJECTED',
  );
}

/** Returns the drive that an installation would overwrite; undefined: no catalog knows it. */
export function installDrive(given: string | number | undefined, catalog: unknown): ChosenDrive | undefined {
  const [drive, other] = matchingDrives(given, knownIn(catalog));
  if (drive === undefined || other !== undefined) return undefined;
  return { devName: text(drive.devName) || pathOf(drive), wwid: text(drive.linuxWwid) || text(drive.esxiWwid) };
}

function knownIn(catalog: unknown): Drive[] {
  const drives: unknown[] = typeof catalog === 'object' && catalog !== null ? Object.values(catalog) : [];
  return drives.map(objectIn).filter((drive) => DEVICE_PATH.test(pathOf(drive)));
}

/** Returns the drives that a name means; without a name the one that an installer takes. */
function matchingDrives(given: string | number | undefined, drives: readonly Drive[]): Drive[] {
  if (given !== undefined) return drives.filter((drive) => namesOf(drive).includes(`${given}`));
  const first = drives.find(isSataDom) ?? drives[0];
  return first === undefined ? [] : [first];
}

function selectedDisk(given: string | number | undefined, catalog: unknown): InstallDisk {
  const drives = knownIn(catalog);
  const named = matchingDrives(given, drives);
  const [drive] = named;
  if (given === undefined || (drive !== undefined && named.length === 1)) return diskOf(drive);
  // A path or a wwid that the catalog lacks may be that of a node that was never discovered.
  if (named.length === 0 && typeof given === 'string' && DEVICE_PATH.test(given)) return { linux: given, esxi: null };
  if (drives.length === 0 && /^(naa|t10|eui)\./.test(`${given}`)) return { linux: '/dev/sda', esxi: `${given}` };
  const problem = `names ${named.length} drives of the node's latest driveId catalog; expected one`;
  throw new PermanentError(`installDisk: ${given} ${problem}`, 'INSTALL_REJECTED');
}

type Drive = Record<string, unknown>;

const pathOf = (drive: Drive): string => text(drive.linuxWwid) || `/dev/${text(drive.devName)}`;
/** RackHD's rule: a SATADOM is made for the system. */
const isSataDom = (drive: Drive): boolean => text(drive.esxiWwid).startsWith('t10');

function namesOf(drive: Drive): string[] {
  const { devName, identifier, linuxWwid, esxiWwid } = drive;
  const number = typeof identifier === 'number' ? `${identifier}` : '';
  return [text(devName), `/dev/${text(devName)}`, number, text(linuxWwid), text(esxiWwid)].filter(
    (name) => name !== '',
  );
}

const diskOf = (drive: Drive | undefined): InstallDisk =>
  drive === undefined
    ? { linux: '/dev/sda', esxi: null }
    : { linux: pathOf(drive), esxi: /^[A-Za-z0-9._:+-]+$/.test(text(drive.esxiWwid)) ? text(drive.esxiWwid) : null };
