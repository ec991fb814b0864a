/** A pull creates and changes nodes as NetBox has their devices. */
import test from 'ava';
import { pull } from '../../../api/cli/netbox/sync-netbox.ts';
import { rackPicture } from '../../../api/console/pages/node/rack-picture.ts';
import type { NodeRecord } from '../../../engine/api-port/index.ts';
import { objectIn } from '../../../engine/vocabulary/json.ts';
import { netBoxScene, pullRequest, twoServers, wholePage } from './scene.ts';

const actions = (rows: readonly { name: string; action: string }[]) => rows.map(({ name, action }) => [name, action]);

test('devices become nodes with MACs, places and facts, as the drawing of a rack shows them, and a second pull changes nothing', async (t) => {
  const { it, fake, sides, nodeCalled } = await netBoxScene(t);
  fake.add(...twoServers, { id: 9, name: 'sw-1', role: 'switch', macs: ['02:00:00:00:09:01'] });
  const dry = await pull(sides, pullRequest, true);
  t.deepEqual(actions(dry), [
    ['R7', 'create'],
    ['srv-01', 'create'],
    ['srv-02', 'create'],
  ]);
  t.is((await it.engine.nodes.list(wholePage)).total, 0, 'a plan changes nothing');
  t.deepEqual(await pull(sides, pullRequest), dry);
  const [rack, one, two] = await Promise.all(['R7', 'srv-01', 'srv-02'].map(nodeCalled));
  t.deepEqual(two?.identifiers, ['netbox-device-2', '02:00:00:00:02:01', '02:00:00:00:02:02']);
  const picture = rackPicture(
    rack as NodeRecord,
    new Map([one, two].map((node) => [node?.id ?? '', node as NodeRecord])),
  );
  t.deepEqual(
    picture.boxes.map(({ node, unit }) => [node.name, unit]),
    [
      ['R7', undefined],
      ['srv-02', 13],
      ['srv-01', 12],
    ],
  );
  const catalog = await it.engine.catalogs.latestOf(one?.id ?? '', 'netbox');
  t.like(catalog?.data, {
    serial: 'SN-01',
    assetTag: 'A-1',
    site: 'fra1',
    rack: 'R7',
    position: 12,
    face: 'front',
    deviceType: 'r650',
  });
  t.deepEqual(actions(await pull(sides, pullRequest)), [
    ['srv-01', 'none'],
    ['srv-02', 'none'],
  ]);
  t.is((await it.engine.catalogs.all(wholePage)).total, 2);
  t.is(fake.writes.all.filter(({ request }) => request.includes('/dcim/')).length, 0, 'NetBox is only read');
});

test('a discovered node is found by its MAC or serial number, and gets its name, rack and unit; a move in NetBox moves it', async (t) => {
  const { it, fake, sides, nodeCalled } = await netBoxScene(t);
  const byMac = await it.engine.nodes.create({
    type: 'compute',
    name: '020000000101',
    identifiers: ['020000000101'],
    tags: ['u3', 'gpu'],
  });
  const bySerial = await it.engine.nodes.create({ type: 'compute', name: 'x' });
  await it.engine.catalogs.add(bySerial.id, 'dmi', { 'System Information': { 'Serial Number': 'SN-03' } });
  await it.until(async () => (await it.engine.nodes.find(bySerial.id))?.serial === 'SN-03');
  const rack = await it.engine.nodes.create({ type: 'rack', name: 'R7' });
  fake.add(twoServers[0], { id: 3, name: 'srv-03', serial: 'SN-03', rack: { id: 8, name: 'R8' }, position: 1 });
  await pull(sides, pullRequest);
  const [one, three] = await Promise.all(['srv-01', 'srv-03'].map(nodeCalled));
  t.deepEqual([one?.id, three?.id], [byMac.id, bySerial.id]);
  t.deepEqual(one?.tags, ['gpu', 'u12']);
  t.deepEqual(one?.relations, [{ relationType: 'containedBy', targets: [rack.id] }]);
  objectIn(fake.devices.get(1)).rack = { id: 8, name: 'R8' };
  objectIn(fake.devices.get(1)).position = 4;
  await pull(sides, pullRequest);
  const moved = await nodeCalled('srv-01');
  t.deepEqual(moved.tags, ['gpu', 'u4']);
  t.deepEqual(moved.relations, [{ relationType: 'containedBy', targets: [(await nodeCalled('R8')).id] }]);
});

