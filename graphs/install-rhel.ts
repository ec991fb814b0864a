/**
 * Graph.InstallRHEL: installs Red Hat Enterprise Linux by its installer.
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
import installCentos from '../tasks/os-install-cent-os.ts';

export default installGraph({
  injectableName: 'Graph.InstallRHEL',
  friendlyName: 'Install RHEL',
  labels: { install: 'install-os', booted: 'rackhd-callback-notification-wait' },
  tasks: { pxeBoot, reboot, install: installCentos, diskBoot, bootWait },
  example: { defaults: { version: '9', hostname: 'node-1', rootPassword: 'correct-horse' } },
});
