/** Switches the node's identification light off. Output: `{ service }`. */
import { defineObmSetting } from 'nodewright/define';

export default defineObmSetting({
  injectableName: 'Task.Obm.Node.IdentifyOff',
  friendlyName: 'Identify off',
  ask: (obm, signal) => obm.identify(false, signal),
});
