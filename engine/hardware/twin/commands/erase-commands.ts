/**
 * Answers the commands of an erase: look, begin, watch. They are recognized by the scripts that they contain, and their lines are
 * those of `hardware/erase/job-commands.ts`. The answers are those of the scripts.
 */

import { MINUTE_MS } from '../../../vocabulary/units.ts';
import { samplesOf } from '../../erase/samples.ts';
import beginScript from '../../erase/scripts/begin.sh';
import common from '../../erase/scripts/common.sh';
import lookScript from '../../erase/scripts/look.sh';
import loopScript from '../../erase/scripts/loop.sh';
import partsScript from '../../erase/scripts/parts.sh';
import watchScript from '../../erase/scripts/watch.sh';
import { methodOf, type ToolName } from '../../erase/tools.ts';
import type { DriveJob } from '../machine/machine-state.ts';
import type { Machine } from '../machine/twin-machine.ts';
import {
  type CommandAnswer,
  type CommandRun,
  commandAnswer,
  failedWith,
  pauseOfWatch,
  watchTime,
} from './command-run.ts';
import { digestOf, erasedContent, verdictOf } from './drive-content.ts';
import { type DriveFacts, drivesOfMachine, identityOf } from './drive-facts.ts';
import { addJob, hasJobEnded, jobOf, settleJobs, stopJob } from './drive-jobs.ts';
import { type ShellStatement, shellAssignments, shellStatements } from './shell-words.ts';

/** The samples after the tool take some time. */
const SAMPLING_MS = 1_000;

const versions: Readonly<Record<string, string>> = {
  scrub: 'version 2.6.1',
  hdparm: 'hdparm v9.65',
  sg_sanitize: 'version: 1.21 20211114',
  sg_format: 'version: 1.70 20211211',
  nvme: 'nvme version 2.8 (git 2.8)',
};

export const isLook = (command: string): boolean => command.startsWith(`${common}${lookScript}`);
export const isWatch = (command: string): boolean =>
  command.startsWith(common) && [watchScript, partsScript, loopScript].every((script) => command.includes(script));

/** The statements of a generated part that begin with this word. */
const callsOf = (statements: readonly ShellStatement[], name: string): string[][] =>
  statements.filter(({ words }) => words[0] === name).map(({ words }) => words.slice(1));

const driveCalled = (machine: Machine, name: string): DriveFacts | undefined =>
  drivesOfMachine(machine).find((drive) => drive.name === name);

export function answerLook({ machine, command }: CommandRun): CommandAnswer {
  const statements = shellStatements(command.slice(common.length + lookScript.length));
  const lines = [
    `boot ${machine.state.bootId}`,
    'lacks ',
    ...callsOf(statements, 'tool').map(
      ([tool = '', program = '']) => `${tool}.version ${versions[program] ?? program}`,
    ),
    ...callsOf(statements, 'look').flatMap(([name = '', tool = '']) => {
      const drive = driveCalled(machine, name);
      return drive === undefined ? [] : factsLines(drive, tool);
    }),
  ];
  return commandAnswer(`${lines.join('\n')}\n`);
}

function factsLines(drive: DriveFacts, tool: string): string[] {
  const { name, model, state, vendor } = drive;
  const facts: Record<string, string | number> = {
    size: model.bytes,
    identity: identityOf(drive),
    VENDOR: vendor,
    MODEL: model.model.slice(0, 40),
    SERIAL: state.serial.slice(0, 40),
    REV: model.kind === 'nvme' ? '' : model.firmware.slice(0, 40),
    TRAN: model.kind,
    ROTA: model.isRotational ? 1 : 0,
    mounted: '',
    ...(tool === 'hdparm' && { security: securityOf(drive) }),
  };
  return Object.entries(facts).map(([key, value]) => `${name}.${key} ${value}`);
}

