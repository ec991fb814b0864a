/**
 * A machine from its power button to its certificate, with the parts of a real one only: a BMC, PXE, iPXE, a
 * microkernel with the agent, and drives.
 */
import { execFileSync } from 'node:child_process';
import type { ExecutionContext } from 'ava';
import { needing } from '../support/ava/needs.ts';
import { onPath } from '../support/ava/on-path.ts';
import { WAIT_MS } from '../support/ava/patience.ts';
import type { Scope } from '../support/ava/scope.ts';
import { HOST, type Machine, noMachine, openMachine } from '../support/bmcs/machine.ts';
import { ended, seen } from '../support/faults/workload.ts';
import { type DaemonProcess, startDaemonProcess } from '../support/servers/daemon.ts';
import { freePort } from '../support/servers/server.ts';

const test = needing(noMachine, 'machine');
const checking = needing(onPath('shellcheck') === undefined ? 'shellcheck is not installed' : undefined);

checking.serial('shellcheck finds nothing in the scripts that build and start the microkernel', (t) => {
  const files = ['build.sh', 'init', 'lease'].map((name) => `fixtures/microkernel/${name}`);
  t.notThrows(() => execFileSync('shellcheck', ['-s', 'sh', ...files]));
});

/** The superblock of Linux's RAID, version 1.2. */
const SUPERBLOCK = { at: 4096, magic: 0xa92b4efc };

interface Scene {
  daemon: DaemonProcess;
  machine: Machine;
}

async function scene(t: Scope): Promise<Scene> {
  const port = await freePort();
  const daemon = await startDaemonProcess(t, { port, config: { servicePublicIp: HOST, southboundKeys: 'require' } });
  const machine = await openMachine(t, port);
  for (const [name, bytes] of Object.entries(machine.files)) {
    await daemon.api('PUT', `/files/common%2F${name}`, bytes);
  }
  return { daemon, machine };
}

/** Switched on by hand, like a new machine in a rack. @returns its node */
async function discovered({ daemon, machine }: Scene): Promise<string> {
  await machine.bmc.tool('chassis', 'bootdev', 'pxe');
  await machine.bmc.tool('chassis', 'power', 'on');
  const { id } = await seen(async () => {
    const { status, body } = await daemon.api('GET', `/nodes/${machine.mac}`);
    return status === 200 && body;
  });
  // The node is created first; its discovery begins a moment later.
  const workflow = await seen(async () => {
    const { body } = await daemon.api('GET', `/nodes/${id}/workflows`);
    return (body as unknown as { id: string }[])[0];
  });
  await ended(daemon, workflow.id, 2 * WAIT_MS);
  return id;
}

test.serial(
  'a new machine is discovered, erased in spite of a death of the daemon, certified, and its drives are mirrored',
  async (t) => {
    const own = await scene(t);
    const { daemon, machine } = own;
    const node = await discovered(own);
    const catalog = async (source: string) => (await daemon.api('GET', `/nodes/${node}/catalogs/${source}`)).body.data;
    t.like((await catalog('dmi'))['System Information'], { Manufacturer: 'Example', 'Serial Number': 'SN-1' });
    t.like(await catalog('driveId'), [
      { devName: 'sda', esxiWwid: 'naa.5000c500000000bb', protocol: 'ata', serial: 'ATA-0001' },
      { devName: 'nvme0n1', protocol: 'nvme', serial: 'NVME-0001' },
    ]);

    const { config } = machine.bmc;
    await daemon.api('PUT', `/nodes/${node}/obm`, { service: 'ipmi-obm-service', config });
    machine.bmc.forget();
    const eraseSettings = [{ disks: ['sda'] }, { disks: ['nvme0n1'], tool: 'nvme_format' }];
    const options = { 'drive-secure-erase': { eraseSettings }, 'disk-scan-delay': { duration: 1_000 } };
    const { status, body } = await daemon.api('POST', `/nodes/${node}/workflows?name=Graph.Drive.SecureErase`, {
      options,
    });
    t.is(status, 201, JSON.stringify(body));
    await seen(async () => {
      const { tasks } = (await daemon.api('GET', `/workflows/${body.id}`)).body;
      return tasks.some(
        ({ label, state }: Record<string, string>) => label === 'drive-secure-erase' && state === 'running',
      );
    }, 2 * WAIT_MS);
    await daemon.kill('SIGKILL');
    await daemon.start();
    const row = await ended(daemon, body.id, 2 * WAIT_MS);
    t.is(row.status, 'succeeded', `${JSON.stringify(row.tasks)} ${machine.console().slice(-2_000)}`);

    for (const name of ['sda', 'nvme0n1'] as const) t.true(machine.drive(name).every((byte) => byte === 0));
    t.deepEqual(machine.bmc.ledger, ['boot pxe', 'power 0', 'power 1', 'power 0', 'power 1']);
    const { certificate } = (await daemon.api('GET', `/workflows/${body.id}/certificate`)).body;
    t.like(certificate, { sanitized: true, operator: 'tester', node: { id: node, serial: 'SN-1' } });
    t.deepEqual(certificate.agent, { knownBy: 'key' }, 'by the key on its kernel command line');
    t.like(certificate.drives, [
      { devName: 'sda', serial: 'ATA-0001', tool: 'scrub', result: 'sanitized', level: 'Clear' },
      { devName: 'nvme0n1', serial: 'NVME-0001', tool: 'nvme', result: 'sanitized', level: 'Clear' },
    ]);
    await mirrored(t, own, node);
  },
);

/** Makes a mirror of both drives by mdadm. */
async function mirrored(t: ExecutionContext, { daemon, machine }: Scene, node: string): Promise<void> {
  const serials = ['ATA-0001', 'NVME-0001'];
  const configure = { tool: 'mdadm', volumes: [{ name: 'system', raid: 'RAID1', serials }] };
  const options = { configure, 'disk-scan-delay': { duration: 1_000 } };
  const launched = await daemon.api('POST', `/nodes/${node}/workflows?name=Graph.Raid.Configure.InBand`, { options });
  t.is(launched.status, 201, JSON.stringify(launched.body));
  const row = await ended(daemon, launched.body.id, 2 * WAIT_MS);
  t.is(row.status, 'succeeded', `${JSON.stringify(row.tasks)} ${machine.console().slice(-2_000)}`);
  for (const name of ['sda', 'nvme0n1'] as const) {
    const superblock = machine.drive(name).subarray(SUPERBLOCK.at);
    t.is(superblock.readUInt32LE(0), SUPERBLOCK.magic);
    t.regex(superblock.subarray(32, 64).toString('latin1'), /^any:system\0/);
  }
}
