/**
 * Graph.Reset.Node: resets the node at once, as its reset button does. It does not wait for it to boot.
 *
 * - Options: `obmServiceName`.
 * - Cannot be undone: what the operating system had not written is lost.
 * - Cancel: what the BMC was told stands.
 * - Crash: nobody can ask whether a reset has been, so it fails as `TASK_INTERRUPTED` and is not sent again.
 */
import { defineGraph } from '../engine/define/index.ts';
import reset from '../tasks/obm-reset.ts';

const { createMachine } = defineGraph({
  injectableName: 'Graph.Reset.Node',
  friendlyName: 'Reset Node',
  tasks: { reset },
  options: { reset: { _taskTimeout: 300_000 } },
});

export default createMachine({
  id: 'Graph.Reset.Node',
  initial: 'resetting',
  states: { resetting: { invoke: { src: 'reset', onDone: 'reset' } }, reset: { type: 'final' } },
});
