/** An erase over the HTTP interface, with a daemon that is killed during it, the real agent and the real scrub. */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { ExecutionContext } from 'ava';
import { needing } from '../support/ava/needs.ts';
import { onPath } from '../support/ava/on-path.ts';
import { startAgent } from '../support/bmcs/agent.ts';
import { Bay, type BayDrive } from '../support/bmcs/bay.ts';
import { ERASE_GRAPH } from '../support/bmcs/erasing.ts';
import { runCommand } from '../support/console/command.ts';
import { commandLine } from '../support/console/command-line.ts';
import { ended, seen } from '../support/faults/workload.ts';
import { type DaemonProcess, startDaemonProcess } from '../support/servers/daemon.ts';
import { freePort } from '../support/servers/server.ts';

const missing = ['scrub', 'setsid', 'curl'].filter((name) => onPath(name) === undefined);
const real = needing(missing.length === 0 ? undefined : `${missing.join(', ')} not installed`);

const drives: BayDrive[] = [
  { name: 'sda', wwn: '5000c500000000aa' },
  { name: 'sdb', wwn: '5000c500000000bb' },
];

interface Scene {
  daemon: DaemonProcess;
  bay: Bay;
  node: string;
  port: number;
}

/** On a fixed port, so that an agent finds the restarted daemon. */
async function scene(t: ExecutionContext): Promise<Scene> {
  const port = await freePort();
  const daemon = await startDaemonProcess(t, { port, config: { log: { level: 'info' } } });
  const bay = new Bay(t, drives);
  const { body } = await daemon.api('POST', '/nodes', { type: 'compute', name: 'one' });
  const node = body.id as string;
  await daemon.api('PUT', `/nodes/${node}/obm`, { service: 'noop-obm-service', config: {} });
  return { daemon, bay, node, port };
}

const launch = ({ daemon, node }: Scene, options: object) =>
  daemon.api('POST', `/nodes/${node}/workflows?name=${ERASE_GRAPH}`, { options });

real.serial('an invalid request is rejected with 400 before anything begins', async (t) => {
  const own = await scene(t);
  const { daemon, bay, node } = own;
  const rejected = async (settings: unknown, reason: RegExp, more: object = {}) => {
    const { status, body } = await launch(own, { 'drive-secure-erase': { eraseSettings: settings }, ...more });
    t.is(status, 400, JSON.stringify(settings));
    t.regex(body.message, reason);
  };
  await rejected([{ disks: ['sda'] }], /no driveId catalog/);
  await daemon.southbound('POST', `/nodes/${node}/catalogs`, { source: 'driveId', data: { ...bay.catalog(drives) } });
  await rejected([{ disks: ['sdz'] }], /sdz names 0 drives/);
  await rejected([{ disks: ['sda', 0] }], /0 is named twice/);
  await rejected([{ disks: ['sda'] }, { disks: ['naa.5000c500000000aa'], tool: 'scrub' }], /is named twice/);
  await rejected([{ disks: ['sda'], tool: 'dd' }], /must be one of/);
  await rejected([{ disks: ['sda'], arg: 'custom=zz' }], /expected one of nnsa/);
  await rejected([{ disks: ['sda'], tool: 'hdparm', arg: 'block' }], /expected one of security-erase/);
  await rejected([{ disks: [] }], /eraseSettings\.0\.disks/);
  await rejected([], /eraseSettings/);
  await rejected([{ disks: ['sda'], passes: 3 }], /is not known here/);
  await rejected([{ disks: ['sda'] }], /duration/, { 'disk-scan-delay': { duration: -1 } });
  t.is((await launch(own, {})).status, 400);
  t.is((await launch(own, { 'drive-secure-erase': { eraseSettings: [{ disks: ['sda'] }], plan: [] } })).status, 400);
  t.is((await launch(own, { 'drive-erase': { eraseSettings: [{ disks: ['sda'] }] } })).status, 400);
  t.deepEqual((await daemon.api('GET', `/nodes/${node}/workflows`)).body, []);
});

real.serial('a daemon that is killed during an erase continues it: scrub ran once on each drive', async (t) => {
  const own = await scene(t);
  const { daemon, bay, node, port } = own;
  bay.counted('scrub');
  await daemon.southbound('POST', `/nodes/${node}/catalogs`, { source: 'driveId', data: { ...bay.catalog(drives) } });
  bay.hold();
  const { status, body } = await launch(own, {
    'drive-secure-erase': { eraseSettings: [{ disks: ['sda', 'sdb'], arg: 'fillff' }] },
    'drive-scan-delay': { duration: 10 },
  });
  t.is(status, 201, JSON.stringify(body));
  startAgent(t, port, node, { env: bay.env });
  await seen(async () => bay.lines().length === 2);
  t.is((await daemon.api('GET', `/workflows/${body.id}/certificate`)).status, 404);
  await daemon.kill('SIGKILL');
  bay.go();
  await daemon.start();
  const row = await ended(daemon, body.id);
  t.is(row.status, 'succeeded', JSON.stringify(row.tasks));
  t.is(bay.lines().length, 2);
  for (const name of ['sda', 'sdb']) t.true(bay.read(name).every((byte) => byte === 0xff));
  const certificate = (await daemon.api('GET', `/workflows/${body.id}/certificate`)).body;
  t.like(certificate.certificate, { operator: 'tester', sanitized: true, node: { id: node, name: 'one' } });
  const [file, key] = ['certificate.json', 'key.json'].map((name) => join(bay.home, name)) as [string, string];
  writeFileSync(file, JSON.stringify(certificate));
  writeFileSync(key, JSON.stringify((await daemon.api('GET', '/certificates/key')).body));
  const { stdout } = runCommand({}, 'certificate', 'verify', file, '--key', key);
  t.regex(stdout, /sdb S-5000c500000000bb: sanitized, Clear/);
  const later = await daemon.api('POST', `/nodes/${node}/workflows?name=Graph.noop-example`, {});
  await ended(daemon, later.body.id);
  const { stdout: ofNode } = await commandLine(t, daemon).run('certificate', 'get', 'one');
  t.deepEqual(JSON.parse(ofNode), certificate, 'the newest one of the node');
});