/** The section of `hdparm -I`, as the script cuts it. */
function securityOf({ model }: DriveFacts): string {
  if (model.kind !== 'sata') return '';
  const minutes = Math.max(2, 2 * Math.ceil(model.eraseMinutes / 2));
  const states = 'supported not enabled not locked not frozen not expired: security count supported: enhanced erase';
  const times = `${minutes}min for SECURITY ERASE UNIT. ${minutes}min for ENHANCED SECURITY ERASE UNIT.`;
  return `Security: Master password revision code = 65534 ${states} ${times} Logical Unit WWN`;
}

/** Starts jobs, if the command does that, then watches them. */
export async function answerWatch(run: CommandRun): Promise<CommandAnswer> {
  const { machine, command } = run;
  const at = command.indexOf(watchScript);
  const rest = command.slice(at + watchScript.length);
  const problem = command.includes(beginScript) ? await begin(run, command.slice(common.length, at)) : undefined;
  if (problem !== undefined) return failedWith(3, problem);
  const prologue = rest.slice(partsScript.length, rest.length - loopScript.length);
  const { expected_boot: boot = '', limit = '600', running = '' } = shellAssignments(prologue);
  const watched = callsOf(shellStatements(prologue, { 1: '$1' }), '$1').map(watchedOf);
  return watch(run, {
    watched,
    isSameBoot: boot === machine.state.bootId,
    limitMs: Number(limit) * 1_000,
    runningCode: Number(running),
  });
}

/** @returns why nothing is begun */
async function begin({ machine, isCancelled }: CommandRun, part: string): Promise<string | undefined> {
  if (isCancelled()) return undefined;
  const statements = shellStatements(part.slice(part.indexOf(beginScript) + beginScript.length));
  const boot = callsOf(statements, '[').find(([said]) => said?.includes('boot'))?.[2];
  if (boot !== machine.state.bootId) return 'the node was rebooted';
  for (const [id = '', name = '', identity = ''] of callsOf(statements, 'ready')) {
    if (jobOf(machine, id) !== undefined) continue;
    const drive = driveCalled(machine, name);
    if (drive === undefined || identityOf(drive) !== identity)
      return `${name} is no longer the drive that was inspected`;
  }
  for (const [id = '', name = '', tool = '', arg = ''] of callsOf(statements, 'begin')) {
    const drive = driveCalled(machine, name);
    if (drive !== undefined) await addJob(machine, eraseJob(machine, drive, { id, tool, arg }));
  }
  return undefined;
}

function eraseJob(machine: Machine, drive: DriveFacts, named: Pick<DriveJob, 'id' | 'tool' | 'arg'>): DriveJob {
  const { model, state, name } = drive;
  const started = machine.around.time.now();
  const { passes } = methodOf(named.tool as ToolName, named.arg);
  return {
    ...named,
    kind: 'erase',
    drive: name,
    serial: state.serial,
    started,
    until: started + SAMPLING_MS + Math.round(passes * model.eraseMinutes * MINUTE_MS),
    contentBefore: state.content,
  };
}

interface WatchedJob {
  at: string;
  id: string;
  name: string;
  tool: string;
  isFirmware: boolean;
}

const watchedOf = ([at = '', id = '', name = '', tool = '', firmware = '']: string[]): WatchedJob => ({
  at,
  id,
  name,
  tool,
  isFirmware: firmware !== '',
});

interface Watch {
  watched: readonly WatchedJob[];
  isSameBoot: boolean;
  limitMs: number;
  /** The exit code when the time is over before the jobs. */
  runningCode: number;
}

type JobStateWord = 'lost' | 'absent' | 'ended' | 'running';

function stateOf(machine: Machine, id: string, isSameBoot: boolean): JobStateWord {
  const job = jobOf(machine, id);
  if (!isSameBoot) return 'lost';
  if (job === undefined) return 'absent';
  return hasJobEnded(job) ? 'ended' : 'running';
}

