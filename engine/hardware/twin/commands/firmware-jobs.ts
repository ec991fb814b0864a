/**
 * Answers the commands of firmware updates in band (`hardware/firmware/update-commands.ts`). A file is not fetched: its server is asked
 * for its size, and its checksum is taken as right. No tool that has begun is stopped.
 */
import common from '../../erase/scripts/common.sh';
import device from '../../firmware/scripts/device.sh';
import { deviceLookScript, updateJobScript } from '../../firmware/update-commands.ts';
import type { DriveJob } from '../machine/machine-state.ts';
import type { Machine } from '../machine/twin-machine.ts';
import { type CommandAnswer, type CommandRun, commandAnswer, pauseOfWatch, watchTime } from './command-run.ts';
import { drivesOfMachine } from './drive-facts.ts';
import { addJob, hasJobEnded, jobOf, settleJobs } from './drive-jobs.ts';
import { fetchedFile } from './fetched-file.ts';
import { shellAssignments } from './shell-words.ts';
import { answerList } from './simple-commands.ts';
import { startedJob } from './started-job.ts';

const before = `${common}${device}`;
const updateJob = startedJob(updateJobScript);

export const isDeviceLook = (command: string): boolean =>
  command.startsWith(before) && command.endsWith(deviceLookScript);
export const isUpdate = updateJob.isIn;

export async function answerDeviceLook(run: CommandRun): Promise<CommandAnswer> {
  const { machine, command } = run;
  const variables = shellAssignments(command.slice(before.length, command.indexOf(deviceLookScript)));
  const kinds = (variables.kinds ?? '').split(' ');
  const drives = drivesOfMachine(machine)
    .filter(({ model }) => kinds.includes(model.kind))
    .flatMap(({ name, state, model }) => [
      `${name}.kind ${model.kind}`,
      `${name}.answer ${state.serial}|${model.firmware}|${model.model}`,
      `${name}.used `,
    ]);
  const versions: string[] = [];
  for (let at = 0; at < Number(variables.packages); at += 1)
    versions.push(`${at}.version ${await lineOf(run, variables[`version_${at}`] ?? '')}`);
  const { bootId } = machine.state;
  const lines = [
    `boot ${bootId}`,
    'lacks ',
    `product ${machine.facts.model.product}`,
    ...drives,
    ...versions,
    'end yes',
  ];
  return commandAnswer(`${lines.join('\n')}\n`);
}

/** The first line that a command prints. */
const lineOf = async (run: CommandRun, command: string): Promise<string> =>
  (await answerList({ ...run, command })).stdout.split('\n')[0]?.trim() ?? '';

const tools: Readonly<Record<string, string>> = { nvme: 'nvme', sata: 'hdparm', sas: 'sg_write_buffer' };
const UPDATE_MS = 60_000;

export async function answerUpdate(run: CommandRun): Promise<CommandAnswer> {
  const { machine } = run;
  const { command, job: wanted } = updateJob.variablesIn(run.command);
  const { run: id = '', limit = '600', running = '' } = command;
  if (jobOf(machine, id) === undefined && !run.isCancelled()) {
    const problem = await begin(run, id, wanted);
    if (problem !== undefined) return commandAnswer(problem);
  }
  const isTimeOver = watchTime(machine, Number(limit) * 1_000);
  for (;;) {
    await settleJobs(machine);
    const job = jobOf(machine, id);
    if (job === undefined) return commandAnswer('No firmware was written.\n');
    if (hasJobEnded(job)) return reportOf(run, job);
    if (isTimeOver()) return commandAnswer('running yes\n', Number(running));
    run.progress('2 3 writing firmware');
    await pauseOfWatch(run);
  }
}

/** @returns a report if nothing is written */
async function begin(run: CommandRun, id: string, wanted: Record<string, string>): Promise<string | undefined> {
  const { machine } = run;
  const { boot_before: boot, kind = '', drive = '', serial = '', name = '', url = '' } = wanted;
  if (boot !== machine.state.bootId) return 'state lost\n';
  if (kind !== 'package' && !isThere(machine, drive, serial)) return 'state changed\n';
  const { curl } = await fetchedFile(run, url);
  if (curl !== undefined) return 'state unavailable\n';
  if (run.isCancelled()) return undefined;
  const started = machine.around.time.now();
  const device = drive === '' ? machine.name : `${machine.name}/${drive}`;
  const fails = machine.around.faults.takes(device, 'update fails');
  await addJob(machine, {
    id,
    kind: 'update',
    drive,
    serial,
    started,
    until: started + UPDATE_MS,
    tool: tools[kind] ?? 'package',
    arg: name,
    contentBefore: '',
    update: { wanted, fails },
  });
  return undefined;
}

const isThere = (machine: Machine, drive: string, serial: string): boolean =>
  drivesOfMachine(machine).some(({ name, state }) => name === drive && state.serial === serial);

async function reportOf(run: CommandRun, { update, serial }: DriveJob): Promise<CommandAnswer> {
  const drive = drivesOfMachine(run.machine).find(({ state }) => state.serial === serial);
  const after = drive?.model.firmware ?? (await lineOf(run, update?.wanted.version_command ?? ''));
  if (run.isCancelled())
    return commandAnswer(`The update had begun, and was brought to its end; the device has the version ${after}.\n`);
  const said = update?.fails === true ? 'Invalid Firmware Image' : 'done';
  return commandAnswer(`after ${after}\nstate ended\ncode ${update?.code ?? 1}\nsaid ${said}\n`);
}
