/**
 * Graph.IdentifyOff.Node: switches the node's identification light off.
 *
 * - Options: `obmServiceName`.
 * - Cancel and crash: the light is switched or not; a new launch does the same.
 */
import { defineGraph } from 'nodewright/define';
import identifyOff from '../tasks/obm-node-identify-off.ts';

const { createMachine } = defineGraph({
  injectableName: 'Graph.IdentifyOff.Node',
  friendlyName: 'IdentifyOff Node',
  tasks: { identify: { task: identifyOff, timeoutMs: 300_000 } },
});

export default createMachine({
  id: 'Graph.IdentifyOff.Node',
  initial: 'switching',
  states: { switching: { invoke: { src: 'identify', onDone: 'switched' } }, switched: { type: 'final' } },
});
