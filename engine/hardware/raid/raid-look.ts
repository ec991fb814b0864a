/** The drives and volumes of a node, as `raid-look.sh` prints them. Pure. */
import { type Facts, factsOf } from '../erase/facts.ts';
import { raidRejection } from './raid-plan.ts';
import type { RaidController, RaidDrive, RaidVolume } from './raid-state.ts';

export interface RaidLook {
  /** Id of the boot. */
  boot: string;
  /** Path of the tool on the node; undefined: it has none of those that were asked. */
  program: string | undefined;
  controllers: RaidController[];
}

/** The first bytes of a superblock of Linux. */
export const LINUX_MAGIC = 'a92b4efc';
/** The id of what mdadm makes, as of a controller. */
export const SOFTWARE = 'mdadm';
const softwareLevels = ['RAID0', 'RAID1', 'RAID5', 'RAID6', 'RAID10'] as const;
const SIZE_UNITS: Readonly<Record<string, number>> = {
  KB: 2 ** 10,
  MB: 2 ** 20,
  GB: 2 ** 30,
  TB: 2 ** 40,
  PB: 2 ** 50,
};

/** @throws PermanentError RAID_REJECTED if a part of it is missing */
export function raidLookIn(printed: string): RaidLook {
  const all = factsOf(printed);
  const { boot = '', program, end } = all.get('') ?? {};
  if (end !== 'yes' || boot === '') throw raidRejection('the node did not report all of its drives');
  const names = [...all].flatMap(([name, { controller }]) => (controller === undefined ? [] : [name]));
  const controllers = names.map((name) => (name === SOFTWARE ? softwareOf(all) : controllerOf(name, all)));
  return { boot, program, controllers };
}

/** Returns the parts of the values with this key, by the path that their name means. */
const partsOf = (all: ReadonlyMap<string, Facts>, key: string): [name: string, parts: string[]][] =>
  [...all].flatMap(([name, { [key]: value }]) => (value === undefined ? [] : [[name, value.split('|')]]));

/** A controller of storcli64 or perccli64: its drives are named like `c0-e252-s1`, its volumes like `c0-v0`. */
function controllerOf(id: string, all: ReadonlyMap<string, Facts>): RaidController {
  const isOwn = ([name]: readonly [string, unknown]) => name.startsWith(`${id}-`);
  const pathOf = (name: string) => `/${name.replaceAll('-', '/')}`;
  const drives = partsOf(all, 'drive').filter(isOwn);
  const paths = new Map(drives.map(([name, [place = '']]) => [place, pathOf(name)]));
  return {
    id,
    collection: `/${id}`,
    levels: undefined,
    isStaged: false,
    drives: drives.map(([name, parts]) => driveOf(pathOf(name), parts)),
    volumes: partsOf(all, 'volume')
      .filter(isOwn)
      .map(([name, [raid = '', size = '', label = '', places = '']]) => ({
        path: pathOf(name),
        name: label,
        raid,
        bytes: bytesIn(size),
        drives: places.split(' ').map((place) => paths.get(place) ?? place),
      })),
  };
}

/** @param text such as `372.093 GB`, in powers of 1,024 */
function bytesIn(text: string): number {
  const [amount = '', unit = ''] = text.split(' ');
  return Math.round(Number(amount) * (SIZE_UNITS[unit] ?? 0)) || 0;
}

function driveOf(path: string, parts: readonly string[]): RaidDrive {
  const [, state = '', group, size = '', protocol = '', media = '', serial = ''] = parts;
  const unfit = group === 'F' ? 'has the configuration of another controller' : unfitState(state);
  return { path, serial, bytes: bytesIn(size), media, protocol, ...(unfit !== undefined && { unfit }) };
}

const unfitStates: Readonly<Record<string, string>> = {
  GHS: 'is a hot spare',
  DHS: 'is a hot spare',
  JBOD: 'is passed through to the system (JBOD); free it first, by `set good force`',
};

const unfitState = (state: string): string | undefined =>
  state === 'UGood' || state === 'Onln' ? undefined : (unfitStates[state] ?? `is in the state ${state}`);

function softwareOf(all: ReadonlyMap<string, Facts>): RaidController {
  const disks = partsOf(all, 'disk');
  const members = disks.filter(([, parts]) => parts[5] === LINUX_MAGIC);
  const arrays = new Set(members.map(([, parts]) => parts[6] ?? ''));
  return {
    id: SOFTWARE,
    collection: SOFTWARE,
    levels: softwareLevels,
    isStaged: false,
    drives: disks.map(([name, parts]) => diskOf(name, parts)),
    volumes: [...arrays].map((array) =>
      arrayOf(
        array,
        members.filter(([, parts]) => parts[6] === array),
      ),
    ),
  };
}

function diskOf(name: string, parts: readonly string[]): RaidDrive {
  const [serial = '', size, transport = '', rotates, used, magic] = parts;
  const unfit = used
    ? `is in use at ${used}`
    : magic && magic !== LINUX_MAGIC
      ? `has the superblock of another kind of RAID (${magic})`
      : undefined;
  return {
    path: name,
    serial,
    bytes: Number(size) || 0,
    media: rotates === '1' ? 'HDD' : 'SSD',
    protocol: transport === 'nvme' ? 'NVMe' : transport.toUpperCase(),
    ...(unfit !== undefined && { unfit }),
  };
}

function arrayOf(array: string, members: readonly (readonly [string, readonly string[]])[]): RaidVolume {
  const [, , , , , , , name = '', level = '', kib] = members[0]?.[1] ?? [];
  return {
    path: array,
    // Before the colon is the host that made it.
    name: name.slice(name.indexOf(':') + 1),
    raid: level.toUpperCase(),
    bytes: (Number(kib) || 0) * 1024,
    drives: members.map(([drive]) => drive),
  };
}
