/**
 * Machines get an operating system by an image, with BIOS and with UEFI, with the parts of real ones only: a BMC, PXE, iPXE,
 * the microkernel with the agent, a disk that then boots.
 */
import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { ExecutionContext } from 'ava';
import { drawn } from '../drawn.mjs';
import { folder } from '../support/ava/folder.ts';
import { needing } from '../support/ava/needs.ts';
import { onPath } from '../support/ava/on-path.ts';
import { WAIT_MS } from '../support/ava/patience.ts';
import type { Scope } from '../support/ava/scope.ts';
import {
  type Hardware,
  HOST,
  type Machine,
  microkernel,
  noMachine,
  OVMF,
  openMachine,
} from '../support/bmcs/machine.ts';
import { ended, seen } from '../support/faults/workload.ts';
import { type DaemonProcess, startDaemonProcess } from '../support/servers/daemon.ts';
import { freePort } from '../support/servers/server.ts';

const maker = fileURLToPath(new URL('../support/bmcs/disk-image.sh', import.meta.url));
const tools = ['syslinux', 'sfdisk', 'mkfs.vfat', 'mcopy', 'objcopy', 'mke2fs'];
const lacking = tools.filter((name) => onPath(name) === undefined && !existsSync(`/usr/sbin/${name}`));
const missing = noMachine ?? (lacking.length > 0 ? `${lacking} are not installed` : undefined);
const test = needing(missing, 'machine');
const efi = needing(missing ?? (existsSync(OVMF[0]) ? undefined : 'ovmf is not installed'), 'machine');

const DISK = 64 * 1024 * 1024;

interface Image {
  bytes: Buffer;
  sha256: string;
}

/** Made once: it is the same for all machines. */
let made: Image | undefined;
function image(t: Scope): Image {
  if (made !== undefined) return made;
  const path = join(folder(t), 'image.gz');
  execFileSync(maker, [microkernel, path], { stdio: 'pipe' });
  const bytes = readFileSync(path);
  made = { bytes, sha256: createHash('sha256').update(bytes).digest('hex') };
  return made;
}

