/**
 * Graph.VirtualMedia.Boot: boots the node from an image that its BMC presents as a CD, such as an installer.
 *
 * - Options: `insert` with `image` and `media`; `set-boot-cd` with `uefi`; `reboot` with those of
 *   `Task.Obm.Node.Reboot`. The node boots from the image once; `Graph.VirtualMedia.Eject` removes it.
 * - Irreversible: unwritten data of the operating system is lost; what the image does with the machine.
 * - Cancel, crash: the image stays inserted; a new launch finds it.
 */
import { defineGraph, MINUTE_MS } from 'nodewright/define';
import cdBoot from '../tasks/obm-node-cd-boot.ts';
import reboot from '../tasks/obm-node-reboot.ts';
import insert from '../tasks/virtual-media-insert.ts';

const { createMachine } = defineGraph({
  injectableName: 'Graph.VirtualMedia.Boot',
  friendlyName: 'Boot from virtual media',
  tasks: {
    insert: { task: insert, timeoutMs: 15 * MINUTE_MS },
    'set-boot-cd': { task: cdBoot, timeoutMs: 10 * MINUTE_MS },
    reboot: { task: reboot, timeoutMs: 15 * MINUTE_MS },
  },
  examples: [{ options: { insert: { image: 'http://10.1.1.1/installer.iso' } } }],
});

export default createMachine({
  id: 'Graph.VirtualMedia.Boot',
  initial: 'inserting',
  states: {
    inserting: { invoke: { src: 'insert', onDone: 'settingBoot' } },
    settingBoot: { invoke: { src: 'set-boot-cd', onDone: 'rebooting' } },
    rebooting: { invoke: { src: 'reboot', onDone: 'booted' } },
    booted: { type: 'final' },
  },
});
