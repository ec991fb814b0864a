/** /baselines: the firmware that the nodes of a SKU must have, and the nodes that differ, as users see them. */
import test from 'ava';
import { openApi } from '../support/servers/api.ts';

const drive = { kind: 'nvme', model: 'Flash 1', version: 'F2', file: 'f2.bin', sha256: 'a'.repeat(64) };
const firmware = [{ component: 'BMC', version: '7.10', file: 'bmc.bin' }];

test('a manager keeps baselines, and an operator reads who differs', async (t) => {
  const { send, as, engine } = await openApi(t);
  const [token, operator] = [await as('Administrator'), await as('Operator')];
  const call = (method: string, path: string, body?: unknown, by = token) =>
    send(method, `/api/current/baselines${path}`, { token: by, ...(body !== undefined && { body }) });
  const rules = [{ path: 'redfish-firmware' }];
  const { id: sku } = await engine.skus.create({ name: 'r650', rules });
  t.is((await call('POST', '', { name: 'b', sku, firmware }, operator)).status, 403);
  t.is((await call('POST', '', { name: 'b', sku: 'none', firmware })).status, 404);
  const made = await call('POST', '', { name: 'b', sku, firmware });
  t.is(made.status, 201);
  const { id } = made.body;
  t.is(made.headers.get('location'), `/api/2.0/baselines/${id}`);
  t.like(made.body, { name: 'b', sku, firmware, bios: {}, createdBy: 'Administrator' });
  t.is((await call('GET', `/${id}/rollout`)).status, 409);

  const versions = ['7.10', '6.0', '6.0'];
  const nodes = await Promise.all(versions.map((_, n) => engine.nodes.create({ type: 'compute', name: `n${n}` })));
  for (const [n, { id: node }] of nodes.entries())
    await engine.catalogs.add(node, 'redfish-firmware', [{ Id: 'BMC', Version: versions[n] }] as never);
  const drift = await call('GET', `/${id}/drift`, undefined, operator);
  t.is(drift.body.length, 3);
  const differing = await call('GET', `/${id}/drift?state=differs&$top=1`, undefined, operator);
  t.is(differing.headers.get('x-total-count') ?? '2', '2');
  t.like(differing.body, {
    length: 1,
    0: { state: 'differs', differences: [{ kind: 'firmware', name: 'BMC', expected: '7.10', found: '6.0' }] },
  });
  const { body: rollout } = await call('GET', `/${id}/rollout`, undefined, operator);
  t.like(rollout, {
    name: 'b',
    graph: 'Graph.Baseline.Apply',
    options: { compare: { firmware, bios: {}, inBand: [] } },
  });
  t.deepEqual(rollout.targets.nodes.sort(), [nodes[1]?.id, nodes[2]?.id].sort());

  t.like((await call('PATCH', `/${id}`, { bios: { BootMode: 'Uefi' } })).body, {
    firmware,
    bios: { BootMode: 'Uefi' },
  });
  // The BIOS of these nodes was never read.
  t.is((await call('GET', `/${id}/drift?state=unknown`)).body.length, 3);
  t.is((await call('DELETE', `/${id}`)).status, 204);
  for (const path of ['', '/drift', '/rollout']) t.is((await call('GET', `/${id}${path}`)).status, 404);
});

test('drives that are updated in band differ by their catalog, and are not known without one', async (t) => {
  const { send, as, engine } = await openApi(t);
  const token = await as('Administrator');
  const call = (method: string, path: string, body?: unknown) =>
    send(method, `/api/current/baselines${path}`, { token, ...(body !== undefined && { body }) });
  const { id: sku } = await engine.skus.create({ name: 'r650', rules: [{ path: 'dmi' }] });
  const nodes = await Promise.all([0, 1, 2].map((n) => engine.nodes.create({ type: 'compute', name: `n${n}` })));
  const [fresh, old, unread] = nodes.map(({ id }) => id) as [string, string, string];
  for (const node of [fresh, old, unread]) await engine.catalogs.add(node, 'dmi', { is: 'here' });
  const read = (node: string, version: string) => {
    const drive = { device: { protocol: 'NVMe' }, model_name: 'Flash 1', firmware_version: version };
    return engine.catalogs.add(node, 'smart', { nvme0n1: drive });
  };
  await Promise.all([read(fresh, 'F2'), read(old, 'F1')]);
  const { id, inBand: stored } = (await call('POST', '', { name: 'b', sku, inBand: [drive] })).body;
  t.deepEqual(stored, [drive]);
  const drift = new Map((await call('GET', `/${id}/drift`)).body.map((one: { node: string }) => [one.node, one]));
  t.like(drift.get(fresh), { state: 'matches', differences: [], lacks: [] });
  t.like(drift.get(unread), { state: 'unknown', differences: [], lacks: ['smart'], readAt: null });
  t.like(drift.get(old), {
    state: 'differs',
    differences: [{ kind: 'nvme', name: 'Flash 1', expected: 'F2', found: 'F1' }],
  });
  const rollout = async (query: string) => (await call('GET', `/${id}/rollout${query}`)).body;
  const options = { compare: { firmware: [], bios: {}, inBand: [drive] } };
  t.like(await rollout(''), { options, targets: { nodes: [old] } });
  t.like(await rollout('?state=unknown'), { options, targets: { nodes: [unread] } });
  t.is((await call('GET', `/${id}/rollout?state=matches`)).status, 400);
});

test('a baseline that makes no sense is rejected with the path, and nothing is stored', async (t) => {
  const { send, as, engine } = await openApi(t);
  const token = await as('Administrator');
  const { id: sku } = await engine.skus.create({ name: 'r650', rules: [{ path: 'dmi' }] });
  const [first] = firmware;
  const wrong: [object, string][] = [
    [{}, 'firmware'],
    [{ firmware: [first, first] }, 'firmware.1.component'],
    [{ firmware: [{ ...first, image: 'http://10.1.1.1/x' }] }, 'firmware.0.image'],
    [{ firmware: [{ component: 'BMC', version: '1', sha256: 'a'.repeat(64) }] }, 'firmware.0.image'],
    [{ bios: { $where: 1 } }, 'bios'],
    [{ inBand: [drive, drive] }, 'inBand.1.model'],
    [{ inBand: [{ ...drive, kind: 'package' }] }, 'inBand.0.package'],
    [{ inBand: [{ ...drive, sha256: 'a' }] }, 'inBand.0.sha256'],
  ];
  for (const [more, path] of wrong) {
    const { status, body } = await send('POST', '/api/current/baselines', { token, body: { name: 'b', sku, ...more } });
    t.is(status, 400, path);
    t.is(body.errors[0].path, path);
  }
  t.is((await engine.baselines.list({ skip: 0, limit: 1, filter: {} })).total, 0);
});
