/** Empties the BMC's system event log. The entries are gone for good. */
import { defineObmCommand } from '../engine/define/index.ts';

// A second time it would take what was written since.
export default defineObmCommand({
  injectableName: 'Task.Obm.Node.ClearSEL',
  friendlyName: 'Clear the system event log',
  ask: (obm, signal) => obm.clearLog(signal),
});