async function watch(run: CommandRun, given: Watch): Promise<CommandAnswer> {
  const { machine } = run;
  const { watched, isSameBoot, limitMs, runningCode } = given;
  const isTimeOver = watchTime(machine, limitMs);
  for (;;) {
    await settleJobs(machine);
    if (run.isCancelled()) return stopAll(machine, given);
    const states = watched.map(({ id }) => stateOf(machine, id, isSameBoot));
    const parts = watched.map(({ id }, n) => (states[n] === 'running' ? percentOf(machine, id) : 100));
    const over = states.filter((state) => state !== 'running').length;
    const text = watched.map(({ name }, n) => ` ${name} ${parts[n]}%`).join('');
    const mean = Math.floor(parts.reduce((sum, part) => sum + part, 0) / Math.max(1, parts.length));
    run.progress(`${mean} 100 ${over} of ${watched.length} drives are done:${text}`);
    const isOver = over === watched.length;
    if (isOver || isTimeOver()) {
      const outcomes = watched.map((job) => outcomeLines(machine, job, isSameBoot)).join('');
      return commandAnswer(outcomes, isOver ? 0 : runningCode);
    }
    await pauseOfWatch(run);
  }
}

function percentOf(machine: Machine, id: string): number {
  const job = jobOf(machine, id);
  if (job === undefined) return 0;
  const share = (machine.around.time.now() - job.started) / Math.max(1, job.until - job.started);
  return Math.min(99, Math.max(0, Math.floor(share * 100)));
}

/** As `tell_one` prints them. */
function outcomeLines(machine: Machine, { at, id, name, tool }: WatchedJob, isSameBoot: boolean): string {
  const job = jobOf(machine, id);
  const facts: [key: string, value: string][] = [['state', stateOf(machine, id, isSameBoot)]];
  if (job !== undefined) facts.push(...timesOf(machine, job), ...samplesLines(machine, job));
  if (job?.exit !== 0) facts.push(['said', job?.exit === 1 ? `${tool}: /dev/${name}: No such device or address` : '']);
  return facts.map(([key, value]) => `${at}.${key} ${value}\n`).join('');
}

function timesOf({ around: { time } }: Machine, { started, until, stopped, exit }: DriveJob): [string, string][] {
  const end = stopped ?? until;
  const erased = until - SAMPLING_MS;
  const times: [string, string][] = [
    ['started', time.timestampOf(started)],
    ['erasing', time.timestampOf(started)],
  ];
  if (exit === undefined) return times;
  if (erased <= end) times.push(['erased', time.timestampOf(erased)]);
  return [...times, ['ended', time.timestampOf(end)], ['exit', `${exit}`]];
}

function samplesLines(machine: Machine, job: DriveJob): [string, string][] {
  const size = driveCalled(machine, job.drive)?.model.bytes ?? 0;
  const blocks = samplesOf(job.id, size);
  const before: [string, string] = ['before', digestOf(job.contentBefore, blocks)];
  if (job.exit !== 0) return [before];
  const after = erasedContent(job);
  const { left } = methodOf(job.tool as ToolName, job.arg);
  return [['verdict', verdictOf(job.contentBefore, after, blocks, left)], before, ['after', digestOf(after, blocks)]];
}

/** Stops what can be stopped. The exit code is 4 if an erase in firmware continues. */
async function stopAll(machine: Machine, { watched, isSameBoot }: Watch): Promise<CommandAnswer> {
  let exitCode = 0;
  const texts: string[] = [];
  for (const { id, name, tool, isFirmware } of watched) {
    const job = jobOf(machine, id);
    const state = stateOf(machine, id, isSameBoot);
    if (state === 'lost' && isFirmware) {
      exitCode = 4;
      texts.push(`${name}: ${tool} may still be running in the firmware of the drive; do not cut its power.`);
    }
    if (job === undefined || state !== 'running') continue;
    const hasEnded = machine.around.time.now() >= job.until - SAMPLING_MS;
    if (isFirmware && !hasEnded) {
      exitCode = 4;
      texts.push(
        `${name}: ${tool} continues in the firmware of the drive and cannot be stopped; do not cut its power.`,
      );
      continue;
    }
    await stopJob(machine, job);
    const what = hasEnded ? 'had ended but was not verified.' : 'was stopped; a part of the drive is overwritten.';
    texts.push(`${name}: ${tool} ${what}`);
  }
  return commandAnswer(texts.map((text) => `${text}\n`).join(''), exitCode);
}
