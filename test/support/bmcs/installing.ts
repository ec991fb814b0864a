/** Installations: options of each installer, and the files that a node fetches, without the node. */
import { readFileSync } from 'node:fs';
import {
  type InstallOptions,
  type InstallValues,
  installValues,
} from '../../../engine/hardware/install/install-values.ts';
import { Rendering } from '../../../engine/inventory/files/rendering.ts';
import { validator } from '../../../engine/platform/validation/validator.ts';
import { packagePath } from '../../../engine/vocabulary/package-path.ts';
import centos from '../../../tasks/os-install-cent-os.ts';
import debian from '../../../tasks/os-install-debian.ts';
import esxi from '../../../tasks/os-install-esxi.ts';
import ubuntu from '../../../tasks/os-install-ubuntu.ts';

export const installers = { centos, debian, ubuntu, esxi };
export type System = keyof typeof installers;

const CALLBACK = 'http://10.1.1.1:9080/api/current/notification/callback?nonce=nwcb.w.2.1.installed';
const BOOTED = 'http://10.1.1.1:9080/api/current/notification/callback?nonce=nwcb.w.4.1.booted';

/** Most options that all installers of Linux have. */
export const usual = {
  version: '9',
  repo: 'http://10.1.1.1:9080/os',
  hostname: 'node-1',
  domain: 'rack.example',
  rootPassword: 'r00t-pa55',
  rootSshKey: 'ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIFoo ann@desk',
  dnsServers: ['10.1.1.2', '10.1.1.3'],
  ntpServers: ['ntp.example'],
  networkDevices: [
    {
      device: 'eno1',
      ipv4: { ipAddr: '10.1.1.9', netmask: '255.255.255.0', gateway: '10.1.1.1' },
      ipv6: { ipAddr: 'fd00::9', prefixlen: 64, gateway: 'fd00::1' },
    },
  ],
  installDisk: '/dev/sdb',
  kargs: { quiet: '', 'net.ifnames': '1' },
  postInstallCommands: ['echo "it\'s done" >/etc/motd'],
};

const usualLinux = {
  ...usual,
  users: [{ name: 'ann', password: 'annes-pa55', uid: 1100, sshKey: 'ssh-rsa AAAAB3NzaC1yc2E=' }, { name: 'bob' }],
  timezone: 'Europe/Berlin',
  packages: ['vim-minimal', 'tmux'],
  kvm: true,
  enableServices: ['sshd.service'],
  disableServices: ['postfix'],
};

const usualPartitions = {
  installPartitions: [
    { mountPoint: '/boot', size: '1024', fsType: 'ext4' },
    { mountPoint: 'swap', size: '2048' },
    { mountPoint: '/', size: 'auto', fsType: 'xfs' },
  ],
};

/** Options that each installer accepts. */
export const accepted: Record<System, Record<string, unknown>> = {
  centos: { ...usualLinux, ...usualPartitions },
  debian: { ...usualLinux, ...usualPartitions, version: 'bookworm' },
  ubuntu: { ...usualLinux, version: '24.04' },
  esxi: { ...usual, bootFiles: { kernel: 'b.b00', modules: ['jumpstrt.gz', 's.v00'] } },
};

/** Returns the complete options. @returns undefined if the task rejects them */
export function optionsOf(system: System, given: Record<string, unknown>): InstallOptions | undefined {
  const { options, optionsSchema } = installers[system];
  const all = { ...options, ...given };
  return validator.violations(optionsSchema, all).length === 0 ? (all as unknown as InstallOptions) : undefined;
}

export const valuesOf = (options: InstallOptions): Promise<InstallValues> =>
  installValues(options, 'os', undefined, 'linux');

export class Renderer {
  readonly #rendering = new Rendering({ timeMs: 60_000, waitMs: 120_000 });

  /** @param name `templates/centos-ks` */
  render(name: string, install: InstallValues, more: Record<string, unknown> = {}): Promise<string> {
    const text = readFileSync(packagePath(`engine/inventory/files/${name}`), 'utf8');
    const server = 'http://10.1.1.1:9080';
    const base = `${server}/api/current`;
    const labels = ['rackhd-callback-notification-wait', 'firstboot-callback-notification-wait'];
    return this.#rendering.render(name, text, {
      install,
      nodeId: 'n1',
      nodeKey: 'k.1',
      file: { server },
      api: { base, templates: `${base}/templates`, profiles: `${base}/profiles` },
      task: { callback: CALLBACK, callbacks: Object.fromEntries(labels.map((label) => [label, BOOTED])) },
      boot: { kernel: `${server}/os/kernel`, initrd: `${server}/os/initrd`, cmdline: '' },
      ...more,
    });
  }

  close(): Promise<void> {
    return this.#rendering.close();
  }
}

/** The templates of each installer. */
export const templatesOf: Record<System, readonly string[]> = {
  centos: ['templates/centos-ks', 'templates/linux-post-install'],
  debian: ['templates/debian-preseed', 'templates/linux-post-install'],
  ubuntu: ['templates/ubuntu-autoinstall', 'templates/linux-post-install'],
  esxi: ['templates/esx-ks', 'templates/esx-boot-cfg'],
};

export const profilesOf: Record<System, string> = {
  centos: 'profiles/install-centos.ipxe',
  debian: 'profiles/install-debian.ipxe',
  ubuntu: 'profiles/install-ubuntu.ipxe',
  esxi: 'profiles/install-esx.ipxe',
};
