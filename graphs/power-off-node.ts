/**
 * Graph.PowerOff.Node: switches the node off and ends when its BMC reports it off.
 *
 * - Options: `obmServiceName`, `timeoutMs`, `force`: false asks the operating system to shut down.
 * - Irreversible: unwritten data of the operating system is lost.
 * - Cancel: a command that was sent stays in effect; the node may still go off.
 * - The command is sent once. After a missing answer or a crash the BMC is only asked whether the node is off.
 */
import { defineGraph } from 'nodewright/define';
import powerOff from '../tasks/obm-node-power-off.ts';

const { createMachine } = defineGraph({
  injectableName: 'Graph.PowerOff.Node',
  friendlyName: 'PowerOff Node',
  tasks: { poweroff: { task: powerOff, timeoutMs: 900_000 } },
});

export default createMachine({
  id: 'Graph.PowerOff.Node',
  initial: 'stopping',
  states: { stopping: { invoke: { src: 'poweroff', onDone: 'off' } }, off: { type: 'final' } },
});
