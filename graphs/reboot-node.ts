/**
 * Graph.Reboot.Node: switches the node off, waits until it is off, and switches it on.
 *
 * - Options: `obmServiceName`, `timeoutMs` for each half, `force`: false asks the operating system to shut down.
 * - Irreversible: unwritten data of the operating system is lost.
 * - Cancel: a command that was sent stays in effect. Between the halves the node stays off.
 * - The command of each half is sent once. After a missing answer or a crash the BMC is only asked for the state.
 */
import { defineGraph } from 'nodewright/define';
import reboot from '../tasks/obm-node-reboot.ts';

const { createMachine } = defineGraph({
  injectableName: 'Graph.Reboot.Node',
  friendlyName: 'Reboot Node',
  tasks: { reboot: { task: reboot, timeoutMs: 900_000 } },
});

export default createMachine({
  id: 'Graph.Reboot.Node',
  initial: 'rebooting',
  states: { rebooting: { invoke: { src: 'reboot', onDone: 'on' } }, on: { type: 'final' } },
});
