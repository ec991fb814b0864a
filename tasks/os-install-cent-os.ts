/**
 * Installs CentOS, RHEL, Rocky Linux or AlmaLinux by Anaconda, whose answers are the template `centos-ks`: the node boots the
 * installer from the installation source, which must have `images/pxeboot`, and the task ends with its callback.
 *
 * Output: `{ disk, report }`, the parameters of the callback; a failure of the installer is `INSTALL_FAILED`.
 */
import { defineTask, Type } from 'nodewright/define';
import { checkInstall, installedDrives } from '../engine/hardware/install/check-install.ts';
import { type InstallOutput, installMachine } from '../engine/hardware/install/install-machine.ts';
import {
  everyInstaller,
  linuxDefaults,
  linuxInstaller,
  partitions,
} from '../engine/hardware/install/install-options.ts';

const name = 'Task.Os.Install.CentOS';
const optionsSchema = Type.Object(
  { ...everyInstaller, ...linuxInstaller, ...partitions },
  { additionalProperties: false },
);

export default defineTask<typeof optionsSchema, InstallOutput>({
  injectableName: name,
  friendlyName: 'Install CentOS or RHEL',
  // It serves files and waits; the installer runs on the node, whether or not a daemon does.
  recovery: 'idempotent',
  destructive: true,
  drives: installedDrives,
  optionsSchema,
  options: { ...linuxDefaults, installPartitions: [], profile: 'install-centos.ipxe', installScript: 'centos-ks' },
  checkLaunch: (scope) => checkInstall(scope),
  machine: installMachine(name, {
    repo: ({ version }) => `centos/${version}/os/x86_64`,
    kernel: ({ repo }) => `${repo}/images/pxeboot/vmlinuz`,
    initrd: ({ repo }) => `${repo}/images/pxeboot/initrd.img`,
  }),
});
