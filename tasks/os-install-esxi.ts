/**
 * Installs ESXi by its own installer, whose answers are the template `esx-ks`: the node boots the installer from the
 * installation source, the content of the ISO, and the task ends with its callback.
 *
 * Output: `{ disk, report }`, the parameters of the callback; a failure of the installer is not reported by it.
 */
import { defineTask, Type } from 'nodewright/define';
import { checkInstall, installedDrives } from '../engine/hardware/install/check-install.ts';
import { type InstallOutput, installMachine } from '../engine/hardware/install/install-machine.ts';
import { everyDefault, everyInstaller } from '../engine/hardware/install/install-options.ts';

const name = 'Task.Os.Install.ESXi';
const { users: _users, rootPassword, ...common } = everyInstaller;
const file = Type.String({ pattern: '^[A-Za-z0-9._/-]+$', maxLength: 256 });

const optionsSchema = Type.Object(
  {
    ...common,
    users: Type.Array(Type.Never(), { maxItems: 0, description: 'None: ESXi accepts hashes for root only.' }),
    // It has no system without one.
    rootPassword: rootPassword,
    bootConfig: Type.String({
      pattern: '^[A-Za-z0-9][A-Za-z0-9._/-]*$',
      maxLength: 512,
      description: 'Template of boot.cfg.',
    }),
    bootFiles: Type.Optional(
      Type.Object(
        { kernel: file, modules: Type.Array(file, { maxItems: 1_000 }) },
        { additionalProperties: false, description: 'Set by the graph: files that the boot.cfg of the source names.' },
      ),
    ),
  },
  { additionalProperties: false },
);

export default defineTask<typeof optionsSchema, InstallOutput>({
  injectableName: name,
  friendlyName: 'Install ESXi',
  // It serves files and waits; the installer runs on the node, whether or not a daemon does.
  recovery: 'idempotent',
  destructive: true,
  drives: installedDrives,
  optionsSchema,
  options: {
    ...everyDefault,
    users: [],
    profile: 'install-esx.ipxe',
    installScript: 'esx-ks',
    bootConfig: 'esx-boot-cfg',
  },
  checkLaunch: async (scope) => [
    ...(await checkInstall(scope, 'esxi')),
    ...(scope.options.rootPassword === undefined
      ? [{ path: 'rootPassword', message: 'is missing; ESXi has no root without one' }]
      : []),
  ],
  machine: installMachine(name, {
    diskNames: 'esxi',
    repo: ({ version }) => `esxi/${version}`,
    kernel: ({ repo }) => `${repo}/mboot.c32`,
  }),
});
