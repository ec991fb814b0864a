/** A command that an agent runs on a machine of a twin, and its answer. Nothing is run on the host. */
import { setTimeout as sleep } from 'node:timers/promises';
import type { KernelImage } from '../machine/machine-state.ts';
import type { Machine } from '../machine/twin-machine.ts';
import type { BootFiles } from './boot-files.ts';

export interface CommandRun {
  machine: Machine;
  image: KernelImage;
  files: BootFiles;
  command: string;
  /** Field time at which the agent ends the command. */
  deadline: number;
  /** '' without one. */
  callback: string;
  signal: AbortSignal;
  /** @param line as in the file $NODEWRIGHT_PROGRESS */
  progress(line: string): void;
  isCancelled(): boolean;
}

export interface CommandAnswer {
  exitCode: number;
  stdout: string;
  stderr: string;
  /** The machine restarts after it. */
  restarts?: true;
}

/** @returns undefined: it does not know the arguments */
export type Program = (
  args: readonly string[],
  run: CommandRun,
) => CommandAnswer | undefined | Promise<CommandAnswer | undefined>;

/** Characters. */
export const STDOUT_LIMIT = 4_194_304;

export const commandAnswer = (stdout: string, exitCode = 0): CommandAnswer => ({ exitCode, stdout, stderr: '' });
export const failedWith = (exitCode: number, stderr: string, stdout = ''): CommandAnswer => ({
  exitCode,
  stdout,
  stderr: `${stderr}\n`,
});

/** Waits for field time, but never less than a time of the host: a daemon or a loop is not flooded. @throws the reason of the signal */
export async function pauseFor(machine: Machine, ms: number, leastMs: number, signal: AbortSignal): Promise<void> {
  await Promise.all([machine.around.time.after(ms, signal), sleep(leastMs, undefined, { signal, ref: false })]);
}

/** A watch lasts at least this long in time of the host: the steps of a fast twin's watches do not flood its daemon. */
const LEAST_WATCH_MS = 10_000;

/** @returns whether the time of a watch is over @param ms field time */
export function watchTime({ around: { time } }: Machine, ms: number): () => boolean {
  const [field, host] = [time.now() + ms, performance.now() + LEAST_WATCH_MS];
  return () => time.now() >= field && performance.now() >= host;
}

const [WATCH_PAUSE_MS, WATCH_LEAST_MS] = [2_000, 200];

/** The pause of the scripts between two looks at a job. @throws the reason of the signal */
export const pauseOfWatch = ({ machine, signal }: CommandRun): Promise<void> =>
  pauseFor(machine, WATCH_PAUSE_MS, WATCH_LEAST_MS, signal);
