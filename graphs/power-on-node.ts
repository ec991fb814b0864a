/**
 * Graph.PowerOn.Node: switches the node on and ends when its BMC reports it on.
 *
 * - Options: `obmServiceName`, `timeoutMs`.
 * - Cancel: a command that was sent stays in effect; the node may still go on.
 * - The command is sent once. After a missing answer or a crash the BMC is only asked whether the node is on.
 */
import { defineGraph } from 'nodewright/define';
import powerOn from '../tasks/obm-node-power-on.ts';

const { createMachine } = defineGraph({
  injectableName: 'Graph.PowerOn.Node',
  friendlyName: 'PowerOn Node',
  tasks: { poweron: { task: powerOn, timeoutMs: 900_000 } },
});

export default createMachine({
  id: 'Graph.PowerOn.Node',
  initial: 'starting',
  states: { starting: { invoke: { src: 'poweron', onDone: 'on' } }, on: { type: 'final' } },
});
