/**
 * The commands of a burn-in for the agent on the node.
 *
 * 1. A test is a job of its own (`jobs/job-command.ts`), named after the workflow and the test: it is started once. In another boot
 *    than that of the facts the job does nothing, and reports that the machine restarted.
 * 2. Looking and collecting read only, and may be repeated.
 */
import type { Command } from '../../define/index.ts';
import { shellQuoted } from '../../vocabulary/shell-quoted.ts';
import common from '../erase/scripts/common.sh';
import { jobCommand } from '../jobs/job-command.ts';
import type { BurnInTest } from './burn-in-tests.ts';
import collectScript from './scripts/collect.sh';
import job from './scripts/job.sh';
import lookScript from './scripts/look.sh';

const LOOK_SEC = 300;

const lookText = (serials: readonly string[]): string =>
  `${common}serials=${shellQuoted(serials.join(','))}\n${lookScript}`;

/** Prints facts about the machine (`examined-machine.ts`). @param serials of the drives to look at; empty: all */
export const burnInLook = (serials: readonly string[]): Command => ({
  command: lookText(serials),
  timeoutSec: LOOK_SEC,
  repeatable: true,
});

/** Prints the same, and then the reports of the tests. @param run the name of the burn-in */
export const burnInCollect = (run: string, tests: readonly BurnInTest[], serials: readonly string[]): Command => ({
  command: `${lookText(serials)}run=${shellQuoted(run)} tests=${shellQuoted(tests.join(' '))}\n${collectScript}`,
  timeoutSec: LOOK_SEC,
  repeatable: true,
});

export interface BurnInJob {
  /** The name of the burn-in. */
  run: string;
  test: BurnInTest;
  wanted: Readonly<Record<string, string>>;
}

/** Exported for twins, which recognize it. */
export const burnInJob = `${common}${job}`;

export const burnInCommand = ({ run, test, wanted }: BurnInJob, pauseSec = 0): Command =>
  jobCommand(
    {
      run: `${run}-${test}`,
      job: burnInJob,
      wanted: { test, ...wanted },
      what: `The test of ${test}`,
      stopped:
        test === 'write'
          ? "echo 'The test was stopped; a part of the drives is overwritten.'"
          : "echo 'The test was stopped.'",
      died: "echo 'state died'",
    },
    pauseSec,
  );
