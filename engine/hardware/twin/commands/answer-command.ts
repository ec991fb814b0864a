/** The answers to the commands that tasks send to agents, by the first kind that matches. */
import { messageOf } from '../../../vocabulary/thrown-values.ts';
import { accountIn, answerAccount } from './account-script.ts';
import { answerBurnIn, answerBurnInLook, isBurnIn, isBurnInLook } from './burn-in.ts';
import { ethtoolLines, gpuLines, lldpLines, logLines, pciLines } from './card-output.ts';
import { type CommandAnswer, type CommandRun, commandAnswer, failedWith } from './command-run.ts';
import { driveIdLines, smartJson } from './drive-catalogs.ts';
import { answerLook, answerWatch, isLook, isWatch } from './erase-commands.ts';
import { answerDigestCheck, isDigestCheck } from './fetch-commands.ts';
import { answerDeviceLook, answerUpdate, isDeviceLook, isUpdate } from './firmware-jobs.ts';
import { answerImageWrite, isImageWrite } from './image-write.ts';
import { answerRaidJob, answerRaidLook, isRaidJob, isRaidLook } from './raid-scripts.ts';
import { answerList, unknownPrograms } from './simple-commands.ts';
import { switchJson } from './switch-scripts.ts';
import { fruLines, lanText, ohaiLines, userLines } from './system-output.ts';

interface CommandKind {
  name: string;
  matches(command: string): boolean;
  answer(run: CommandRun): CommandAnswer | Promise<CommandAnswer>;
}

/** Scripts of collectors are recognized by lines that their catalogs depend on. */
const kinds: readonly CommandKind[] = [
  { name: 'erase: look', matches: isLook, answer: answerLook },
  { name: 'erase: watch', matches: isWatch, answer: answerWatch },
  { name: 'burn-in: look', matches: isBurnInLook, answer: answerBurnInLook },
  { name: 'burn-in: test', matches: isBurnIn, answer: answerBurnIn },
  { name: 'raid: look', matches: isRaidLook, answer: answerRaidLook },
  { name: 'raid: change', matches: isRaidJob, answer: answerRaidJob },
  { name: 'firmware: look', matches: isDeviceLook, answer: answerDeviceLook },
  { name: 'firmware: update', matches: isUpdate, answer: answerUpdate },
  { name: 'image', matches: isImageWrite, answer: answerImageWrite },
  {
    name: 'reboot',
    matches: (command) => command.includes('reboot -f || reboot || echo b >/proc/sysrq-trigger'),
    answer: () => ({ ...commandAnswer(''), restarts: true }),
  },
  {
    name: 'collector of driveId',
    matches: (command) => command.includes('echo "$n.linuxWwid=$link"'),
    answer: ({ machine }) => commandAnswer(driveIdLines(machine)),
  },
  {
    name: 'collector of ohai',
    matches: (command) => command.includes('read_from dmi.system.serial_number $dmi/product_serial'),
    answer: ({ machine }) => commandAnswer(ohaiLines(machine)),
  },
  {
    name: 'collector of bmc',
    matches: (command) => command.includes('if found=$(ipmitool lan print "$channel")'),
    answer: ({ machine }) => commandAnswer(lanText(machine)),
  },
  {
    name: 'collector of ipmi-fru',
    matches: (command) => command.includes("ipmitool fru | awk '"),
    answer: ({ machine }) => commandAnswer(fruLines(machine)),
  },
  {
    name: 'collector of users',
    matches: (command) => command.includes("ipmitool -c user list 1 | awk -F, '"),
    answer: ({ machine }) => commandAnswer(userLines(machine)),
  },
  {
    name: 'collector of smart',
    matches: (command) => command.includes('printed=$(smartctl -j -x "/dev/$name")'),
    answer: ({ machine }) => commandAnswer(smartJson(machine)),
  },
  {
    name: 'collector of lldp',
    matches: (command) => command.includes('neighbors=$(lldpcli show neighbors -f keyvalue)'),
    answer: ({ machine }) => commandAnswer(lldpLines(machine)),
  },
  {
    name: 'collector of ethtool',
    matches: (command) => command.includes('ethtool -i "$name"'),
    answer: ({ machine }) => commandAnswer(ethtoolLines(machine)),
  },
  {
    name: 'collector of gpu',
    matches: (command) => command.includes('nvidia-smi --query-gpu='),
    answer: () => commandAnswer(gpuLines),
  },
  {
    name: 'collector of lspci',
    matches: (command) => command.includes('lspci -nn -vmm | head'),
    answer: ({ machine }) => commandAnswer(pciLines(machine)),
  },
  {
    name: 'collector of ipmi-sel',
    matches: (command) => command.includes('log=$(ipmitool -c sel elist)'),
    answer: ({ machine }) => commandAnswer(logLines(machine)),
  },
  {
    name: 'collector of switch',
    matches: (command) => command.includes("FastCli -p 15 -c 'show version | json'"),
    answer: ({ machine }) =>
      machine.facts.model.switch === undefined ? failedWith(1, 'it is no switch') : commandAnswer(switchJson(machine)),
  },
  { name: 'digest of a download', matches: isDigestCheck, answer: answerDigestCheck },
  { name: 'account', matches: (command) => accountIn(command) !== undefined, answer: answerAccount },
];

/** @returns the name of the kind; undefined: the twin does not know a part of it */
export const kindOfCommand = (command: string): string | undefined =>
  kinds.find(({ matches }) => matches(command))?.name ?? (unknownPrograms(command).length === 0 ? 'list' : undefined);

export async function answerCommand(run: CommandRun): Promise<CommandAnswer> {
  try {
    return await (kinds.find(({ matches }) => matches(run.command))?.answer(run) ?? answerList(run));
  } catch (error) {
    run.signal.throwIfAborted();
    return failedWith(126, messageOf(error));
  }
}
