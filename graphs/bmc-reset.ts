/**
 * Graph.Bmc.Reset: restarts the BMC of the node, and ends when the BMC answers again. The node is not affected.
 *
 * - Options: `obmServiceName`, `timeoutMs`.
 * - Irreversible: sessions with the BMC end, a virtual medium may be ejected.
 * - Cancel: a command that was sent stays in effect.
 * - The command is sent once. After a missing answer or a crash the BMC is only asked whether it answers.
 */
import { defineGraph } from 'nodewright/define';
import reset from '../tasks/bmc-reset.ts';

const { createMachine } = defineGraph({
  injectableName: 'Graph.Bmc.Reset',
  friendlyName: 'Restart the BMC',
  tasks: { 'reset-bmc': { task: reset, timeoutMs: 1_200_000 } },
});

export default createMachine({
  id: 'Graph.Bmc.Reset',
  initial: 'resetting',
  states: { resetting: { invoke: { src: 'reset-bmc', onDone: 'reset' } }, reset: { type: 'final' } },
});
