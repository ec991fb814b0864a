/**
 * Graph.Reboot.Node: switches the node off, waits until it is, and switches it on.
 *
 * - Options: `obmServiceName`, `timeoutMs` for each half, `force`: false asks the operating system to shut down.
 * - Cannot be undone: what the operating system had not written is lost.
 * - Cancel: what the BMC was told stands. Between the halves it leaves the node switched off.
 * - The command of each half goes out once. A silent BMC, and one that was told before a crash, is asked what became of it.
 */
import { defineGraph } from '../engine/define/index.ts';
import reboot from '../tasks/obm-reboot.ts';

const { createMachine } = defineGraph({
  injectableName: 'Graph.Reboot.Node',
  friendlyName: 'Reboot Node',
  tasks: { reboot },
  options: { reboot: { _taskTimeout: 900_000 } },
});

export default createMachine({
  id: 'Graph.Reboot.Node',
  initial: 'rebooting',
  states: { rebooting: { invoke: { src: 'reboot', onDone: 'on' } }, on: { type: 'final' } },
});
