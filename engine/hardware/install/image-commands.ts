/**
 * The command that writes an image, for the agent on the node. It starts a job, unless the node has it since it booted, and
 * watches it. It may therefore be delivered to any agent of the node, any number of times.
 *
 * 1. A node that was rebooted starts the job again: nothing of the earlier one is left, and an image may be written twice.
 * 2. A disk has one job: a second one, of another workflow, is rejected while the first one lives.
 * 3. Every inserted value is quoted, or in a here-document that ends with its own marker.
 */

import type { Command } from '../../define/index.ts';
import { shellQuoted } from '../../vocabulary/shell-quoted.ts';
import job from './scripts/image-job.sh';
import watch from './scripts/image-watch.sh';

export interface ImageWrite {
  /** A unique name of this write. */
  run: string;
  devName: string;
  wwid: string;
  url: string;
  sha256: string;
  format: string;
  grow: boolean;
  /** Files of the data of the first boot, by name. */
  seed: Readonly<Record<string, string>>;
}

/** Seconds that one command lasts; the engine regains control in between. */
const WATCH = 600;
/** The exit code when that time is over before the job has ended. */
const RUNNING = 5;
const MARK = 'NODEWRIGHT-END-OF-FILE';

/** JSON has no line that could be the marker. */
const fileLines = ([name, text]: [string, string]): string =>
  `cat >"$1/seed/${name}" <<'${MARK}'\n${text.replaceAll(MARK, '')}\n${MARK}`;

const parametersOf = ({ devName, wwid, url, sha256, format, grow }: ImageWrite): string => {
  const all = { name: devName, wwid, url, sum: sha256, format, grow: grow ? 'yes' : 'no' };
  return Object.entries(all)
    .map(([name, value]) => `${name}=${shellQuoted(value)}\n`)
    .join('');
};

/** @param pauseSec the agent gets it after these seconds */
export function writeImageCommand(write: ImageWrite, pauseSec = 0): Command {
  const seed = Object.entries(write.seed).map(fileLines).join('\n');
  const lines = [
    `run=${shellQuoted(write.run)} limit=${WATCH} running=${RUNNING}`,
    `job=${shellQuoted(job)}`,
    `wanted=${shellQuoted(parametersOf(write))}`,
    `seed() {\nmkdir -p "$1/seed"\n${seed}\n}`,
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

/** Returns the facts of a line `<key> <value>` each. */
export const imageFacts = (stdout: string): Record<string, string> =>
  Object.fromEntries(
    stdout.split('\n').flatMap((line) => {
      const [, key, value] = /^([a-z]+) (.*)$/.exec(line) ?? [];
      return key === undefined || value === undefined ? [] : [[key, value]];
    }),
  );
