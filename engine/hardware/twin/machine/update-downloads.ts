/** The downloads of updates. A twin that was killed begins them again: nothing is written before the whole image is there. */
import { downloadImage } from './image-fetch.ts';
import type { UpdateTask } from './machine-state.ts';
import type { Machine } from './twin-machine.ts';

/** Call it once the task is saved. */
export function beginDownload(machine: Machine, task: UpdateTask): void {
  if (task.source !== undefined) machine.holdDownload(download(machine, task, task.source));
}

export function resumeDownloads(machine: Machine): void {
  for (const task of machine.state.bmc.tasks) if (task.outcome === 'fetching') beginDownload(machine, task);
}

async function download(machine: Machine, task: UpdateTask, url: string): Promise<void> {
  try {
    const problem = await downloadImage(machine, url);
    const isCut = problem === undefined && task.fault === 'breaks';
    await machine.settleDownload(task, isCut ? { words: [] } : problem);
  } catch (error) {
    if (!machine.isStopped) throw error;
  }
}
