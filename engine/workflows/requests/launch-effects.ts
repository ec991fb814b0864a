/**
 * The effects of a launch on the drives and the power of its node. The definitions of the tasks declare them (`destructive`,
 * `drives`, `power`); the node's catalogs name the drives.
 */

import type { ChosenDrive } from '../../define/task.ts';
import { type DriveCatalogs, driveCatalogs, type NamedDrive, namedDrive } from '../../hardware/erase/named-drive.ts';
import type { Label } from '../../library/types.ts';
import type { PowerEffect } from '../../vocabulary/states.ts';
import type { CheckedLaunch } from './checked-launch.ts';
import type { InventoryPort } from './inventory-port.ts';
import type { TaskCalls } from './launch-checks.ts';
import { type LaunchTree, labelsOf } from './launch-tree.ts';

export interface LaunchEffects {
  destructive: boolean;
  /** null: it destroys content of drives, or other data of the machine, that only its run can know. */
  drives: NamedDrive[] | null;
  /** Some of its drives only its run can know. */
  hasUnknownDrives?: true;
  power: PowerEffect | null;
}

/** Drives of one task. */
const DRIVES = 1_000;

interface Sources {
  tasks: TaskCalls;
  /** The catalogs of the node, which are read once for all of its tasks. */
  drives(node: string): Promise<DriveCatalogs>;
}

/** By label. */
export function effectsOf(
  tree: LaunchTree,
  launch: Pick<CheckedLaunch, 'id' | 'node'>,
  tasks: TaskCalls,
  catalogs: InventoryPort['catalogs'],
): Promise<Map<string, LaunchEffects>> {
  let read: Promise<DriveCatalogs> | undefined;
  const drives = (node: string) => {
    read ??= driveCatalogs((source) => catalogs.latestData(node, source));
    return read;
  };
  return effectsIn(tree, launch, { tasks, drives });
}

async function effectsIn(
  tree: LaunchTree,
  launch: Pick<CheckedLaunch, 'id' | 'node'>,
  sources: Sources,
): Promise<Map<string, LaunchEffects>> {
  const effects = new Map<string, LaunchEffects>();
  for (const label of labelsOf(tree)) {
    const child = tree.children.get(label.label);
    const below = child ? [...(await effectsIn(child, launch, sources)).values()] : [];
    effects.set(label.label, joinEffects([await effectsOfTask(tree, label, launch, sources), ...below]));
  }
  return effects;
}

async function effectsOfTask(
  { graph, request }: LaunchTree,
  { label, task }: Label,
  launch: Pick<CheckedLaunch, 'id' | 'node'>,
  sources: Sources,
): Promise<LaunchEffects> {
  const { destructive, drives, power = null } = task;
  if (!destructive) return { destructive, drives: [], power };
  const { node } = launch;
  if (drives === undefined || node === null) return { destructive, drives: null, power };
  // Its options may be wrong, which is among the rejections.
  const chosen = await sources.tasks.call(graph, label, { ...launch, options: request }, drives).catch(() => undefined);
  if (!isList(chosen)) return { destructive, drives: null, power, hasUnknownDrives: true };
  // The task says itself that this launch destroys nothing.
  if (chosen.length === 0) return { destructive: false, drives: [], power };
  const known = await sources.drives(node);
  return { destructive, drives: chosen.map((drive) => namedDrive(drive, known)), power };
}

/** Tasks are untrusted code. */
const isList = (chosen: unknown): chosen is readonly ChosenDrive[] =>
  Array.isArray(chosen) &&
  chosen.length <= DRIVES &&
  chosen.every(
    (drive) =>
      typeof drive?.devName === 'string' &&
      typeof drive.wwid === 'string' &&
      (drive.serial === undefined || typeof drive.serial === 'string'),
  );

function joinEffects(effects: readonly LaunchEffects[]): LaunchEffects {
  const powers = new Set(effects.flatMap(({ power }) => power ?? []));
  const [first = null] = powers;
  const drives = effects.map((each) => each.drives);
  return {
    destructive: effects.some(({ destructive }) => destructive),
    drives: drives.includes(null) ? null : drives.flatMap((some) => some ?? []),
    power: powers.size > 1 ? 'cycle' : first,
    ...(effects.some(({ hasUnknownDrives }) => hasUnknownDrives) && { hasUnknownDrives: true }),
  };
}
