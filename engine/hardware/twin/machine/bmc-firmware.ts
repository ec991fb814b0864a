/** Updates and settings that a BMC applies by itself: a task ends at its time, the BIOS takes its part at a reset. */
import type { BmcState, ImageProblem, MachineState, UpdateTask } from './machine-state.ts';
import { changeVolume } from './raid-volumes.ts';

/** The BMC is away for this time after it got other firmware, or was reset. */
export const BMC_RESTART_MS = 60_000;

/** Ends the tasks whose time is over. @returns these */
export function settleUpdates(state: MachineState, now: number): UpdateTask[] {
  const over = state.bmc.tasks.filter(
    ({ outcome, fault, until }) => outcome === 'running' && fault !== 'hangs' && until <= now,
  );
  for (const task of over) endTask(state, task);
  return over;
}

/** Ends the download of an image. The update takes its time from then on. @param problem why the image is not there */
export function endDownload(task: UpdateTask, now: number, problem: ImageProblem | undefined): void {
  delete task.source;
  if (problem !== undefined) Object.assign(task, { outcome: 'failed', problem, until: now });
  else if (task.appliesAtReset === true) task.outcome = 'pending';
  else Object.assign(task, { outcome: 'running', until: task.until + now - task.started });
}

function endTask(state: MachineState, task: UpdateTask): void {
  task.outcome = task.fault === 'fails' ? 'failed' : 'succeeded';
  if (task.outcome === 'succeeded') finishUpdate(state, task);
}

function finishUpdate(state: MachineState, task: UpdateTask): void {
  const { bmc } = state;
  if (task.volume !== undefined) changeVolume(state, task.volume);
  for (const id of task.components) {
    const version = nextVersion(task.image, bmc.versions[id] ?? '');
    if (id === 'BIOS') bmc.stagedBios = version;
    else bmc.versions[id] = version;
    if (id === 'BMC') bmc.restartsUntil = task.until + BMC_RESTART_MS;
  }
}

/** @returns that in the name of the image, else one more than before */
export function nextVersion(image: string, before: string): string {
  const [named] = /\d+(\.\d+)+/.exec(image) ?? [];
  if (named !== undefined) return named;
  const [, digits] = /^0x([0-9a-f]+)$/i.exec(before) ?? [];
  if (digits !== undefined) return `0x${(Number.parseInt(digits, 16) + 1).toString(16).toUpperCase()}`;
  return /\d/.test(before) ? before.replace(/\d+(?=\D*$)/, (last) => String(Number(last) + 1)) : '1.0';
}

/** Call it at each start and reset of the machine. @returns the tasks that it ended */
export function applyAtReset(state: MachineState, now: number): UpdateTask[] {
  const { bmc } = state;
  const over = settleUpdates(state, now);
  const waiting = bmc.tasks.filter(({ outcome, fault }) => outcome === 'pending' && fault !== 'hangs');
  for (const task of waiting) {
    task.until = now;
    endTask(state, task);
  }
  for (const change of bmc.pendingVolumes ?? []) changeVolume(state, change);
  delete bmc.pendingVolumes;
  Object.assign(bmc.bios, bmc.pendingBios);
  bmc.pendingBios = {};
  if (bmc.stagedBios !== undefined) bmc.versions.BIOS = bmc.stagedBios;
  delete bmc.stagedBios;
  return [...over, ...waiting];
}

/** @returns the target of this boot: `None` for the usual order; an override for one boot ends with it */
export function takeBootTarget({ override }: BmcState): string {
  const { target, enabled } = override;
  if (enabled === 'Disabled') return 'None';
  if (enabled === 'Once') Object.assign(override, { target: 'None', enabled: 'Disabled' });
  return target;
}
