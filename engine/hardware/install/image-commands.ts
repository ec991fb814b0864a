/**
 * The command that writes an image, for the agent on the node: a job (`jobs/job-command.ts`).
 *
 * 1. A node that was rebooted starts the job again: nothing of the earlier one is left, and an image may be written twice.
 * 2. A disk has one job: a second one, of another workflow, is rejected while the first one lives.
 */

import type { Command } from '../../define/index.ts';
import { jobCommand } from '../jobs/job-command.ts';
import fetch from '../jobs/scripts/fetch.sh';
import job from './scripts/image-job.sh';

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

const MARK = 'NODEWRIGHT-END-OF-FILE';

/** JSON has no line that could be the marker. */
const fileLines = ([name, text]: [string, string]): string =>
  `cat >"$1/seed/${name}" <<'${MARK}'\n${text.replaceAll(MARK, '')}\n${MARK}`;

/** Exported for twins, which recognize it. */
export const IMAGE_LEFT = `if [ -e "$1/writing" ]; then echo 'The write was stopped; the disk has a part of the image and does not boot.'; fi
if [ ! -e "$1/writing" ]; then echo 'The write had not begun; the disk is unchanged.'; fi`;

const died = `echo 'code DRIVE_STATE_UNKNOWN'
echo 'message the process that wrote the image has died'`;

/** @param pauseSec the agent gets it after these seconds */
export function writeImageCommand({ run, devName, seed, sha256, grow, ...more }: ImageWrite, pauseSec = 0): Command {
  const files = Object.entries(seed).map(fileLines).join('\n');
  const { wwid, url, format } = more;
  return jobCommand(
    {
      run,
      job: `${fetch}${job}`,
      wanted: { name: devName, wwid, url, sum: sha256, format, grow: grow ? 'yes' : 'no' },
      what: 'The write',
      seed: `mkdir -p "$1/seed"\n${files}`,
      stopped: IMAGE_LEFT,
      died,
    },
    pauseSec,
  );
}

/** Returns the facts of a line `<key> <value>` each. */
export const imageFacts = (stdout: string): Record<string, string> =>
  Object.fromEntries(
    stdout.split('\n').flatMap((line) => {
      const [, key, value] = /^([a-z]+) (.*)$/.exec(line) ?? [];
      return key === undefined || value === undefined ? [] : [[key, value]];
    }),
  );
