/** Sets the node to boot from its disk, the next time or every time. Does not restart it. Output: `{ service }`. */
import { type BootInput, bootOptions, defineObmSetting } from 'nodewright/define';

export default defineObmSetting<BootInput>({
  injectableName: 'Task.Obm.Node.DiskBoot',
  friendlyName: 'Boot from its disk',
  options: bootOptions,
  ask: (obm, signal, { persistent, uefi }) => obm.boot({ device: 'disk', persistent, uefi }, signal),
});
