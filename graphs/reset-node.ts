/**
 * Graph.Reset.Node: resets the node immediately, as its reset button does. It does not wait for the node to boot.
 *
 * - Options: `obmServiceName`.
 * - Irreversible: unwritten data of the operating system is lost.
 * - Cancel: a command that was sent stays in effect.
 * - Crash: a reset cannot be verified, so the task fails as `TASK_INTERRUPTED` and the command is not sent again.
 */
import { defineGraph } from 'nodewright/define';
import reset from '../tasks/obm-node-reset.ts';

const { createMachine } = defineGraph({
  injectableName: 'Graph.Reset.Node',
  friendlyName: 'Reset Node',
  tasks: { reset: { task: reset, timeoutMs: 300_000 } },
});

export default createMachine({
  id: 'Graph.Reset.Node',
  initial: 'resetting',
  states: { resetting: { invoke: { src: 'reset', onDone: 'reset' } }, reset: { type: 'final' } },
});
