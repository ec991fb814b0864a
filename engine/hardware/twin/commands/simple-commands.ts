/**
 * Answers simple commands: lists of known programs. A program that a twin does not know ends with 127, as in a shell that does
 * not find it.
 */
import { FETCH_SCRIPT, SUDO_SCRIPT } from '../../../define/script-items.ts';
import {
  type CommandAnswer,
  type CommandRun,
  commandAnswer,
  failedWith,
  type Program,
  STDOUT_LIMIT,
} from './command-run.ts';
import { driveIdJson, lsblkJson } from './drive-catalogs.ts';
import { fetchByCurl, fetchByWget } from './fetch-commands.ts';
import { runScript } from './file-scripts.ts';
import { lshwJson } from './lshw-output.ts';
import { type ShellStatement, shellStatements } from './shell-words.ts';
import {
  dmidecodeText,
  fruText,
  KERNEL_HOST,
  KERNEL_RELEASE,
  lanText,
  managerText,
  ohaiJson,
  selText,
  unameText,
} from './system-output.ts';
import { vendorTool } from './vendor-tools.ts';

const optional = (text: string | undefined): CommandAnswer | undefined =>
  text === undefined ? undefined : commandAnswer(text);

/** By name. undefined: arguments that the twin does not know. */
const programs: Readonly<Record<string, Program>> = {
  ':': () => commandAnswer(''),
  true: () => commandAnswer(''),
  sync: () => commandAnswer(''),
  false: () => commandAnswer('', 1),
  cd: () => commandAnswer(''),
  set: () => commandAnswer(''),
  export: () => commandAnswer(''),
  chmod: () => commandAnswer(''),
  mkdir: () => commandAnswer(''),
  modprobe: () => commandAnswer(''),
  echo: (args) => commandAnswer(args[0] === '-n' ? args.slice(1).join(' ') : `${args.join(' ')}\n`),
  printf: ([format = '', ...args]) =>
    commandAnswer(format.replaceAll('\\n', '\n').replace(/%s/g, () => (args as string[]).shift() ?? '')),
  sleep,
  hostname: () => commandAnswer(`${KERNEL_HOST}\n`),
  whoami: () => commandAnswer('root\n'),
  id: ([flag]) => commandAnswer(flag === '-u' ? '0\n' : 'uid=0(root) gid=0(root) groups=0(root)\n'),
  uname: (args) => commandAnswer(unameText(args.join('').replaceAll('-', ''))),
  reboot: () => ({ ...commandAnswer(''), restarts: true }),
  shutdown: (args) => (args.includes('-r') ? { ...commandAnswer(''), restarts: true } : undefined),
  cat: (args, run) => optional(args.length === 1 ? fileText(args[0] as string, run) : undefined),
  date: (_, { machine }) => commandAnswer(`${new Date(machine.around.time.now()).toUTCString()}\n`),
  // The files that scripts of RackHD fetch first.
  fetch: ([url = '', file = ''], run) => fetchByCurl(['-f', '-o', file, url], run),
  mv: ([from = '', to = ''], { files }) => commandAnswer('', files.move(from, to) ? 0 : 1),
  tail: (args, { files }) => optional(files.at(args.at(-1) ?? '')?.text),
  node: ([file = ''], { machine }) => optional(/get_driveid\.js$/.test(file) ? driveIdJson(machine) : undefined),
  curl: fetchByCurl,
  wget: fetchByWget,
  dmidecode: (args, { machine }) => optional(dmidecodeText(machine, args)),
  lshw: (args, { machine }) => optional(args.includes('-json') ? lshwJson(machine) : undefined),
  ohai: (_, { machine }) => commandAnswer(ohaiJson(machine)),
  lsblk: (args, { machine }) => optional(lsblk(args, machine)),
  ipmitool: (args, { machine }) => ipmitool(args, machine),
};

function fileText(path: string, { machine, image, files: bootFiles }: CommandRun): string | undefined {
  const files: Readonly<Record<string, string>> = {
    '/proc/cmdline': image.cmdline,
    '/proc/sys/kernel/random/boot_id': machine.state.bootId,
    '/proc/sys/kernel/hostname': KERNEL_HOST,
    '/proc/sys/kernel/osrelease': KERNEL_RELEASE,
    '/etc/hostname': KERNEL_HOST,
  };
  const text = files[path];
  return text === undefined ? bootFiles.at(path)?.text : `${text}\n`;
}

