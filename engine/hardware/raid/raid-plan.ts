/**
 * From the volumes of RAID controllers and the wanted ones: which to delete and to create, on which drives. Pure, and the same for the
 * same state, so that it is made again after each change and after each crash.
 *
 * 1. A volume that is there as wanted (name, level, drives) stays.
 * 2. Others stay too, and their drives are not available, unless `deleteOthers` says that they are deleted.
 * 3. If anything of the layout is not possible, nothing is changed.
 */
import { PermanentError } from '../../define/index.ts';
import type { ListedChange, RaidLayout, VolumeDrives, WantedVolume } from './raid-layout.ts';
import type { RaidController, RaidDrive, RaidVolume } from './raid-state.ts';

/** `drives` are the paths, and `serials` the serial numbers, of the drives whose content is lost. */
export type RaidChange = { name: string; drives: string[]; serials: string[]; isStaged: boolean } & (
  | { kind: 'delete'; path: string }
  | { kind: 'create'; collection: string; wanted: WantedVolume }
);

export const listedChange = ({ kind, name, serials }: RaidChange): ListedChange => ({ change: kind, name, serials });

export interface RaidPlan {
  /** In order: volumes are deleted before others are created on their drives. */
  changes: RaidChange[];
  /** Names of volumes that are there as wanted. */
  kept: string[];
  /** Why the layout is not possible. */
  violations: string[];
}

/** A part of the size that a controller may round away. */
const ROUNDING = 0.05;

/** @throws PermanentError RAID_REJECTED if any part of the layout is not possible */
export function possiblePlan(controllers: readonly RaidController[], layout: RaidLayout): RaidPlan {
  const plan = planVolumes(controllers, layout);
  if (plan.violations.length > 0) throw raidRejection(plan.violations.join('; '));
  return plan;
}

export const raidRejection = (reason: string): PermanentError =>
  new PermanentError(`nothing more was changed: ${reason}`, 'RAID_REJECTED');

export function planVolumes(
  all: readonly RaidController[],
  { volumes, deleteOthers, controller }: RaidLayout,
): RaidPlan {
  const controllers = all.filter(({ id }) => controller === undefined || id === controller);
  if (controllers.length === 0) return none(`found no controller ${controller}; expected one of ${namesOf(all)}`);
  const present = controllers.flatMap((one) => one.volumes.map((volume) => ({ controller: one, volume })));
  const keptVolumes = new Map<RaidVolume, WantedVolume>();
  for (const wanted of volumes) {
    const same = present.find((one) => isAsWanted(one.controller, one.volume, wanted) && !keptVolumes.has(one.volume));
    if (same !== undefined) keptVolumes.set(same.volume, wanted);
  }
  const others = present.filter(({ volume }) => !keptVolumes.has(volume));
  const missing = volumes.filter((wanted) => ![...keptVolumes.values()].includes(wanted));
  const violations = deleteOthers
    ? []
    : others
        .filter(({ volume }) => missing.some(({ name }) => name === volume.name))
        .map(
          ({ volume }) => `the volume ${volume.name} is there, but as ${volume.raid} of other drives; ${HOW_TO_DELETE}`,
        );
  const deletions = deleteOthers ? others.map(deletionOf) : [];
  const usedPaths = new Set(
    [...keptVolumes.keys(), ...(deleteOthers ? [] : others.map(({ volume }) => volume))].flatMap(
      ({ drives }) => drives,
    ),
  );
  const creations: RaidChange[] = [];
  for (const wanted of missing) {
    const chosen = chooseDrives(controllers, wanted, usedPaths);
    if (typeof chosen === 'string') violations.push(`${wanted.name}: ${chosen}`);
    else {
      for (const { path } of chosen.drives) usedPaths.add(path);
      creations.push(creationOf(chosen.controller, wanted, chosen.drives));
    }
  }
  const changes = violations.length > 0 ? [] : [...deletions, ...creations];
  return { changes, kept: [...keptVolumes.values()].map(({ name }) => name), violations };
}

const HOW_TO_DELETE = 'deleteOthers deletes what the layout does not name';

const none = (violation: string): RaidPlan => ({ changes: [], kept: [], violations: [violation] });
const namesOf = (controllers: readonly RaidController[]): string => controllers.map(({ id }) => id).join(', ');

