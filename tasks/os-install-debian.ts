/**
 * Installs Debian, or an Ubuntu up to 20.04, by debian-installer, whose answers are the template `debian-preseed`: the node
 * boots the installer's netboot image, and the task ends with its callback.
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

const name = 'Task.Os.Install.Debian';
const optionsSchema = Type.Object(
  {
    ...everyInstaller,
    ...linuxInstaller,
    ...partitions,
    osName: Type.Unsafe<'debian' | 'ubuntu'>({
      type: 'string',
      enum: ['debian', 'ubuntu'],
      description: 'The distribution.',
    }),
    baseUrl: Type.Optional(
      Type.String({
        pattern: '^[A-Za-z0-9._~/-]+$',
        minLength: 1,
        maxLength: 512,
        description: 'Folder of linux and initrd.gz below the source. None: that of netboot images.',
      }),
    ),
    interface: Type.String({
      pattern: '^[A-Za-z0-9._-]+$',
      minLength: 1,
      maxLength: 32,
      description: 'Network interface that the installer uses.',
    }),
  },
  { additionalProperties: false },
);

interface NetbootOptions {
  osName?: string;
  baseUrl?: string;
}

const folder = (repo: string, version: string, { osName = 'debian', baseUrl }: NetbootOptions): string => {
  const netboot = `main/installer-amd64/current/images/netboot/${osName}-installer/amd64`;
  return `${repo}/${baseUrl ?? `dists/${version}/${netboot}`}`;
};

export default defineTask<typeof optionsSchema, InstallOutput>({
  injectableName: name,
  friendlyName: 'Install Debian',
  // It serves files and waits; the installer runs on the node, whether or not a daemon does.
  recovery: 'idempotent',
  destructive: true,
  drives: installedDrives,
  optionsSchema,
  options: {
    ...linuxDefaults,
    installPartitions: [],
    osName: 'debian',
    version: 'bookworm',
    interface: 'auto',
    profile: 'install-debian.ipxe',
    installScript: 'debian-preseed',
  },
  checkLaunch: (scope) => checkInstall(scope),
  machine: installMachine(name, {
    repo: (options) => (options as NetbootOptions).osName ?? 'debian',
    kernel: ({ repo, version }, options) => `${folder(repo, version, options as NetbootOptions)}/linux`,
    initrd: ({ repo, version }, options) => `${folder(repo, version, options as NetbootOptions)}/initrd.gz`,
  }),
});