async function sleep([amount = '0']: readonly string[], run: CommandRun): Promise<CommandAnswer> {
  const { machine, deadline, signal } = run;
  const [, number = '0', unit = 's'] = /^(\d+(?:\.\d+)?)([smh]?)$/.exec(amount) ?? [];
  const seconds = Number(number) * ({ m: 60, h: 3_600 }[unit] ?? 1);
  const end = machine.around.time.now() + seconds * 1_000;
  await machine.around.time.until(Math.min(end, deadline), signal);
  return end > deadline ? failedWith(124, 'the command took too long') : commandAnswer('');
}

function lsblk(args: readonly string[], machine: CommandRun['machine']): string | undefined {
  if (!args.some((arg) => arg === '--json' || /^-[a-zA-Z]*J/.test(arg))) return undefined;
  const at = args.findIndex((arg) => arg === '--output' || /^-[a-zA-Z]*o$/.test(arg));
  return lsblkJson(machine, at < 0 ? undefined : args[at + 1]?.split(','));
}

function ipmitool(args: readonly string[], machine: CommandRun['machine']): CommandAnswer | undefined {
  const words = args.join(' ');
  if (/^lan print( \d+)?$/.test(words)) {
    const channel = Number(args[2] ?? 1);
    return channel === 1 ? commandAnswer(lanText(machine)) : failedWith(1, `Channel ${channel} is not a LAN channel`);
  }
  if (words === 'sel' || words === 'sel info') return commandAnswer(selText(machine));
  if (words === 'mc info') return commandAnswer(managerText(machine));
  return words === 'fru' || words === 'fru print' ? commandAnswer(fruText(machine)) : undefined;
}

/** A program of the machine, a tool of a vendor, or a script that was fetched into the folder. */
const programNamed = (name: string): Program | undefined =>
  (Object.hasOwn(programs, name) ? programs[name] : undefined) ??
  vendorTool(name) ??
  (name.startsWith('./') ? (_, run) => runScript(name, run) : undefined);

const unknownText = (name: string): string => `sh: ${name}: not found; a twin of a machine does not know it`;

/** The programs that a command names and that no twin has. */
export const unknownPrograms = (command: string): string[] =>
  statementsOf(command, '')
    .filter(
      ({ words: [name = ''], needsShell }) =>
        (needsShell && name !== 'cd') || !(name === 'exit' || programNamed(name) !== undefined),
    )
    .map(({ words: [name = ''] }) => name);

/** Without `sudo`, and without assignments before a command. */
const statementsOf = (command: string, callback: string): ShellStatement[] =>
  shellStatements(command.replace(`${SUDO_SCRIPT}\n`, '').replace(`${FETCH_SCRIPT}\n`, ''), {
    NODEWRIGHT_CALLBACK: callback,
    HOSTNAME: KERNEL_HOST,
    PATH: '/bin',
  }).map((statement) => ({
    ...statement,
    words: statement.words.filter((word, at) => !(at === 0 && word === 'sudo')),
  }));

export async function answerList(run: CommandRun): Promise<CommandAnswer> {
  const all: CommandAnswer = commandAnswer('');
  for (const { joint, words, needsShell, isSilent, output } of statementsOf(run.command, run.callback)) {
    if (joint === '&&' && all.exitCode !== 0) continue;
    if (joint === '||' && all.exitCode === 0) continue;
    const [name = '', ...args] = words;
    if (name === 'exit') return { ...all, exitCode: Number(args[0] ?? all.exitCode) & 255 };
    const program = joint !== '|' && (!needsShell || name === 'cd') ? programNamed(name) : undefined;
    const answer = (await program?.(args, run)) ?? failedWith(127, unknownText(words.join(' ').slice(0, 100)));
    all.exitCode = answer.exitCode;
    if (output !== undefined) run.files.put(output, answer.stdout);
    else if (!isSilent) all.stdout = (all.stdout + answer.stdout).slice(0, STDOUT_LIMIT);
    all.stderr += answer.stderr;
    if (answer.restarts === true) all.restarts = true;
    if (answer.exitCode === 124) return all;
  }
  return all;
}
