/** The causes of waits, in words that follow "waits for". */
import type { WaitingOn } from '../../engine/vocabulary/states.ts';

export const waitWords: Readonly<Record<WaitingOn, string>> = {
  notification: "the node's notification",
  timer: 'its timer',
  retry: 'its next attempt',
  command: "the node's agent",
  release: 'a release',
  child: 'another workflow',
  bmc: 'the BMC',
  lease: 'a silent process',
  paused: 'resume',
  held: 'a release from quarantine',
  event: 'an event',
};

/** @param wait of a workflow, as lists have it */
export const waitText = ({ waitingOn, isForAgent }: { waitingOn: WaitingOn; isForAgent: boolean }): string =>
  waitWords[isForAgent ? 'command' : waitingOn];
