/** Switches the node's identification light on; it stays on until it is switched off. Output: `{ service }`. */
import { defineObmSetting } from 'nodewright/define';

export default defineObmSetting({
  injectableName: 'Task.Obm.Node.IdentifyOn',
  friendlyName: 'Identify on',
  ask: (obm, signal) => obm.identify(true, signal),
});
