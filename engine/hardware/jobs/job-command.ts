/**
 * The command that starts a job on the node, unless the node has it since it booted, and watches it. It may therefore be delivered to
 * any agent of the node, any number of times.
 *
 * 1. The agent that creates the directory of the job starts it, detached from the agent. Of several agents, one does.
 * 2. A cancel stops the job with all of its process group. A watch whose time is over says so by its exit code.
 * 3. Every inserted value is quoted, or in a here-document that ends with its own marker.
 */
import type { Command, CommandResult } from '../../define/index.ts';
import { shellQuoted } from '../../vocabulary/shell-quoted.ts';
import begin from './scripts/begin-job.sh';
import watch from './scripts/watch-job.sh';

export interface JobSpec {
  /** A unique name of the job. */
  run: string;
  /** The script of the job, after its beginning (`jobText`). It writes its report to `exit` in its directory, `$place`. */
  job: string;
  /** Variables of the job, in its file `wanted`. */
  wanted: Readonly<Record<string, string>>;
  /** The subject of sentences about it. */
  what: string;
  /** Lines of shell functions that get the directory: what to add to it, what a stop has left, what a death has left. */
  seed?: string;
  stopped: string;
  died: string;
}

/** Seconds that one command lasts; the engine regains control in between. */
const WATCH = 600;
/** The exit code when that time is over before the job has ended. */
const RUNNING = 5;

const shellFunction = (name: string, body: string): string => `${name}() {\n${body}\n}`;

/** @returns the whole script of a job, by which twins recognize its command */
export const jobText = (job: string): string => `${begin}${job}`;

/** @param pauseSec the agent gets it after these seconds */
export function jobCommand({ run, job, wanted, what, seed = ':', stopped, died }: JobSpec, pauseSec = 0): Command {
  const variables = Object.entries(wanted).map(([name, value]) => `${name}=${shellQuoted(value)}\n`);
  const lines = [
    `run=${shellQuoted(run)} limit=${WATCH} running=${RUNNING} what=${shellQuoted(what)}`,
    `job=${shellQuoted(jobText(job))}`,
    `wanted=${shellQuoted(variables.join(''))}`,
    shellFunction('seed', seed),
    shellFunction('stopped', stopped),
    shellFunction('died', died),
  ];
  return {
    command: `${lines.join('\n')}\n${watch}`,
    timeoutSec: WATCH + 300,
    repeatable: true,
    cancellable: true,
    acceptedResponseCodes: [0, RUNNING],
    runningCode: RUNNING,
    pauseSec,
  };
}

export const isJobRunning = ({ exitCode }: Pick<CommandResult, 'exitCode'>): boolean => exitCode === RUNNING;
