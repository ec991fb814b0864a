/**
 * Resets the node immediately, as its reset button does. Unwritten data of the operating system is lost.
 *
 * Output: `{ service }`.
 */
import { defineObmCommand } from 'nodewright/define';

// A BMC does not report whether a reset has happened: the node is on before and after it.
export default defineObmCommand({
  injectableName: 'Task.Obm.Node.Reset',
  friendlyName: 'Reset',
  power: 'cycle',
  ask: (obm, signal) => obm.power('reset', signal),
});
