/**
 * Graph.PowerOn.Node: switches the node on, and ends when its BMC says that it is.
 *
 * - Options: `obmServiceName`, `timeoutMs`.
 * - Cancel: what the BMC was told stands; the node may go on all the same.
 * - The command goes out once. A silent BMC, and one that was told before a crash, is asked whether the node is on.
 */
import { defineGraph } from '../engine/define/index.ts';
import powerOn from '../tasks/obm-power-on.ts';

const { createMachine } = defineGraph({
  injectableName: 'Graph.PowerOn.Node',
  friendlyName: 'PowerOn Node',
  tasks: { poweron: powerOn },
  options: { poweron: { _taskTimeout: 900_000 } },
});

export default createMachine({
  id: 'Graph.PowerOn.Node',
  initial: 'starting',
  states: { starting: { invoke: { src: 'poweron', onDone: 'on' } }, on: { type: 'final' } },
});
