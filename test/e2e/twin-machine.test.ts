/**
 * A machine of a twin on a real daemon: discovered, erased, installed in five ways, imaged. The daemon requires keys, and has no
 * power over the machine, so the test restarts it.
 */
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import test, { type ExecutionContext } from 'ava';
import { FieldTime } from '../../engine/hardware/twin/machine/field-time.ts';
import { WAIT_MS } from '../support/ava/patience.ts';
import { OwnScope } from '../support/ava/scope.ts';
import { accepted, type System } from '../support/bmcs/installing.ts';
import { ended, seen } from '../support/faults/workload.ts';
import { type DaemonProcess, startDaemonProcess } from '../support/servers/daemon.ts';
import { startSource } from '../support/servers/source.ts';
import { smallModel, TwinMachine } from '../support/twin/twin-machine.ts';

interface Scene {
  scope: OwnScope;
  daemon: DaemonProcess;
  base: string;
  twin: TwinMachine;
  node: string;
}

/** One for all: each test gets a copy of its context. */
const scene = { scope: new OwnScope() } as Scene;

test.before(async () => {
  const { scope } = scene;
  const daemon = await startDaemonProcess(scope, { config: { southboundKeys: 'require' } });
  const base = daemon.southboundUrl('');
  Object.assign(scene, { daemon, base });
  open(new TwinMachine({ base }));
  scene.node = await seen(async () => (await daemon.api('GET', '/nodes?type=compute')).body[0]?.id as string);
  await seen(async () => {
    const { body } = await daemon.api('GET', `/nodes/${scene.node}/workflows`);
    return body.length > 0 && !['pending', 'running'].includes(body[0].status);
  });
  await daemon.api('PUT', `/nodes/${scene.node}/obm`, { service: 'noop-obm-service', config: {} });
});
test.after.always(() => scene.scope.close());

function open(twin: TwinMachine): void {
  scene.twin = twin;
  scene.scope.teardown(() => twin.close());
}

async function catalog(source: string) {
  const { daemon, node } = scene;
  return (await daemon.api('GET', `/nodes/${node}/catalogs/${source}`)).body.data;
}

async function workflow(id: string) {
  return (await scene.daemon.api('GET', `/workflows/${id}`)).body;
}

/** Launches the graph and restarts the machine once it waits at the label. */
async function launched(t: ExecutionContext, graph: string, label: string, options: object): Promise<string> {
  const { daemon, node, twin } = scene;
  const { status, body } = await daemon.api('POST', `/nodes/${node}/workflows?name=${graph}`, { options });
  t.is(status, 201, JSON.stringify(body));
  await reached(body.id, label);
  await twin.machine.reboot('test');
  return body.id;
}

const reached = (id: string, label: string) =>
  seen(async () => {
    const { tasks, status } = await workflow(id);
    const state = tasks.find((task: { label: string }) => task.label === label)?.state;
    if (!['pending', 'running'].includes(status)) throw new Error(`the workflow is ${status}`);
    return state === 'waiting' || state === 'running';
  });

async function finished(id: string) {
  await ended(scene.daemon, id, WAIT_MS);
  return workflow(id);
}

async function succeeded(t: ExecutionContext, id: string) {
  const row = await finished(id);
  const evidence = [row.error, row.tasks, scene.twin.problems, scene.twin.state];
  t.is(row.status, 'succeeded', JSON.stringify(evidence, null, 1));
  return row;
}

test.serial('a machine is discovered by its agent; its catalogs agree with each other', async (t) => {
  const { daemon, node, twin } = scene;
  const { facts } = twin.machine;
  const [discovery] = (await daemon.api('GET', `/nodes/${node}/workflows`)).body;
  t.like(discovery, { injectableName: 'Graph.SKU.Discovery', status: 'succeeded' });
  t.deepEqual(
    discovery.tasks.filter(({ state }: { state: string }) => state === 'failed'),
    [],
    JSON.stringify(twin.problems),
  );
  const dmi = await catalog('dmi');
  t.like(dmi['System Information'], {
    'Product Name': smallModel.product,
    'Serial Number': facts.serial,
    UUID: facts.uuid,
  });
  t.is(dmi['Memory Device'].length, smallModel.memory.modules);
  t.like(await catalog('ohai'), {
    dmi: { system: { serial_number: facts.serial } },
    network: { interfaces: { eno1: { mac: facts.macs[0] } } },
  });
  t.like(await catalog('bmc'), { 'IP Address': facts.bmcAddress, 'MAC Address': facts.bmcMac });
  t.like(await catalog('lshw'), { serial: facts.serial, configuration: { uuid: facts.uuid } });
  const drives = await catalog('driveId');
  const { blockdevices } = await catalog('lsblk');
  const serials = (list: { serial: string }[]) => list.map(({ serial }) => serial);
  t.deepEqual(serials(drives), ['SN-NVME0N1', 'SN-SDA', 'SN-SDB']);
  t.deepEqual(serials(blockdevices), serials(drives));
});