/** Serves an image in ranges, and counts how often it was begun. */
async function imageServer(t: Scope, { bytes }: Image) {
  const begun: string[] = [];
  const server = createServer(({ method, headers }, response) => {
    const [, from, to] = /^bytes=(\d+)-(\d+)$/.exec(headers.range ?? '') ?? [];
    response.setHeader('accept-ranges', 'bytes');
    if (method === 'HEAD' || from === undefined) return void response.end();
    if (from === '0') begun.push('0');
    response.statusCode = Number(from) < bytes.length ? 206 : 416;
    response.end(bytes.subarray(Number(from), Number(to) + 1));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  t.teardown(() => {
    server.closeAllConnections();
    server.close();
  });
  return { url: `http://${HOST}:${(server.address() as AddressInfo).port}/image`, begun };
}

interface Scene {
  daemon: DaemonProcess;
  machine: Machine;
  node: string;
}

/** A machine whose drives are known, with its BMC. */
async function scene(t: Scope, hardware: Hardware): Promise<Scene> {
  const port = await freePort();
  const config = { servicePublicIp: HOST, southboundKeys: 'require' as const };
  const daemon = await startDaemonProcess(t, { port, config });
  const machine = await openMachine(t, port, { disk: DISK, ...hardware });
  for (const [name, bytes] of Object.entries(machine.files)) await daemon.api('PUT', `/files/common%2F${name}`, bytes);
  const { body } = await daemon.api('POST', '/nodes', { type: 'compute', name: 'n', identifiers: [machine.mac] });
  const drive = { devName: 'sda', identifier: 0, linuxWwid: '', esxiWwid: 'naa.5000c500000000bb', protocol: 'ata' };
  await daemon.api('POST', `/nodes/${body.id}/catalogs`, { source: 'driveId', data: { 0: drive } });
  await daemon.api('PUT', `/nodes/${body.id}/obm`, { service: 'ipmi-obm-service', config: machine.bmc.config });
  machine.bmc.forget();
  return { daemon, machine, node: body.id };
}

async function launch({ daemon, node }: Scene, write: Record<string, unknown>) {
  const seed = { hostname: 'imaged', rootPassword: 'r00t-pa55', format: 'gz', disk: 'sda' };
  const options = {
    'write-image': { ...seed, ...write },
    'disk-scan-delay': { duration: 100 },
    bootstrap: { kernelArguments: 'console=ttyS0 quiet' },
  };
  return daemon.api('POST', `/nodes/${node}/workflows?name=Graph.InstallOs.Image`, { options });
}

const stateOf = async ({ daemon }: Scene, workflow: string, label: string) => {
  const { tasks } = (await daemon.api('GET', `/workflows/${workflow}`)).body;
  return tasks.find((task: { label: string }) => task.label === label);
};

const sfdisk = existsSync('/usr/sbin/sfdisk') ? '/usr/sbin/sfdisk' : 'sfdisk';

/** Start and size of each partition, in sectors. */
function partitionsOf(t: Scope, bytes: Buffer): [number, number][] {
  const path = join(folder(t), 'disk');
  writeFileSync(path, bytes);
  const text = execFileSync(sfdisk, ['--dump', path], { encoding: 'utf8' });
  return [...text.matchAll(/start= *(\d+), size= *(\d+)/g)].map(([, start, size]) => [Number(start), Number(size)]);
}

/** Bad images leave the disk as it is; a good one is written once and boots, although the daemon dies. */
async function withBios(t: ExecutionContext): Promise<void> {
  const own = await scene(t, {});
  const { daemon, machine } = own;
  const good = image(t);
  const before = machine.drive('sda');
  const { url, begun } = await imageServer(t, good);

  const wrong = await launch(own, { image: url, sha256: '0'.repeat(64) });
  t.is(wrong.status, 201, JSON.stringify(wrong.body));
  await ended(daemon, wrong.body.id, 4 * WAIT_MS);
  const rejected = (await daemon.api('GET', `/workflows/${wrong.body.id}`)).body;
  t.is(rejected.error?.code, 'IMAGE_MISMATCH', `${JSON.stringify(rejected)} ${machine.console().slice(-2_000)}`);
  t.regex(rejected.error?.message ?? '', /checksum [0-9a-f]{64}, expected 0{64}; the disk is unchanged$/);
  t.true(machine.drive('sda').equals(before), 'nothing was written');
  begun.length = 0;

  const { body } = await launch(own, { image: url, sha256: good.sha256 });
  await seen(async () => {
    const { state, progress } = await stateOf(own, body.id, 'write-image');
    return state === 'running' && progress?.value > 0;
  }, 4 * WAIT_MS);
  await daemon.kill('SIGKILL');
  await daemon.start();
  const row = await ended(daemon, body.id, 4 * WAIT_MS);
  t.is(row.status, 'succeeded', `${JSON.stringify(row)} ${machine.console().slice(-2_000)}`);
  t.like(await stateOf(own, body.id, 'first-boot'), { output: { firmware: 'bios', hostname: 'imaged' } });
  t.like(await stateOf(own, body.id, 'write-image'), { attempts: 1, output: { devName: 'sda', grown: 'sda2' } });
  t.is(begun.length, 2, 'it was fetched to be checked and to be written');
  t.notRegex(JSON.stringify(row), /pa55/);

  const [esp, root, seed] = partitionsOf(t, machine.drive('sda'));
  t.is(esp?.[0], 2_048);
  t.true((root?.[1] ?? 0) > 40_000, 'the last partition reaches');
  t.is((root?.[0] ?? 0) + (root?.[1] ?? 0) <= (seed?.[0] ?? 0), true, 'the data of the first boot');
  t.true(
    machine.bmc.ledger.some((line) => /^boot (disk|default)$/.test(line)),
    machine.bmc.ledger.join(),
  );
}

/** An image of the file server. */
async function withUefi(t: ExecutionContext): Promise<void> {
  const own = await scene(t, { uefi: true });
  const { daemon, machine } = own;
  const good = image(t);
  await daemon.api('PUT', '/files/images%2Fsmall.gz', good.bytes);
  const { body } = await launch(own, { image: 'images/small.gz', sha256: good.sha256 });
  const row = await ended(daemon, body.id, 6 * WAIT_MS);
  t.is(row.status, 'succeeded', `${JSON.stringify(row)} ${machine.console().slice(-2_000)}`);
  t.like(await stateOf(own, body.id, 'first-boot'), { output: { firmware: 'uefi', hostname: 'imaged' } });
}

const machines = [
  {
    title: 'BIOS: bad images leave the disk as it is; a good one is written once and boots, although the daemon dies',
    declare: test,
    proof: withBios,
  },
  { title: 'UEFI: an image of the file server is written and boots', declare: efi, proof: withUefi },
];

for (const { title, declare, proof } of drawn(machines, 1 / 2)) declare.serial(title, proof);
