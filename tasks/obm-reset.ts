/** Resets the node at once, as its reset button does. What the operating system had not written is lost. */
import { defineObmCommand } from '../engine/define/index.ts';

// A BMC cannot tell whether a reset has been: a node that was on is on again.
export default defineObmCommand({
  injectableName: 'Task.Obm.Node.Reset',
  friendlyName: 'Reset',
  ask: (obm, signal) => obm.power('reset', signal),
});
