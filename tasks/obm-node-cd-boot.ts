/** Sets the node to boot from its CD drive, also a virtual one. Does not restart it. Output: `{ service }`. */
import { type BootInput, bootOptions, defineObmSetting } from 'nodewright/define';

export default defineObmSetting<BootInput>({
  injectableName: 'Task.Obm.Node.CdBoot',
  friendlyName: 'Boot from CD',
  options: bootOptions,
  ask: (obm, signal, { persistent, uefi }) => obm.boot({ device: 'cd', persistent, uefi }, signal),
});