test.serial(
  'drives are erased once, although the agent and then the twin die during it, and the certificate says so',
  async (t) => {
    const { daemon, base, twin } = scene;
    const eraseSettings = [
      { disks: ['sda'], tool: 'scrub', arg: 'nnsa' },
      { disks: ['nvme0n1'], tool: 'nvme_format' },
      { disks: ['sdb'], tool: 'sg_sanitize', arg: 'crypto' },
    ];
    const id = await launched(t, 'Graph.Drive.SecureErase', 'bootstrap', {
      'drive-secure-erase': { eraseSettings },
      'disk-scan-delay': { duration: 10 },
    });
    await seen(async () => twin.state.jobs.length === 3);
    const task = async () =>
      (await workflow(id)).tasks.find((one: { label: string }) => one.label === 'drive-secure-erase');
    await seen(async () => (await task()).progress?.value > 0);
    const { value } = (await task()).progress;
    twin.machine.restartPhase();
    await seen(async () => (await task()).progress.value > value);
    await twin.close();
    const time = FieldTime.from(600, twin.machine.around.time.basis);
    open(new TwinMachine({ base, state: JSON.parse(twin.saved), time }));
    const next = scene.twin;
    next.ledger.push(...twin.ledger);
    const row = await succeeded(t, id);
    const { body } = await daemon.api('GET', `/workflows/${id}/certificate`);
    const records = body.certificate?.drives ?? body.drives;
    t.is(records?.length, 3, JSON.stringify(body));
    t.like(records[0], { devName: 'sda', serial: 'SN-SDA', level: 'Clear', result: 'sanitized', errors: [] });
    t.like(records[0].verification, { result: 'passed', samples: 64, matching: 64, unchanged: 0 });
    t.like(records[1], { devName: 'nvme0n1', level: 'Clear', result: 'sanitized' });
    t.like(records[2], { devName: 'sdb', level: 'Purge', result: 'sanitized' });
    // Four passes of ten minutes of the field each, by the clock of the host; its stamps are whole seconds.
    const seconds = (Date.parse(records[0].endedAt) - Date.parse(records[0].startedAt)) / 1000;
    t.true(Math.abs(seconds - (4 * 600) / time.basis.speed) <= 1, `${seconds}`);
    t.deepEqual(next.lines('erase').sort(), [
      'nvme0n1 nvme_format user-data: begun',
      'nvme0n1 nvme_format user-data: done',
      'sda scrub nnsa: begun',
      'sda scrub nnsa: done',
      'sdb sg_sanitize crypto: begun',
      'sdb sg_sanitize crypto: done',
    ]);
    t.is(next.drive('sda')?.content, 'every byte is 0x00');
    t.is(row.progress.percentage, '100%');
  },
);

test.serial('a cancel stops an erase, and the drive has a part of it', async (t) => {
  const { daemon, node, twin } = scene;
  twin.ledger.length = 0;
  const id = await launched(t, 'Graph.Drive.SecureErase', 'bootstrap', {
    'drive-secure-erase': { eraseSettings: [{ disks: ['sda'], arg: 'gutmann' }] },
    'disk-scan-delay': { duration: 10 },
  });
  await seen(async () => twin.lines('erase').length === 1);
  await daemon.api('PUT', `/nodes/${node}/workflows/action`, { command: 'cancel' });
  const row = await finished(id);
  t.is(row.status, 'cancelled');
  t.regex(JSON.stringify(row.tasks), /sda: scrub was stopped; a part of the drive is overwritten/);
  t.deepEqual(twin.lines('erase'), ['sda scrub gutmann: begun', 'sda scrub gutmann: stopped']);
  t.regex(twin.drive('sda')?.content ?? '', /^a part of scrub/);
});

