/**
 * The commands that the agent gets: inspect the drives, start the jobs, watch them. POSIX scripts.
 *
 * 1. Every inserted value matches a pattern and is quoted: no drive name can become a command.
 * 2. The process that creates a job's directory starts the job. Starting is therefore idempotent; on a node that was
 *    rebooted, where the directory may be gone, it starts nothing.
 * 3. Watching changes nothing until it is cancelled: then it ends the jobs that can be ended, and reports the others.
 *    The starting command also watches, so a cancel never finds running jobs without a watcher. A watch whose time is over
 *    says so by its exit code: it has not ended what a cancel was to end.
 */

import type { Command } from '../../define/index.ts';
import { shellQuoted } from '../../vocabulary/shell-quoted.ts';
import { samplesOf } from './samples.ts';
import beginScript from './scripts/begin.sh';
import common from './scripts/common.sh';
import jobScript from './scripts/job.sh';
import lookScript from './scripts/look.sh';
import loopScript from './scripts/loop.sh';
import partsScript from './scripts/parts.sh';
import watchScript from './scripts/watch.sh';
import { methodOf, type ToolName, tools } from './tools.ts';

/** The erase of one drive of this node, as it was inspected. */
export interface Job {
  devName: string;
  tool: ToolName;
  arg: string;
  /** Bytes. */
  size: number;
  /** Identifies the drive among all drives of the node. */
  identity: string;
  /** Duration that the firmware reports; 0: unknown. */
  minutes: number;
}

/**
 * The job of one drive reports in files of its directory: `pid`; `started`, `erasing` (the tool was started), `erased`,
 * `ended` (times); `out` (output of the tool); `before`, `after` (a line for each block: number, SHA-256, its byte if all
 * are equal); `verdict`; at the end `exit`. Requires sh, dd, od, sort, sha256sum, paste, tr.
 */
export { jobScript };

/** Seconds that one watch lasts; the engine regains control in between. */
const WATCH = 600;
/** The exit code of a watch whose time is over before the jobs have ended. */
const RUNNING = 5;
const line = (...words: (string | number)[]): string => `${words[0]} ${words.slice(1).map(shellQuoted).join(' ')}`;

/** Prints facts as lines `<name>.<key> <value>`: drives, tools, `boot`, and `lacks` (missing programs). Read-only. */
export function lookCommand(drives: readonly { devName: string; tool: ToolName }[]): Command {
  const used = [...new Set(drives.map(({ tool }) => tool))];
  const lines = [
    ...used.map((tool) => line('tool', tool, tools[tool].program)),
    ...drives.map(({ devName, tool }) => line('look', devName, tool)),
  ];
  return { command: `${common}${lookScript}${lines.join('\n')}\n`, timeoutSec: 300, repeatable: true };
}

function beginLines(run: string, boot: string, jobs: readonly Job[]): string {
  const idOf = (at: number) => `${run}-${at}`;
  const lines = [
    `job=${shellQuoted(jobScript)}`,
    // A cancel before this point starts no job; the watch reports that.
    'if [ ! -e "$cancelled" ]; then',
    `[ "$(boot)" = ${shellQuoted(boot)} ] || reject 'the node was rebooted'`,
    ...jobs.map(({ devName, identity }, at) => line('ready', idOf(at), devName, identity)),
    ...jobs.map(({ devName, tool, arg, size }, at) => {
      const blocks = samplesOf(idOf(at), size).join(' ');
      return line('begin', idOf(at), devName, tool, arg, blocks, methodOf(tool, arg).left);
    }),
  ];
  return `${beginScript}${lines.join('\n')}\nfi\n`;
}

/**
 * Prints the outcome of the jobs as lines `<number>.<key> <value>`, when all have ended or after ten minutes.
 * @param run unique name of the erase @param boot the node's boot id at inspection
 * @param pauseSec the agent gets it after these seconds
 */
export function watchCommand(run: string, boot: string, jobs: readonly Job[], pauseSec = 0): Command {
  return { ...watching(run, `${common}${watchLines(run, boot, jobs)}`), pauseSec };
}

/** Starts the jobs, then watches them like `watchCommand`. */
export function beginCommand(run: string, boot: string, jobs: readonly Job[]): Command {
  return watching(run, `${common}${beginLines(run, boot, jobs)}${watchLines(run, boot, jobs)}`);
}

/** The interlock has the name of the run. */
const watching = (run: string, script: string): Command => ({
  command: script,
  timeoutSec: WATCH + 300,
  repeatable: true,
  cancellable: true,
  acceptedResponseCodes: [0, RUNNING],
  runningCode: RUNNING,
  interlock: run,
});

function watchLines(run: string, boot: string, jobs: readonly Job[]): string {
  const each = jobs.map(({ devName, tool, arg, minutes }, at) => {
    const firmware = tools[tool].firmware ? 'yes' : '';
    const words = [at, `${run}-${at}`, devName, tool, firmware, methodOf(tool, arg).passes, minutes];
    return `  "$1" ${words.map(shellQuoted).join(' ')}`;
  });
  const prologue = `expected_boot=${shellQuoted(boot)} limit=${WATCH} running=${RUNNING}\neach() {\n${each.join('\n')}\n}\n`;
  return `${watchScript}${partsScript}${prologue}${loopScript}`;
}
