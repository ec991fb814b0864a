/**
 * Answers the commands of RAID volumes in band (`hardware/raid/raid-commands.ts`). Volumes of a controller are those that the BMC
 * shows; arrays of Linux are on the drives that no volume has. A change has its effect immediately.
 */
import { randomUUID } from 'node:crypto';
import type { RaidLevel } from '../../../vocabulary/raid-levels.ts';
import common from '../../erase/scripts/common.sh';
import { raidJobScript } from '../../raid/raid-commands.ts';
import { LINUX_MAGIC } from '../../raid/raid-look.ts';
import lookScript from '../../raid/scripts/raid-look.sh';
import type { ArrayState } from '../machine/machine-state.ts';
import { capacityOf } from '../machine/raid-volumes.ts';
import type { Machine } from '../machine/twin-machine.ts';
import { type CommandAnswer, type CommandRun, commandAnswer } from './command-run.ts';
import { type DriveFacts, drivesOfMachine } from './drive-facts.ts';
import { shellAssignments } from './shell-words.ts';
import { startedJob } from './started-job.ts';
import { hasController, slotRow, slotsOf, storcli, volumeNumber, volumeRow } from './storcli.ts';

export const isRaidLook = (command: string): boolean =>
  command.startsWith(`${common}tools=`) && command.endsWith(lookScript);
const raidJob = startedJob(raidJobScript);
export const isRaidJob = raidJob.isIn;

export function answerRaidLook({ machine, command }: CommandRun): CommandAnswer {
  const { tools = '' } = shellAssignments(command.slice(common.length, command.indexOf(lookScript)));
  const lines = tools === 'mdadm' ? arrayLines(machine) : controllerLines(machine, tools.split(' ').at(-1) ?? '');
  return commandAnswer([`boot ${machine.state.bootId}`, ...lines, 'end yes', ''].join('\n'));
}

function controllerLines(machine: Machine, tool: string): string[] {
  const program = `program /opt/MegaRAID/${tool.replace('64', '')}/${tool}`;
  if (!hasController(machine)) return [program];
  const slots = slotsOf(machine);
  const drives = slots.map((slot) => {
    const row = slotRow(slot);
    const parts = [row['EID:Slt'], row.State, row.DG, row.Size, row.Intf, row.Med, slot.state.serial];
    return `c0-e${slot.place.replace(':', '-s')}.drive ${parts.join('|')}`;
  });
  const volumes = (machine.state.bmc.volumes ?? []).map((volume) => {
    const places = slots.filter((slot) => slot.volume === volume).map(({ place }) => place);
    const { TYPE: raid, Size: size, Name: name } = volumeRow(volume);
    return `c0-v${volumeNumber(volume)}.volume ${[raid, size, name, places.join(' ')].join('|')}`;
  });
  return [program, `c0.controller ${tool}`, ...drives, ...volumes];
}

function arrayLines(machine: Machine): string[] {
  const disks = drivesOfMachine(machine).filter((drive) => !isInVolume(machine, drive));
  const lines = disks.map(({ name, state, model }) => {
    const array = arraysOf(machine).find(({ drives }) => drives.includes(state.serial));
    const superblock =
      array === undefined
        ? ['', '', '', '', '']
        : [LINUX_MAGIC, array.uuid, `any:${array.name}`, array.raid.toLowerCase(), array.bytes / 1024];
    const parts = [state.serial, model.bytes, model.kind, model.isRotational ? 1 : 0, '', ...superblock];
    return `${name}.disk ${parts.join('|')}`;
  });
  return ['program /usr/bin/mdadm', 'mdadm.controller mdadm', ...lines];
}

const isInVolume = ({ state }: Machine, drive: DriveFacts): boolean =>
  (state.bmc.volumes ?? []).some(({ drives }) => drives.includes(drive.state.serial));

const contentOf = ({ uuid }: ArrayState): string => `array ${uuid}`;

/** An array whose drives got another content is gone. */
const arraysOf = ({ state }: Machine): ArrayState[] =>
  (state.arrays ?? []).filter((array) =>
    state.drives.some(({ serial, content }) => array.drives.includes(serial) && content === contentOf(array)),
  );

/** A report is kept before the change, so that the change is begun once. */
export async function answerRaidJob(run: CommandRun): Promise<CommandAnswer> {
  const { machine, command } = run;
  const variables = raidJob.variablesIn(command);
  const { run: id = '' } = variables.command;
  machine.state.raidReports ??= {};
  const reports = machine.state.raidReports;
  if (reports[id] === undefined && !run.isCancelled()) {
    reports[id] = 'state died\n';
    await machine.save();
    reports[id] =
      variables.job.boot_before === machine.state.bootId ? await change(run, variables.job) : 'state lost\ncode \n';
    await machine.save();
  }
  return commandAnswer(reports[id] ?? 'state stopped\n');
}

type Variables = Record<string, string>;

async function change(run: CommandRun, wanted: Variables): Promise<string> {
  const { kind = '', target = '', name = '', level = '', drives = '', size = '' } = wanted;
  if (kind.endsWith('-array')) return changeArray(run.machine, wanted);
  const args =
    kind === 'delete'
      ? [target, 'del', 'force']
      : [target, 'add', 'vd', `type=${level}`, `name=${name}`, `drives=${drives}`, ...(size ? [`size=${size}`] : [])];
  const answer = await storcli(args, run);
  return reportOf(answer?.exitCode ?? 1, answer?.stderr.trim() ?? 'syntax error');
}

const reportOf = (code: number, words: string): string => `state ended\ncode ${code}\nsaid ${words}\n`;

async function changeArray(machine: Machine, { kind, name = '', level = '', drives = '', size, serials }: Variables) {
  const named = drives.split(' ').map((one) => drivesOfMachine(machine).find((drive) => drive.name === one));
  const members = named.filter((drive) => drive !== undefined);
  if (members.map((drive) => `[${drive.name}=${drive.state.serial}]`).join('') !== serials) return 'state changed\n';
  if (kind === 'delete-array') return deleteArray(machine, members);
  const raid = `RAID${level}` as RaidLevel;
  const ofDrives = members.map(({ model }) => (size ? Number(size) * 1024 : model.bytes));
  const memberSerials = members.map(({ state }) => state.serial);
  const array: ArrayState = {
    uuid: randomUUID(),
    name,
    raid,
    drives: memberSerials,
    bytes: capacityOf(raid, ofDrives),
  };
  machine.state.arrays = [...arraysOf(machine), array];
  for (const { state } of members) {
    state.content = contentOf(array);
    delete state.system;
  }
  return saveVolume(machine, `create ${name} ${raid} ${memberSerials.join(' ')}`);
}

function deleteArray(machine: Machine, members: readonly DriveFacts[]): Promise<string> {
  const array = arraysOf(machine).find(({ drives }) => drives.includes(members[0]?.state.serial ?? ''));
  for (const { state } of members) state.content = `no ${state.content}`;
  machine.state.arrays = arraysOf(machine);
  return saveVolume(machine, `delete ${array?.name} ${members.map(({ state }) => state.serial).join(' ')}`);
}

async function saveVolume(machine: Machine, what: string): Promise<string> {
  await machine.save({ kind: 'volume', what, outcome: 'done', by: 'agent' });
  return reportOf(0, '');
}
