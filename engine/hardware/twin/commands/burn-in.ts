/** Answers the commands of a burn-in (`hardware/burn-in/burn-in-commands.ts`): the look, its tests, the collection of their reports. */

import { burnInJob } from '../../burn-in/burn-in-commands.ts';
import { type BurnInTest, programs } from '../../burn-in/burn-in-tests.ts';
import collectScript from '../../burn-in/scripts/collect.sh';
import lookScript from '../../burn-in/scripts/look.sh';
import common from '../../erase/scripts/common.sh';
import type { DriveJob } from '../machine/machine-state.ts';
import type { Machine } from '../machine/twin-machine.ts';
import { isTooHot, loadCelsius, lostReport } from './burn-in-report.ts';
import { type CommandAnswer, type CommandRun, commandAnswer, pauseOfWatch, watchTime } from './command-run.ts';
import { type DriveFacts, drivesOfMachine, identityOf } from './drive-facts.ts';
import { addJob, hasJobEnded, jobOf, settleJobs, stopJob } from './drive-jobs.ts';
import { shellAssignments } from './shell-words.ts';
import { startedJob } from './started-job.ts';

const versions: Readonly<Record<string, string>> = {
  'stress-ng': 'stress-ng, version 0.15.06 (gcc 12.2.0, x86_64 Linux 6.1.0)',
  memtester: 'installed',
  fio: 'fio-3.33',
  iperf3: 'iperf 3.12 (cJSON 1.7.15)',
  smartctl: 'smartctl 7.3 2022-02-28 r5338',
};

export const isBurnInLook = (command: string): boolean =>
  command.startsWith(`${common}serials=`) && command.includes(lookScript);
const burnIn = startedJob(burnInJob);
export const isBurnIn = burnIn.isIn;

export async function answerBurnInLook({ machine, command }: CommandRun): Promise<CommandAnswer> {
  await settleJobs(machine);
  const end = command.indexOf(lookScript);
  const { serials = '' } = shellAssignments(command.slice(common.length, end));
  const looked = lookLines(machine, serials === '' ? [] : serials.split(','));
  if (!command.endsWith(collectScript)) return commandAnswer(looked);
  const collecting = command.slice(end + lookScript.length, command.length - collectScript.length);
  const { run = '', tests = '' } = shellAssignments(collecting);
  const reports = tests.split(' ').map((test) => `== ${test}\n${reportOf(machine, `${run}-${test}`)}`);
  return commandAnswer(looked + reports.join(''));
}

const reportOf = (machine: Machine, id: string): string => {
  const job = jobOf(machine, id);
  return job === undefined ? 'state absent\n' : (job.burnIn?.report ?? 'state died\n');
};

/** A memory that is bad has corrected errors once it was tested. */
const CORRECTED = 40;
/** The share of the memory of a machine that is free. */
const AVAILABLE_SHARE = 0.97;

function lookLines(machine: Machine, serials: readonly string[]): string {
  const { state, facts } = machine;
  const { processor, memory } = facts.model;
  const wasTested = state.jobs.some(({ arg, exit }) => arg === 'memory' && exit === 0);
  const lines = [
    `boot ${state.bootId}`,
    `cpus ${processor.sockets * processor.threads}`,
    `mib ${Math.floor(memory.modules * memory.moduleMib * AVAILABLE_SHARE)}`,
    `corrected ${state.hasBadMemory === true && wasTested ? CORRECTED : 0}`,
    'uncorrected 0',
    'exceptions 0',
    ...Object.entries(versions).map(([program, version]) => `${program}.version ${version}`),
    ...drivesOfMachine(machine)
      .filter((drive) => serials.length === 0 || serials.includes(drive.state.serial))
      .flatMap(driveLines),
  ];
  return `${lines.join('\n')}\n`;
}

function driveLines(drive: DriveFacts): string[] {
  const { name, model, state } = drive;
  const counters =
    model.kind === 'nvme'
      ? ['health PASSED', 'warning 0x00', 'media 0']
      : model.kind === 'sas'
        ? ['health OK', 'reallocated 0']
        : ['health PASSED', 'reallocated 0', 'reported 0', 'pending 0', 'uncorrectable 0'];
  return [
    `serial ${state.serial}`,
    `model ${model.model.slice(0, 40)}`,
    `size ${model.bytes}`,
    `identity ${identityOf(drive)}`,
    'used ',
    ...counters,
  ].map((line) => `${name}.${line}`);
}

/** Seconds of a load after which a machine that is hot is stopped. */
const HOT_SEC = 20;

export async function answerBurnIn(run: CommandRun): Promise<CommandAnswer> {
  const { machine, command } = run;
  const variables = burnIn.variablesIn(command);
  const { run: id = '', limit = '600', running = '' } = variables.command;
  const wanted = variables.job;
  if (jobOf(machine, id) === undefined && !run.isCancelled()) await begin(machine, id, wanted);
  const isTimeOver = watchTime(machine, Number(limit) * 1_000);
  for (;;) {
    await settleJobs(machine);
    const job = jobOf(machine, id);
    if (job === undefined || run.isCancelled()) return stop(machine, job, wanted.test ?? '');
    if (hasJobEnded(job)) return commandAnswer(job.burnIn?.report ?? 'state died\n');
    if (isTimeOver()) return commandAnswer('running yes\n', Number(running));
    const percent = Math.floor((100 * (machine.around.time.now() - job.started)) / (Number(wanted.seconds) * 1_000));
    run.progress(`${Math.min(100, percent)} 100 ${wanted.test}, CPU up to ${loadCelsius(machine)} C`);
    await pauseOfWatch(run);
  }
}

async function begin(machine: Machine, id: string, wanted: Record<string, string>): Promise<void> {
  const started = machine.around.time.now();
  const seconds = isTooHot(machine, wanted) ? Math.min(HOT_SEC, Number(wanted.seconds)) : Number(wanted.seconds);
  const { test = '' } = wanted;
  const job: DriveJob = {
    id,
    kind: 'burn-in',
    drive: '',
    serial: '',
    started,
    until: started + seconds * 1_000,
    tool: programs[test as BurnInTest],
    arg: test,
    contentBefore: '',
    burnIn: { wanted },
  };
  if (wanted.boot_before === machine.state.bootId) return addJob(machine, job);
  // It reports, and does nothing.
  machine.state.jobs.push({ ...job, exit: 0, burnIn: { wanted, report: lostReport(machine, started) } });
  await machine.save();
}

async function stop(machine: Machine, job: DriveJob | undefined, test: string): Promise<CommandAnswer> {
  if (job !== undefined) await stopJob(machine, job);
  const remains = test === 'write' ? '; a part of the drives is overwritten' : '';
  return commandAnswer(`The test was stopped${remains}.\n`);
}
