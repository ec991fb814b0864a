/**
 * Determines the drives to erase and the method: resolves the settings of a request against a driveId catalog. Pure.
 *
 * 1. A request names a drive by its device name, identifier or wwid. Only the wwid identifies it: names change from one
 *    boot to the next.
 * 2. Ambiguous input is rejected: a drive without a wwid, a wwid that two drives have, a drive that is named twice.
 */

import { type ChosenDrive, Type, type Violation } from '../../define/index.ts';
import { countText } from '../../vocabulary/count-texts.ts';
import { objectIn } from '../../vocabulary/json.ts';
import { argumentOf, argumentsOf, eraseMethods, type Protocol, type ToolName, toolNames, tools } from './tools.ts';

/** Limited so that their results fit into one answer of an agent. */
const DRIVES = 30;

const disk = Type.Union([Type.Integer({ minimum: 0, maximum: 65_535 }), Type.String({ minLength: 1, maxLength: 256 })]);

export const eraseSettings = Type.Array(
  Type.Object(
    {
      disks: Type.Array(disk, { minItems: 1, maxItems: DRIVES }),
      tool: Type.Optional(Type.Unsafe<ToolName>({ type: 'string', enum: [...toolNames] })),
      arg: Type.Optional(Type.String({ maxLength: 64 })),
    },
    { additionalProperties: false },
  ),
  {
    minItems: 1,
    maxItems: DRIVES,
    description:
      'The drives to erase: disks by device name or identifier of the driveId catalog, tool (default scrub), arg.',
    // For forms: which methods exist, and for which drives.
    'x-erase-methods': eraseMethods,
  },
);

export interface EraseSetting {
  disks: (string | number)[];
  tool?: ToolName;
  arg?: string;
}

export interface PlannedDrive {
  devName: string;
  identifier: number | null;
  wwid: string;
  tool: ToolName;
  /** The argument in the tool's own form. */
  arg: string;
}

interface CatalogDrive {
  devName: string;
  identifier: number | null;
  wwid: string;
  /** All names under which a request may refer to it. */
  names: string[];
  protocol: Protocol | null;
  /** A volume of a RAID controller, whose drives are hidden. */
  volume: boolean;
}

const text = (value: unknown): string => (typeof value === 'string' ? value.trim() : '');

/** A name below /dev that is inserted into commands; never a path. */
const device = /^[A-Za-z0-9][A-Za-z0-9_-]{0,31}$/;

/** @param catalog a list, or an object with the same entries */
function drivesOf(catalog: unknown): CatalogDrive[] {
  const entries: unknown[] = typeof catalog === 'object' && catalog !== null ? Object.values(catalog) : [];
  return entries.flatMap((each) => {
    const entry = objectIn(each);
    const devName = text(entry.devName);
    if (!device.test(devName)) return [];
    const [linux, esxi] = [text(entry.linuxWwid), text(entry.esxiWwid)];
    const identifier = typeof entry.identifier === 'number' ? entry.identifier : null;
    const number = identifier === null ? '' : `${identifier}`;
    const names = [devName, `/dev/${devName}`, number, linux, esxi].filter((name) => name !== '');
    // NAA type 6 identifies volumes of arrays; a drive has type 5.
    const volume = text(entry.virtualDisk) !== '' && /^naa\.6/.test(esxi);
    return [{ devName, identifier, wwid: linux || esxi, names, protocol: protocolOf(entry, devName), volume }];
  });
}

/** null: unknown from the catalog. */
function protocolOf(entry: Record<string, unknown>, devName: string): Protocol | null {
  const [said, linux, esxi] = [text(entry.protocol), text(entry.linuxWwid), text(entry.esxiWwid)];
  if (said === 'ata' || said === 'scsi' || said === 'nvme') return said;
  if (/^nvme/.test(devName) || /\/nvme-/.test(linux)) return 'nvme';
  if (/\/(ata-|scsi-\dATA)/.test(linux) || /^t10\.ATA/.test(esxi)) return 'ata';
  return /\/scsi-/.test(linux) ? 'scsi' : null;
}

export interface Plan {
  drives: PlannedDrive[];
  /** Paths below the options: `eraseSettings.0.disks.1`. */
  violations: Violation[];
}

