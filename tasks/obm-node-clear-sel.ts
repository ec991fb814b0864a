/** Clears the BMC's system event log. The entries cannot be restored. Output: `{ service }`. */
import { defineObmCommand } from 'nodewright/define';

// A repeat would delete entries written since.
export default defineObmCommand({
  injectableName: 'Task.Obm.Node.ClearSEL',
  friendlyName: 'Clear the system event log',
  ask: (obm, signal) => obm.clearLog(signal),
});
