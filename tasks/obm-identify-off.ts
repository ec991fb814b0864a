/** Switches the light off that shows where the node is. */
import { defineObmSetting } from '../engine/define/index.ts';

export default defineObmSetting({
  injectableName: 'Task.Obm.Node.IdentifyOff',
  friendlyName: 'Identify off',
  ask: (obm, signal) => obm.identify(false, signal),
});