/** @param catalog content of the latest driveId catalog; undefined: there is none */
export function planOf(settings: readonly EraseSetting[], catalog: unknown): Plan {
  const catalogDrives = drivesOf(catalog);
  if (catalogDrives.length === 0) {
    const message = 'the node has no driveId catalog, or one without drives; discover the node first';
    return { drives: [], violations: [{ path: 'eraseSettings', message }] };
  }
  const plan: Plan = { drives: [], violations: [] };
  for (const [at, setting] of settings.entries()) addSetting(plan, catalogDrives, setting, `eraseSettings.${at}`);
  if (plan.drives.length > DRIVES) {
    const message = `${plan.drives.length} drives; expected at most ${DRIVES}; erase the rest in another workflow`;
    plan.violations.push({ path: 'eraseSettings', message });
  }
  return plan;
}

/** Returns the drives of a plan without violations, for the plan of a launch. */
export const chosenDrives = ({ drives, violations }: Plan): ChosenDrive[] | undefined =>
  violations.length > 0 ? undefined : drives.map(({ devName, wwid }) => ({ devName, wwid }));

function addSetting(
  { drives, violations }: Plan,
  catalogDrives: CatalogDrive[],
  setting: EraseSetting,
  path: string,
): void {
  const { disks, tool = 'scrub', arg: given } = setting;
  const arg = argumentOf(tool, given);
  if (arg === undefined) {
    violations.push({ path: `${path}.arg`, message: `is unknown to ${tool}; expected one of ${argumentsOf(tool)}` });
  }
  for (const [at, name] of disks.entries()) {
    const place = `${path}.disks.${at}`;
    const meant = catalogDrives.filter(({ names }) => names.includes(`${name}`));
    const [drive] = meant;
    if (drive === undefined || meant.length > 1) {
      const message = `${name} names ${meant.length} drives of the node's latest driveId catalog; expected one`;
      violations.push({ path: place, message });
      continue;
    }
    const { devName, identifier, wwid } = drive;
    const wrong =
      unsafeReason(drive, catalogDrives) ?? misfitReason(drive, tool, catalogDrives) ?? twice(drive, drives);
    if (wrong !== undefined) violations.push({ path: place, message: `${name} ${wrong}` });
    drives.push({ devName, identifier, wwid, tool, arg: arg ?? '' });
  }
}

function unsafeReason({ devName, wwid }: CatalogDrive, catalogDrives: readonly CatalogDrive[]): string | undefined {
  if (wwid === '') return 'has no wwid in the catalog, so it cannot be identified after a reboot';
  const same = catalogDrives.find((other) => other.wwid === wwid && other.devName !== devName);
  return same && `has the same wwid as ${same.devName}: two paths to one drive, or a wrong catalog`;
}

const twice = ({ wwid }: CatalogDrive, drives: readonly PlannedDrive[]): string | undefined =>
  drives.some((drive) => drive.wwid === wwid) ? 'is named twice' : undefined;

function misfitReason(drive: CatalogDrive, tool: ToolName, catalogDrives: readonly CatalogDrive[]): string | undefined {
  const { protocol } = tools[tool];
  if (protocol === undefined) return undefined;
  if (drive.volume) return `is a volume of a RAID controller, but ${tool} erases drives; use scrub`;
  if (drive.protocol !== null && drive.protocol !== protocol) {
    return `has the protocol ${drive.protocol}, but ${tool} requires ${protocol}`;
  }
  if (tool !== 'nvme_sanitize') return undefined;
  const beside = catalogDrives.find(
    ({ devName }) => devName !== drive.devName && controller(devName) === controller(drive.devName),
  );
  return beside && `shares its controller with ${beside.devName}, which ${tool} would erase too`;
}

/** Returns `nvme0` for `nvme0n1`. */
const controller = (devName: string): string => devName.replace(/n\d+$/, '');

/** Finds the same drives in a newer catalog, by their wwids, under any current name. */
export function planOfFound(planned: readonly PlannedDrive[], catalog: unknown): Plan {
  const catalogDrives = drivesOf(catalog);
  const plan: Plan = { drives: [], violations: [] };
  for (const [at, drive] of planned.entries()) {
    const path = `plan.${at}`;
    const now = catalogDrives.filter(({ wwid }) => wwid === drive.wwid);
    const [first] = now;
    if (first === undefined || now.length > 1) {
      const message = `${drive.devName} (${drive.wwid}) is now in the catalog ${countText(now.length, 'time')}, expected once`;
      plan.violations.push({ path, message });
      continue;
    }
    const wrong = misfitReason(first, drive.tool, catalogDrives);
    if (wrong !== undefined) plan.violations.push({ path, message: `${first.devName} ${wrong}` });
    plan.drives.push({ ...drive, devName: first.devName, identifier: first.identifier });
  }
  return plan;
}
