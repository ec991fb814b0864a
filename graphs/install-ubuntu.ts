/**
 * Graph.InstallUbuntu: installs Ubuntu Server 20.04 or newer by its live installer.
 *
 * - Options: `install-ubuntu` with those of its task; `defaults` for every task, as RackHD's clients send them.
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
import installUbuntu from '../tasks/os-install-ubuntu.ts';

export default installGraph({
  injectableName: 'Graph.InstallUbuntu',
  friendlyName: 'Install Ubuntu',
  labels: { install: 'install-ubuntu', booted: 'rackhd-callback-notification-wait' },
  tasks: { pxeBoot, reboot, install: installUbuntu, diskBoot, bootWait },
  example: { defaults: { version: '24.04', hostname: 'node-1', rootPassword: 'correct-horse' } },
});
