/**
 * Graph.InstallDebian: installs Debian, or an Ubuntu up to 20.04, by debian-installer.
 *
 * - Options: `install-debian` with those of its task; `defaults` for every task, as RackHD's clients send them.
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
import installDebian from '../tasks/os-install-debian.ts';

export default installGraph({
  injectableName: 'Graph.InstallDebian',
  friendlyName: 'Install Debian',
  labels: { install: 'install-debian', booted: 'rackhd-callback-notification-wait' },
  tasks: { pxeBoot, reboot, install: installDebian, diskBoot, bootWait },
  example: { defaults: { version: 'bookworm', hostname: 'node-1', rootPassword: 'correct-horse' } },
});