const installations: [graph: string, label: string, system: System, name: string][] = [
  ['Graph.InstallCentOS', 'install-os', 'centos', 'rhel'],
  ['Graph.InstallRHEL', 'install-os', 'centos', 'rhel'],
  ['Graph.InstallDebian', 'install-debian', 'debian', 'debian'],
  ['Graph.InstallUbuntu', 'install-ubuntu', 'ubuntu', 'ubuntu'],
  ['Graph.InstallESXi', 'install-os', 'esxi', 'esxi'],
];

for (const [graph, label, system, name] of installations) {
  test.serial(`${graph}: the installer takes the named disk, and the new system reports its first boot`, async (t) => {
    const { twin, scope } = scene;
    twin.ledger.length = 0;
    const source = await startSource({ '/boot.cfg': 'bootstate=0\nkernel=/b.b00\nmodules=/jumpstrt.gz\nbuild=\n' });
    scope.teardown(() => source.close());
    const { bootFiles: _, ...given } = accepted[system];
    const options = {
      [label]: { ...given, installDisk: 'sdb', repo: source.url },
      ...(system === 'esxi' && { 'analyze-repo': { repo: source.url, version: '8' } }),
    };
    const id = await launched(t, graph, label, options);
    await succeeded(t, id);
    t.deepEqual(twin.lines('install'), [`sdb ${name}: begun`, `sdb ${name}: done`]);
    t.like(twin.drive('sdb')?.system, { name, callbacks: [] });
    t.regex(twin.drive('sdb')?.system?.hostname ?? '', /^node-1/);
    t.is(twin.lines('power').filter((line) => line === 'reboot: done').length, 2, 'by the test, and by the installer');
  });
}

test.serial('an installer that misses its disk reports the failure', async (t) => {
  const { twin } = scene;
  const drive = twin.drive('sdb');
  twin.ledger.length = 0;
  Object.assign(drive ?? {}, { isMissing: true });
  const { bootFiles: _, ...given } = accepted.centos;
  const id = await launched(t, 'Graph.InstallRHEL', 'install-os', { 'install-os': { ...given, installDisk: 'sdb' } });
  const row = await finished(id);
  t.is(row.error?.code, 'INSTALL_FAILED');
  t.deepEqual(twin.lines('install'), ['no drive rhel: failed']);
  delete drive?.isMissing;
});

test.serial('an image is written, and its system reports; one that is absent is rejected', async (t) => {
  const { twin, scope } = scene;
  twin.ledger.length = 0;
  const server = createServer(({ url }, response) => {
    response.statusCode = url === '/system.raw' ? 200 : 404;
    response.setHeader('content-length', 3_000_000_000).end();
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  scope.teardown(() => server.close());
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const write = (image: string) => ({
    'write-image': { image, sha256: 'ab'.repeat(32), disk: 'sda', hostname: 'imaged', rootPassword: 'r00t-pa55' },
    'disk-scan-delay': { duration: 10 },
  });
  const absent = await launched(t, 'Graph.InstallOs.Image', 'bootstrap', write(`${url}/none.raw`));
  const rejected = await finished(absent);
  t.is(rejected.error?.code, 'IMAGE_UNAVAILABLE', JSON.stringify(rejected.error));
  t.deepEqual(twin.lines('install'), ['sda image none.raw: begun', 'sda image none.raw: failed']);
  twin.ledger.length = 0;

  const id = await launched(t, 'Graph.InstallOs.Image', 'bootstrap', write(`${url}/system.raw`));
  await reached(id, 'first-boot');
  await twin.machine.reboot('test');
  const row = await succeeded(t, id);
  const { output } = row.tasks.find(({ label }: { label: string }) => label === 'write-image');
  t.like(output, { devName: 'sda', length: 3_000_000_000, sha256: 'ab'.repeat(32), grown: 'sda2' });
  t.deepEqual(twin.lines('install'), ['sda image system.raw: begun', 'sda image system.raw: done']);
  t.like(twin.drive('sda'), { content: `image ${'ab'.repeat(32)}`, system: { hostname: 'imaged', callbacks: [] } });
});
