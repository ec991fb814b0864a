/** Sets the node to boot over the network, the next time or every time. Does not restart it. Output: `{ service }`. */
import { type BootInput, bootOptions, defineObmSetting } from 'nodewright/define';

export default defineObmSetting<BootInput>({
  injectableName: 'Task.Obm.Node.PxeBoot',
  friendlyName: 'Boot over the network',
  options: bootOptions,
  ask: (obm, signal, { persistent, uefi }) => obm.boot({ device: 'pxe', persistent, uefi }, signal),
});
