/**
 * Graph.VirtualMedia.Eject: removes the image of a virtual drive of the node's BMC.
 *
 * - Options: `eject` with `media`. A machine that runs from the image loses it.
 * - Cancel, crash: the image is there or not; a new launch leaves an empty drive.
 */
import { defineGraph } from 'nodewright/define';
import eject from '../tasks/virtual-media-eject.ts';

const { createMachine } = defineGraph({
  injectableName: 'Graph.VirtualMedia.Eject',
  friendlyName: 'Eject virtual media',
  tasks: { eject: { task: eject, timeoutMs: 600_000 } },
});

export default createMachine({
  id: 'Graph.VirtualMedia.Eject',
  initial: 'ejecting',
  states: {
    ejecting: { invoke: { src: 'eject', onDone: 'ejected' } },
    ejected: { type: 'final' },
  },
});