function isAsWanted(controller: RaidController, volume: RaidVolume, wanted: WantedVolume): boolean {
  if (volume.name !== wanted.name || volume.raid !== wanted.raid) return false;
  const drives = controller.drives.filter(({ path }) => volume.drives.includes(path));
  if (wanted.bytes !== undefined && Math.abs(volume.bytes - wanted.bytes) > ROUNDING * wanted.bytes) return false;
  const { serials, drives: choice } = wanted;
  if (serials !== undefined)
    return serials.length === volume.drives.length && drives.every(({ serial }) => serials.includes(serial));
  return volume.drives.length === choice?.count && drives.every((drive) => isOf(drive, choice));
}

const isOf = (drive: RaidDrive, { media, protocol, bytes = 0 }: VolumeDrives): boolean =>
  (media === undefined || drive.media === media) &&
  (protocol === undefined || drive.protocol === protocol) &&
  drive.bytes >= bytes;

interface ChosenDrives {
  controller: RaidController;
  drives: readonly RaidDrive[];
}

/** @returns a text: why there are none */
function chooseDrives(
  controllers: readonly RaidController[],
  wanted: WantedVolume,
  usedPaths: Set<string>,
): ChosenDrives | string {
  const { raid, serials, drives: choice } = wanted;
  const able = controllers.filter(({ levels }) => levels?.includes(raid) ?? true);
  if (able.length === 0)
    return `no controller makes ${raid}; ${controllers[0]?.id} makes ${controllers[0]?.levels?.join(', ')}`;
  if (serials !== undefined) return namedDrives(able, serials, usedPaths);
  if (choice === undefined) return 'names no drives';
  const free = able.map((controller) => ({
    controller,
    drives: controller.drives.filter(
      (drive) => drive.unfit === undefined && !usedPaths.has(drive.path) && isOf(drive, choice),
    ),
  }));
  for (const { controller, drives } of free) {
    // A volume uses as much of each drive as the smallest has.
    const sizes = [...new Set(drives.map(({ bytes }) => bytes))].sort((one, other) => one - other);
    const fitting = sizes
      .map((size) => drives.filter(({ bytes }) => bytes === size))
      .find(({ length }) => length >= choice.count);
    if (fitting !== undefined) return { controller, drives: fitting.slice(0, choice.count) };
  }
  const most = Math.max(...free.map(({ drives }) => drives.length));
  return `found ${most} free drives that fit, expected ${choice.count} of one size; ${HOW_TO_DELETE}`;
}

function namedDrives(
  controllers: readonly RaidController[],
  serials: readonly string[],
  usedPaths: Set<string>,
): ChosenDrives | string {
  const controller = controllers.find(({ drives }) => drives.some(({ serial }) => serial === serials[0]));
  if (controller === undefined) return `no controller has a drive ${serials[0]}`;
  const drives: RaidDrive[] = [];
  for (const serial of serials) {
    const drive = controller.drives.find((one) => one.serial === serial);
    if (drive === undefined) return `the controller ${controller.id} has no drive ${serial}`;
    if (drive.unfit !== undefined) return `the drive ${serial} ${drive.unfit}`;
    const holder = controller.volumes.find((volume) => volume.drives.includes(drive.path));
    if (usedPaths.has(drive.path))
      return `the drive ${serial} is in the volume ${holder?.name ?? 'of another line'}; ${HOW_TO_DELETE}`;
    drives.push(drive);
  }
  return { controller, drives };
}

function deletionOf({ controller, volume }: { controller: RaidController; volume: RaidVolume }): RaidChange {
  const drives = controller.drives.filter(({ path }) => volume.drives.includes(path));
  return { kind: 'delete', name: volume.name, path: volume.path, ...contentOf(drives), isStaged: controller.isStaged };
}

const contentOf = (drives: readonly RaidDrive[]) => ({
  drives: drives.map(({ path }) => path),
  serials: drives.map(({ serial }) => serial),
});

const creationOf = (controller: RaidController, wanted: WantedVolume, drives: readonly RaidDrive[]): RaidChange => ({
  kind: 'create',
  name: wanted.name,
  collection: controller.collection,
  wanted,
  ...contentOf(drives),
  isStaged: controller.isStaged,
});
