/**
 * The jobs on drives, which are detached from the agent that began them.
 *
 * 1. A job is saved, with its line of the ledger, before the agent reports anything; so is its end.
 * 2. A drive has a part of the job from its beginning, so a job that a reboot loses leaves no drive as it was.
 * 3. The ends are computed from field time: a twin that was killed finds them.
 */

import { type DriveJob, lineOfJob } from '../machine/machine-state.ts';
import type { Machine } from '../machine/twin-machine.ts';
import { burnInReport } from './burn-in-report.ts';
import { erasedContent, partialContent } from './drive-content.ts';
import { drivesOfMachine } from './drive-facts.ts';
import { finishUpdate } from './finished-update.ts';

export const hasJobEnded = ({ exit }: DriveJob): boolean => exit !== undefined;

export const jobOf = ({ state }: Machine, id: string): DriveJob | undefined => state.jobs.find((job) => job.id === id);

/** The drive of the job, if it is still the one that the job began on. */
const driveOf = (machine: Machine, { drive, serial }: DriveJob) =>
  drivesOfMachine(machine).find(({ name, state }) => name === drive && state.serial === serial)?.state;

/** The drives whose content a test of a burn-in overwrites. */
const writtenBy = (machine: Machine, { arg, burnIn }: DriveJob) =>
  drivesOfMachine(machine).filter(
    ({ name }) => arg === 'write' && (burnIn?.wanted.drives ?? '').split(' ').includes(name),
  );

/** Notifies the loop that runs jobs, by machine. */
const loops = new WeakMap<Machine, () => void>();

/** Begins it, unless the machine has it since it booted. */
export async function addJob(machine: Machine, job: DriveJob): Promise<void> {
  if (jobOf(machine, job.id) !== undefined) return;
  machine.state.jobs.push(job);
  // An image is written only once it was checked.
  if (job.kind === 'erase') overwrite(machine, job);
  for (const { state } of writtenBy(machine, job)) {
    state.content = partialContent(job);
    delete state.system;
  }
  await machine.save(lineOfJob(job, 'begun'));
  loops.get(machine)?.();
}

/** Nothing boots from the drive any more. */
function overwrite(machine: Machine, job: DriveJob): void {
  const drive = driveOf(machine, job);
  if (drive === undefined) return;
  drive.content = partialContent(job);
  delete drive.system;
}

/** A machine's settlements run one after the other: an end is reported only once it is saved. */
const settlements = new WeakMap<Machine, Promise<void>>();

/** Ends the jobs whose time is over. */
export function settleJobs(machine: Machine): Promise<void> {
  const before = settlements.get(machine) ?? Promise.resolve();
  const settlement = before.then(() => settleAll(machine));
  settlements.set(
    machine,
    settlement.catch(() => {}), // its caller has the error
  );
  return settlement;
}

async function settleAll(machine: Machine): Promise<void> {
  const now = machine.around.time.now();
  for (const job of machine.state.jobs) {
    if (hasJobEnded(job)) continue;
    if (job.image?.isWriting === false && job.image.problem === undefined && job.image.writesAt <= now) {
      job.image.isWriting = true;
      overwrite(machine, job);
      await machine.save();
    }
    if (!hasJobEnded(job) && job.until <= now) await settle(machine, job);
  }
}

/** When something of the job happens next. */
const nextOf = ({ until, image }: DriveJob): number =>
  image?.isWriting === false && image.problem === undefined ? image.writesAt : until;

async function settle(machine: Machine, job: DriveJob): Promise<void> {
  if (job.burnIn !== undefined) {
    job.burnIn.report = burnInReport(machine, job, job.burnIn);
    for (const { state } of writtenBy(machine, job)) state.content = `patterns of ${job.id}`;
    job.exit = 0;
    return machine.save(lineOfJob(job, 'done'));
  }
  if (job.update !== undefined) {
    job.update.code = finishUpdate(machine, job.update);
    job.exit = job.update.fails ? 1 : 0;
    return machine.save(lineOfJob(job, job.update.fails ? 'failed' : 'done'));
  }
  const drive = driveOf(machine, job);
  const { image } = job;
  job.exit = drive === undefined || image?.problem !== undefined ? 1 : 0;
  if (drive !== undefined && job.exit === 0) {
    drive.content = image === undefined ? erasedContent(job) : `image ${image.sha256}`;
    if (image !== undefined) drive.system = { ...image.system, since: job.until };
  }
  await machine.save(lineOfJob(job, job.exit === 0 ? 'done' : 'failed'));
}

export async function stopJob(machine: Machine, job: DriveJob): Promise<void> {
  if (hasJobEnded(job)) return;
  job.stopped = machine.around.time.now();
  job.exit = 137;
  await machine.save(lineOfJob(job, 'stopped'));
}

/**
 * Runs an agent, and ends the jobs whose time is over beside it. When one of both fails the other one is ended too.
 * @param agent runs until its signal is aborted @throws the reason of the signal
 */
export async function withJobs(
  machine: Machine,
  signal: AbortSignal,
  agent: (signal: AbortSignal) => Promise<void>,
): Promise<void> {
  const ending = new AbortController();
  const either = AbortSignal.any([signal, ending.signal]);
  const parts = [runJobs(machine, either), agent(either)];
  try {
    await Promise.race(parts);
  } finally {
    ending.abort();
    await Promise.allSettled(parts);
  }
}

async function runJobs(machine: Machine, signal: AbortSignal): Promise<never> {
  const { time } = machine.around;
  for (;;) {
    signal.throwIfAborted();
    await settleJobs(machine);
    const changed = new AbortController();
    loops.set(machine, () => changed.abort());
    const ends = machine.state.jobs.filter((job) => !hasJobEnded(job)).map(nextOf);
    const either = AbortSignal.any([signal, changed.signal]);
    await (ends.length > 0 ? time.until(Math.min(...ends), either) : abortOf(either)).catch(() => {}); // looks again
  }
}

const abortOf = (signal: AbortSignal): Promise<void> =>
  new Promise((resolve) => {
    if (signal.aborted) resolve();
    else signal.addEventListener('abort', () => resolve(), { once: true });
  });
