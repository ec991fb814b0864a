/** `nw twin` beside a real daemon: machines are discovered, an erase survives every kill, and mistakes are refused. */
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import test from 'ava';
import type { ConfigFile } from '../../../engine/platform/config/config.ts';
import { folder } from '../../support/ava/folder.ts';
import { WAIT_MS } from '../../support/ava/patience.ts';
import { cliDaemon } from '../../support/console/cli-scene.ts';
import { type CommandLine, commandLine } from '../../support/console/command-line.ts';
import { seen } from '../../support/faults/workload.ts';
import { type DaemonProcess, startDaemonProcess } from '../../support/servers/daemon.ts';
import { freePort } from '../../support/servers/server.ts';

type HttpEndpointSetting = NonNullable<ConfigFile['httpEndpoints']>[number];

interface Line {
  machine: string;
  kind: string;
  what: string;
  outcome: string;
}

const ledgerOf = (data: string): Line[] =>
  readFileSync(join(data, 'ledger.jsonl'), 'utf8')
    .split('\n')
    .filter(Boolean)
    .map((line) => JSON.parse(line));

/** Machines are on addresses that only this test uses: its seed and its port. */
async function twinOn(nw: CommandLine, data: string, port: number, ...more: string[]) {
  const twin = nw.start('twin', '--data', data, '--speed', '240', '--port', String(port), ...more);
  await twin.stdout.until((all) => all.some((text) => text.includes('machines, seed')));
  return twin;
}

async function nodesOf({
  api,
}: DaemonProcess): Promise<{ id: string; name: string; obms: object[]; catalogs: object[] }[]> {
  return (await api('GET', '/nodes?type=compute')).body;
}

test('machines are discovered with their obms and racks, and an erase continues whatever is killed', async (t) => {
  t.timeout(6 * WAIT_MS);
  const endpoint = async (
    routers: HttpEndpointSetting['routers'],
    authEnabled: boolean,
  ): Promise<HttpEndpointSetting> => ({
    address: '127.0.0.1',
    port: await freePort(),
    routers,
    authEnabled,
  });
  const httpEndpoints = [await endpoint('northbound-api-router', true), await endpoint('southbound-api-router', false)];
  const daemon = await startDaemonProcess(t, { config: { httpEndpoints } });
  const nw = commandLine(t, daemon);
  const [data, port] = [join(folder(t), 'twin'), await freePort()];
  const first = await twinOn(nw, data, port, '--nodes', '3', '--seed', '77', '--racks');
  await seen(async () => {
    const found = await nodesOf(daemon);
    return found.length === 3 && found.every(({ obms, catalogs }) => obms.length === 1 && catalogs.length >= 5);
  });
  const machines = JSON.parse(readFileSync(join(data, 'machines.json'), 'utf8')) as { name: string; bmc: string }[];
  t.deepEqual(
    machines.map(({ name }) => name),
    ['r01s01', 'r01s02', 'r01s03'],
  );
  t.is((await daemon.api('GET', '/nodes?type=rack')).body[0].relations[0].relationType, 'encloses');
  const [pdu] = (await daemon.api('GET', '/nodes?type=pdu')).body;
  const { body: reading } = await daemon.api('POST', `/nodes/${pdu.id}/workflows?name=Graph.Snmp.Discovery`, {});
  await seen(async () => (await daemon.api('GET', `/workflows/${reading.id}`)).body.status === 'succeeded');
  t.is((await daemon.api('GET', `/nodes/${pdu.id}/catalogs/snmp`)).body.data.system.name, 'p01a');
  const [node] = (await nodesOf(daemon)).filter(({ name }) => name === 'r01s01');
  const options = { 'drive-secure-erase': { eraseSettings: [{ disks: ['sda'], tool: 'scrub', arg: 'fillzero' }] } };
  await seen(async () => {
    const { status } = await daemon.api('POST', `/nodes/${node?.id}/workflows?name=Graph.Drive.SecureErase`, {
      options,
    });
    return status === 201;
  });
  await seen(async () => ledgerOf(data).some(({ kind }) => kind === 'erase'));
  first.signal('SIGKILL');
  await first.ended;
  await daemon.kill('SIGKILL');
  // The running agent has URLs of the former southbound endpoint.
  const moved = [httpEndpoints[0], await endpoint('southbound-api-router', false)];
  writeFileSync(
    daemon.file,
    JSON.stringify({ ...JSON.parse(readFileSync(daemon.file, 'utf8')), httpEndpoints: moved }),
  );
  const second = nw.start('twin', '--data', data, '--speed', '240', '--port', String(port));
  await second.stderr.until((all) => all.some((text) => text.includes('Waiting for the daemon')));
  await daemon.start();
  let erase = '';
  await seen(async () => {
    const { body } = await daemon.api('GET', `/nodes/${node?.id}/workflows?name=Secure%20Erase%20Drives`);
    erase = body[0].id;
    return body[0].status === 'succeeded';
  }, 3 * WAIT_MS);
  const erased = ledgerOf(data).filter(({ kind }) => kind === 'erase');
  t.deepEqual(
    erased.map(({ outcome }) => outcome),
    ['begun', 'done'],
  );
  const { status, body: certificate } = await daemon.api('GET', `/workflows/${erase}/certificate`);
  t.is(status, 200, JSON.stringify(certificate));
});

