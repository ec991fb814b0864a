/**
 * Graph.IdentifyOn.Node: switches the node's identification light on.
 *
 * - Options: `obmServiceName`.
 * - Cancel and crash: the light is switched or not; a new launch does the same.
 */
import { defineGraph } from 'nodewright/define';
import identifyOn from '../tasks/obm-node-identify-on.ts';

const { createMachine } = defineGraph({
  injectableName: 'Graph.IdentifyOn.Node',
  friendlyName: 'IdentifyOn Node',
  tasks: { identify: { task: identifyOn, timeoutMs: 300_000 } },
});

export default createMachine({
  id: 'Graph.IdentifyOn.Node',
  initial: 'switching',
  states: { switching: { invoke: { src: 'identify', onDone: 'switched' } }, switched: { type: 'final' } },
});
