/**
 * Graph.PowerOff.Node: switches the node off, and ends when its BMC says that it is.
 *
 * - Options: `obmServiceName`, `timeoutMs`, `force`: false asks the operating system to shut down.
 * - Cannot be undone: what the operating system had not written is lost.
 * - Cancel: what the BMC was told stands; the node may go off all the same.
 * - The command goes out once. A silent BMC, and one that was told before a crash, is asked whether the node is off.
 */
import { defineGraph } from '../engine/define/index.ts';
import powerOff from '../tasks/obm-power-off.ts';

const { createMachine } = defineGraph({
  injectableName: 'Graph.PowerOff.Node',
  friendlyName: 'PowerOff Node',
  tasks: { poweroff: powerOff },
  options: { poweroff: { _taskTimeout: 900_000 } },
});

export default createMachine({
  id: 'Graph.PowerOff.Node',
  initial: 'stopping',
  states: { stopping: { invoke: { src: 'poweroff', onDone: 'off' } }, off: { type: 'final' } },
});