test('a wrong fault, model or option is refused with its place, before anything starts', async (t) => {
  const nw = commandLine(t, await cliDaemon(t));
  const home = folder(t);
  const file = (name: string, text: string) => {
    writeFileSync(join(home, name), text);
    return join(home, name);
  };
  const data = ['--data', join(home, 'twin')];
  for (const [args, told] of [
    [['--faults', file('faults', 'at 1 s: agent r01s01 dies\n\nat 1 s: bmc x melts\n')], /faults:3: unknown fault/],
    [['--models', file('models.json', '["dell-r650", "nothing"]')], /found the model nothing; expected dell-r650/],
    [['--models', file('list.json', '["bad.json"]')], /bad\.json/],
    [['--nodes', '0'], /from 1/],
    [['--speed', 'fast'], /0\.01/],
    [['--url', 'http://192.0.2.1:8080', '--south', 'http://127.0.0.1:9080'], /192\.0\.2\.1.*not on this host/],
    [['--south', 'http://192.0.2.1:9080'], /192\.0\.2\.1.*not on this host/],
    [['--namespace', '--nodes', '1'], /network namespace/],
  ] as const) {
    const { status, stderr, stdout } = await nw.run('twin', ...data, ...args);
    t.is(status, 2, `${args}: ${stdout}${stderr}`);
    t.regex(stderr, told);
  }
});

test('a daemon with other nodes is refused unless told, and another twin than that of the folder', async (t) => {
  const daemon = await cliDaemon(t);
  const nw = commandLine(t, daemon);
  const port = String(await freePort());
  const data = join(folder(t), 'twin');
  await daemon.api('POST', '/nodes', { type: 'rack', name: 'a rack is no machine' });
  const twin = await twinOn(nw, data, Number(port), '--nodes', '1', '--seed', '78', '--power', 'off');
  const busy = await nw.run('twin', '--data', data, '--nodes', '1', '--seed', '78', '--port', port);
  t.regex(busy.stderr, /a twin runs on .* already; end it/);
  twin.signal('SIGTERM');
  t.is((await twin.ended).status, 0);
  const other = await nw.run('twin', '--data', data, '--nodes', '2', '--seed', '78', '--port', port);
  t.is(other.status, 2);
  t.regex(other.stderr, /a twin of 1 machines with the seed 78/);
  await daemon.api('POST', '/nodes', { type: 'compute', name: 'a real one', identifiers: ['aa:bb:cc:dd:ee:01'] });
  const refused = await nw.run('twin', '--data', data, '--port', port);
  t.is(refused.status, 2);
  t.regex(refused.stderr, /a real one.*--beside-others/);
  const beside = await twinOn(nw, data, Number(port), '--beside-others');
  beside.signal('SIGTERM');
  t.is((await beside.ended).status, 0);
});