test('a device is skipped with the reason if its node is not certain', async (t) => {
  const { it, fake, sides } = await netBoxScene(t);
  const swapped = await it.engine.nodes.create({
    type: 'compute',
    name: 'swapped',
    identifiers: ['02:00:00:00:01:01'],
  });
  await it.engine.catalogs.add(swapped.id, 'dmi', { 'System Information': { 'Serial Number': 'OTHER' } });
  await it.until(async () => (await it.engine.nodes.find(swapped.id))?.serial === 'OTHER');
  for (const n of [5, 6])
    await it.engine.nodes.create({ type: 'compute', name: `n${n}`, identifiers: [`02:00:00:00:05:0${n}`] });
  fake.add(
    twoServers[0],
    { id: 2, name: 'no-mac' },
    { id: 3, name: 'twin-a', macs: ['02:00:00:00:03:01'] },
    { id: 4, name: 'twin-b', macs: ['02:00:00:00:03:01'] },
    { id: 5, name: 'two-nodes', macs: ['02:00:00:00:05:05', '02:00:00:00:05:06'] },
  );
  const rows = await pull(sides, pullRequest);
  t.deepEqual(
    rows.map(({ name, action, remarks }) => [name, action, remarks[0]]),
    [
      ['srv-01', 'skip', "its serial number is SN-01, but the machine's is OTHER: was it swapped?"],
      ['no-mac', 'skip', 'none of its interfaces has a MAC, and no node has its serial number'],
      ['twin-a', 'skip', '02:00:00:00:03:01 is also that of twin-b (device 4)'],
      ['twin-b', 'skip', '02:00:00:00:03:01 is also that of twin-a (device 3)'],
      ['two-nodes', 'skip', 'it is linked to, or shares MACs with, several nodes: n5, n6'],
    ],
  );
  t.is((await it.engine.nodes.list(wholePage)).total, 3);
});

test('the BMC of a node follows the OOB address with the given credentials, and its owner the tenant', async (t) => {
  const { it, fake, sides, nodeCalled } = await netBoxScene(t);
  await it.engine.teams.create({ name: 'storage' });
  fake.add({ ...twoServers[0], oobIp: '10.0.0.11/24', tenant: 'storage' }, { ...twoServers[1], tenant: 'unknown' });
  const obm = { service: 'redfish-obm-service' as const, config: { username: 'root', password: 'calvin-and-more' } };
  const request = { ...pullRequest, owners: true, obm };
  const rows = await pull(sides, request);
  t.notRegex(JSON.stringify(rows), /calvin/);
  t.deepEqual(rows.at(-1)?.remarks, ['there is no team unknown; nw team add unknown creates it']);
  const hosts = async () => (await it.engine.obms.list(wholePage)).items.map(({ config }) => config.host);
  t.is((await nodeCalled('srv-01')).owner, 'storage');
  t.deepEqual(await hosts(), ['10.0.0.11']);
  t.deepEqual(actions(await pull(sides, request)), [
    ['srv-01', 'none'],
    ['srv-02', 'none'],
  ]);
  objectIn(fake.devices.get(1)).oob_ip = { id: 2, address: '10.0.0.12/24' };
  const [row] = await pull(sides, pullRequest);
  t.regex(row?.remarks[0] ?? '', /its BMC is at 10\.0\.0\.12, but the obm leads to 10\.0\.0\.11/);
  t.deepEqual(await hosts(), ['10.0.0.11']);
  await pull(sides, request);
  t.deepEqual(await hosts(), ['10.0.0.12']);
});

test('names and texts of NetBox get limits and lose control characters, and a device that the daemon rejects does not keep the others', async (t) => {
  const { fake, sides, nodeCalled } = await netBoxScene(t);
  const identifiers = ['02:00:00:00:08:01'];
  fake.add(
    { id: 1, name: `\u001b[2Jevil\u0000\u202e${'x'.repeat(5_000)}`, macs: identifiers },
    { id: 2, name: null, macs: ['02:00:00:00:02:01', 'no mac', '__proto__'] },
    { ...twoServers[0], id: 3, oobIp: 'no address; rm -rf' },
  );
  const obm = { service: 'redfish-obm-service' as const, config: { username: 'root', password: 'secret-word' } };
  const rows = await pull(sides, { ...pullRequest, obm });
  const evil = rows.find(({ device }) => device === 1)?.name ?? '';
  t.regex(evil, /^evil +x+$/);
  t.is(evil.length, 200);
  t.deepEqual((await nodeCalled('netbox-device-2')).identifiers, ['netbox-device-2', '02:00:00:00:02:01']);
  const rejected = rows.find(({ device }) => device === 3);
  t.is(rejected?.action, 'rejected');
  t.notRegex(JSON.stringify(rejected), /secret-word/);
});
