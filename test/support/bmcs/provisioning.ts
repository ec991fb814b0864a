/**
 * A provisioning network in a network namespace of its own, in which this module runs: a bridge, the daemon, dnsmasq
 * with a configuration of `fixtures/deploy/provisioning`, a DHCP server of the site in a second namespace, and machines
 * (QEMU) that are switched on.
 */
import { type ChildProcess, execFileSync, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { copyFileSync, existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { folder } from '../ava/folder.ts';
import { onPath } from '../ava/on-path.ts';
import { WAIT_MS } from '../ava/patience.ts';
import type { Scope } from '../ava/scope.ts';
import { seen } from '../faults/workload.ts';
import { startDaemonProcess } from '../servers/daemon.ts';
import { deployedText } from '../source/deployment.ts';

const QEMU = 'qemu-system-x86_64';
const UEFI = '/usr/share/OVMF/OVMF_CODE_4M.fd';
const IPXE = '/usr/lib/ipxe';
const BOOT_FILES = ['undionly.kpxe', 'ipxe.efi'];
const HOST = '10.77.0.1';
const BRIDGE = 'br0';

/** Everything in it ends with the command. */
export const network = ['unshare', '--net', '--pid', '--fork', '--kill-child', '--mount-proc'];
const probe = 'ip link add br0 type bridge && ip tuntap add tap0 mode tap && unshare --net true';

function missing(): string | undefined {
  for (const name of ['dnsmasq', 'ip', 'nsenter', 'curl', 'busybox', QEMU]) {
    if (onPath(name) === undefined)
      return `${name} is not on the PATH (Debian: dnsmasq-base, iproute2, busybox-static, qemu-system-x86)`;
  }
  for (const file of [UEFI, ...BOOT_FILES.map((name) => join(IPXE, name))]) {
    if (!existsSync(file)) return `${file} is missing (Debian: ovmf, ipxe)`;
  }
  const [program = '', ...args] = network;
  if (spawnSync(program, [...args, 'sh', '-c', probe], { stdio: 'ignore' }).status === 0) return undefined;
  return 'no network with tap devices can be made here, not even in a separate namespace';
}
export const noProvisioning = missing();

/** `uefi`: its firmware speaks plain PXE, so it loads iPXE by TFTP. `bios`: iPXE is in its network card. */
export const machines = { uefi: '52:54:00:aa:00:07', bios: '52:54:00:aa:00:08' } as const;
type Firmware = keyof typeof machines;

export interface Provisioned {
  /** By firmware: the node that the daemon registered, and the address that it saw. */
  nodes: Record<string, { id: string; address: string | undefined }>;
  /** Files that dnsmasq sent by TFTP. */
  sent: string[];
  /** By the vendor class of a switch: the URL that it gets; none beside a DHCP server of the site. */
  programs: Record<string, string>;
}

const ip = (...args: string[]) => execFileSync('ip', args, { stdio: 'pipe' });

/** @param file in `fixtures/deploy/provisioning` @param site whether a DHCP server of the site gives addresses */
export async function provision(t: Scope, file: string, site: boolean): Promise<Provisioned> {
  ip('link', 'set', 'lo', 'up');
  ip('link', 'add', BRIDGE, 'type', 'bridge');
  ip('addr', 'add', `${HOST}/24`, 'dev', BRIDGE);
  ip('link', 'set', BRIDGE, 'up');
  const home = folder(t);
  if (site) await startSite(t, home);
  const log = startDnsmasq(t, home, file);
  fetchBootFiles();
  const { api } = await startDaemonProcess(t, {
    config: {
      servicePublicIp: HOST,
      httpEndpoints: [
        { port: 0, routers: 'northbound-api-router' },
        { address: HOST, port: 9080, routers: 'southbound-api-router' },
      ],
    },
  });
  const nodes = await Promise.all(
    Object.entries(machines).map(async ([name, mac]) => {
      const machine = switchOn(t, home, name as Firmware);
      const { id } = await seen(async () => {
        const { status, body } = await api('GET', `/nodes/${mac}`);
        return status === 200 && body;
      }, WAIT_MS);
      // Its firmware would take the time of a processor that another one needs.
      machine.kill('SIGKILL');
      const { body } = await api('GET', `/lookups?q=${mac}`);
      const [lookup] = body as unknown as { observed?: { from?: string } }[];
      return [name, { id, address: lookup?.observed?.from }] as const;
    }),
  );
  const sent = [...log().matchAll(/sent \S+\/(\S+) to 10\.77\.0\.(?!1\b)/g)].map(([, name = '']) => name);
  return { nodes: Object.fromEntries(nodes), sent, programs: site ? {} : programsOffered(home) };
}

/** The DHCP server of the site sends addresses only. */
async function startSite(t: Scope, home: string): Promise<void> {
  const holder = owned(t, 'unshare', ['--net', 'sh', '-c', 'echo separate; exec sleep infinity']);
  if (holder.stdout === null) throw new Error('the namespace of the site has no output');
  await once(holder.stdout, 'data');
  const pid = String(holder.pid);
  ip('link', 'add', 'site', 'type', 'veth', 'peer', 'name', 'eth0', 'netns', pid);
  ip('link', 'set', 'site', 'master', BRIDGE, 'up');
  const inside = ['-t', pid, '-n'];
  for (const command of ['link set lo up', 'addr add 10.77.0.2/24 dev eth0', 'link set eth0 up']) {
    execFileSync('nsenter', [...inside, 'ip', ...command.split(' ')]);
  }
  const conf = join(home, 'site.conf');
  const range = 'dhcp-range=10.77.0.100,10.77.0.199,255.255.255.0,5m';
  writeFileSync(conf, `port=0\ninterface=eth0\nbind-dynamic\n${range}\ndhcp-leasefile=${join(home, 'site.leases')}\n`);
  owned(t, 'nsenter', [...inside, 'dnsmasq', ...foreground, `--conf-file=${conf}`]);
}

const foreground = ['--keep-in-foreground', '--user=root', '--pid-file=', '--log-facility=-', '--log-dhcp'];

/** @returns what it has logged */
function startDnsmasq(t: Scope, home: string, file: string): () => string {
  const root = join(home, 'tftp');
  mkdirSync(root);
  for (const name of BOOT_FILES) copyFileSync(join(IPXE, name), join(root, name));
  const conf = join(home, file);
  const text = deployedText(`provisioning/${file}`)
    .replaceAll('192.0.2.', '10.77.0.')
    .replace('interface=eth1', `interface=${BRIDGE}`)
    .replace('/srv/tftp', root)
    .replace('/var/lib/misc/nodewright.leases', join(home, 'leases'));
  writeFileSync(conf, text);
  const { stderr } = owned(t, 'dnsmasq', [...foreground, `--conf-file=${conf}`]);
  let log = '';
  stderr?.on('data', (chunk) => {
    log += chunk;
  });
  return () => log;
}

/** Cards with plain PXE and BIOS load `undionly.kpxe`; QEMU has none, so the file is fetched like they would. */
function fetchBootFiles(): void {
  for (const name of BOOT_FILES) {
    const retry = ['--retry', '20', '--retry-delay', '1', '--retry-all-errors', '--max-time', '20'];
    const got = execFileSync('curl', ['-s', ...retry, `tftp://${HOST}/${name}`], { maxBuffer: 4 * 1024 * 1024 });
    if (!got.equals(readFileSync(join(IPXE, name)))) throw new Error(`${name} by TFTP differs`);
  }
}

function switchOn(t: Scope, home: string, name: Firmware): ChildProcess {
  const tap = `tap-${name}`;
  ip('tuntap', 'add', tap, 'mode', 'tap');
  ip('link', 'set', tap, 'master', BRIDGE, 'up');
  const card = name === 'uefi' ? 'virtio-net-pci,romfile=' : 'e1000';
  const firmware = ['-drive', `if=pflash,format=raw,readonly=on,file=${UEFI}`];
  return owned(t, QEMU, [
    ...['-machine', 'q35', '-accel', 'tcg', '-cpu', 'qemu64', '-m', '512', '-nodefaults', '-display', 'none'],
    ...['-serial', `file:${join(home, `${name}.console`)}`, '-boot', 'n'],
    ...(name === 'uefi' ? firmware : []),
    ...['-netdev', `tap,id=lan,ifname=${tap},script=no,downscript=no`],
    ...['-device', `${card},netdev=lan,mac=${machines[name]}`],
  ]);
}

/** As their zero-touch provisioning sends them. */
const switchClasses = ['Arista;DCS-7050SX3;JPE1', 'onie_vendor:x86_64-accton_as7726', 'cumulus-linux x86_64'];

/** Asks for an address as switches do. */
function programsOffered(home: string): Record<string, string> {
  ip('link', 'add', 'switch', 'type', 'veth', 'peer', 'name', 'mgmt');
  ip('link', 'set', 'switch', 'master', BRIDGE, 'up');
  ip('link', 'set', 'mgmt', 'up');
  const script = join(home, 'bound');
  writeFileSync(script, '#!/bin/sh\nif [ "$1" = bound ]; then echo "$bootfile $opt114$opt239"; fi\n', { mode: 0o755 });
  const ask = (name: string) =>
    execFileSync(
      'busybox',
      [
        ...['udhcpc', '-i', 'mgmt', '-V', name, '-O', 'bootfile', '-O', '114', '-O', '239'],
        ...['-f', '-q', '-n', '-s', script],
      ],
      { stdio: ['ignore', 'pipe', 'pipe'], timeout: WAIT_MS },
    );
  return Object.fromEntries(
    switchClasses.map((name) => {
      const [bootFile = '', option = ''] = ask(name).toString().trimEnd().split('\n').at(-1)?.split(' ') ?? [];
      return [name, option === '' ? bootFile : Buffer.from(option, 'hex').toString()];
    }),
  );
}

/** Killed when its owner ends. */
function owned(t: Scope, program: string, args: string[]): ChildProcess {
  const child = spawn(program, args, { stdio: ['ignore', 'pipe', 'pipe'] });
  child.stdout.resume();
  child.stderr.resume();
  child.once('error', (error) => console.error(error));
  t.teardown(() => child.kill('SIGKILL'));
  return child;
}
