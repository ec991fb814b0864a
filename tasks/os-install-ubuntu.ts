/**
 * Installs Ubuntu Server 20.04 or newer by its live installer, whose answers are the template `ubuntu-autoinstall`: the node
 * boots `casper/vmlinuz` of the installation source with the ISO, and the task ends with its callback.
 *
 * Output: `{ disk, report }`, the parameters of the callback; a failure of the installer is `INSTALL_FAILED`.
 */
import { defineTask, Type } from 'nodewright/define';
import { checkInstall, installedDrives } from '../engine/hardware/install/check-install.ts';
import { type InstallOutput, installMachine } from '../engine/hardware/install/install-machine.ts';
import { everyInstaller, linuxDefaults, linuxInstaller } from '../engine/hardware/install/install-options.ts';

const name = 'Task.Os.Install.Ubuntu';
const optionsSchema = Type.Object(
  {
    ...everyInstaller,
    ...linuxInstaller,
    iso: Type.String({
      pattern: '^[A-Za-z0-9._~:/?@%=-]+$',
      minLength: 1,
      maxLength: 1_024,
      description: 'URL of the live server ISO, or a path below the file server.',
    }),
  },
  { additionalProperties: false },
);

export default defineTask<typeof optionsSchema, InstallOutput>({
  injectableName: name,
  friendlyName: 'Install Ubuntu',
  // It serves files and waits; the installer runs on the node, whether or not a daemon does.
  recovery: 'idempotent',
  destructive: true,
  drives: installedDrives,
  optionsSchema,
  options: {
    ...linuxDefaults,
    version: '24.04',
    iso: 'ubuntu/live-server.iso',
    profile: 'install-ubuntu.ipxe',
    installScript: 'ubuntu-autoinstall',
  },
  checkLaunch: (scope) => checkInstall(scope),
  machine: installMachine(name, {
    repo: ({ version }) => `ubuntu/${version}`,
    kernel: ({ repo }) => `${repo}/casper/vmlinuz`,
    initrd: ({ repo }) => `${repo}/casper/initrd`,
  }),
});
