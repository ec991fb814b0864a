/**
 * Graph.InstallESXi: installs ESXi by its installer.
 *
 * - Options: `install-os` with those of its task; `defaults` for every task, as RackHD's clients send them.
 * - Irreversible: the data of the disk is lost.
 * - Cancel: the installer continues on the node.
 * - Crash: the installer continues, and the next daemon receives its callback.
 *
 * Documentation: docs/operate/os-install.md.
 */
import { installGraph } from '../engine/hardware/install/install-graph.ts';
import diskBoot from '../tasks/obm-node-disk-boot.ts';
import pxeBoot from '../tasks/obm-node-pxe-boot.ts';
import reboot from '../tasks/obm-node-reboot.ts';
import bootWait from '../tasks/os-boot-wait.ts';
import analyze from '../tasks/os-esx-analyze-repo.ts';
import installEsxi from '../tasks/os-install-esxi.ts';

export default installGraph({
  injectableName: 'Graph.InstallESXi',
  friendlyName: 'Install ESXi',
  labels: { install: 'install-os', booted: 'firstboot-callback-notification-wait' },
  tasks: { pxeBoot, reboot, install: installEsxi, diskBoot, bootWait },
  analyze,
  options: { 'analyze-repo': { repo: '{{ file.server }}/esxi/{{ options.version }}' } },
  example: {
    defaults: { version: '8.0', rootPassword: 'correct-horse' },
    'analyze-repo': { repo: 'http://10.1.1.1/esxi/8.0' },
  },
});
