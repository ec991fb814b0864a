/** The health of nodes on a store: what is written, what is published, what ends. */
import test, { type ExecutionContext } from 'ava';
import { type AgentSighting, sightingSpec } from '../../../../engine/inventory/agents/agent-sightings.ts';
import { bmcReports } from '../../../../engine/inventory/health/bmc-reports.ts';
import { reportAgents } from '../../../../engine/inventory/health/health-reconcilers.ts';
import { singleNodeCluster } from '../../../../engine/platform/cluster/cluster.ts';
import { localChannels } from '../../../../engine/platform/queue/channel.ts';
import type { HealthState } from '../../../../engine/vocabulary/states.ts';
import { MemoryStore } from '../../../support/engine/memory-store.ts';
import { openSkuProcess } from '../../../support/engine/sku-process.ts';

async function scene(t: ExecutionContext) {
  const store = new MemoryStore();
  const process = await openSkuProcess(t, { store, channel: localChannels(() => {}).channel('skus') });
  const node = await process.node();
  const changes = () => process.told.all.filter(({ action }) => action === 'health.changed');
  const state = async (id = node) => (await process.health.of(id))?.state;
  const reportsOf = async (id = node) => (await process.health.of(id))?.reports ?? [];
  return { ...process, store, node, changes, state, reportsOf };
}

test('a node is unknown until a source reports; each change of its state is one event, with the severity of the state', async (t) => {
  const { health, nodes, node, changes } = await scene(t);
  const { createdAt = '' } = (await nodes.find(node)) ?? {};
  t.deepEqual(await health.of(node), { state: 'unknown', since: createdAt, reports: [] });
  const states: HealthState[] = ['ok', 'ok', 'critical', 'warning', 'unknown'];
  for (const state of states) {
    const { reports, ...said } = (await health.put(node, 'rack', { state, message: `is ${state}` })) ?? {};
    t.like(said, { state });
    t.like(reports, [{ source: 'rack', state, message: `is ${state}`, until: null }]);
    t.is((await nodes.find(node))?.health, state);
    t.is(await health.count(state), 1);
  }
  t.deepEqual(
    changes().map(({ severity, data }) => [data.oldState, (data.health as { state: string }).state, severity]),
    [
      ['unknown', 'ok', 'information'],
      ['ok', 'critical', 'critical'],
      ['critical', 'warning', 'warning'],
      ['warning', 'unknown', 'information'],
    ],
  );
  t.is(await health.put('none', 'rack', { state: 'ok' }), undefined);
  t.is(await health.of('none'), undefined);
});

test('no report of many at the same time, from several processes, is lost', async (t) => {
  const { store, node, health, reportsOf } = await scene(t);
  const other = await openSkuProcess(t, { store, channel: localChannels(() => {}).channel('skus') });
  const names = Array.from({ length: 20 }, (_, n) => `source-${n}`);
  await Promise.all(
    names.map((name, n) => (n % 2 === 0 ? health : other.health).put(node, name, { state: 'warning' })),
  );
  t.deepEqual((await reportsOf()).map(({ source }) => source).sort(), names.sort());
});

test('built-in sources are not overwritten, and a node has a limited number of others', async (t) => {
  const { health, node } = await scene(t);
  for (const source of ['bmc', 'sensors', 'log', 'alert', 'agent', 'sku'])
    await t.throwsAsync(health.put(node, source, { state: 'ok' }), { code: 'CONFLICT' });
  for (let n = 0; n < 50; n += 1) await health.put(node, `s${n}`, { state: 'ok' });
  await t.throwsAsync(health.put(node, 's50', { state: 'ok' }), { code: 'CONFLICT' });
  t.is((await health.put(node, 's49', { state: 'warning' }))?.state, 'warning');
});

test('a report whose time is over ends for its reader immediately, and for lists with the next pass', async (t) => {
  const { health, nodes, stored, node, changes } = await scene(t);
  const report = { state: 'critical', message: 'too warm', until: '2020-01-01T00:00:00.000Z' } as const;
  const hot = { source: 'log', key: 'Temp', report };
  await health.report({ node, changes: [hot] });
  t.is((await nodes.find(node))?.health, 'critical');
  t.like(await health.of(node), { state: 'unknown', reports: [] });
  await health.report({ node, changes: [hot] });
  await health.removeEnded(async () => true);
  t.is(await stored.count({ 'healthRecord.state': 'unknown' }), 1);
  t.is(changes().length, 4);
});

test('a node whose catalogs match no SKU any more is reported until one matches; a deleted SKU is no drift', async (t) => {
  const { catalogs, skus, node, state, reportsOf } = await scene(t);
  const make = (name: string) => skus.create({ name, rules: [{ path: 'dmi.kind', equals: name }] });
  const [r640, r650] = [await make('r640'), await make('r650')];
  const is = (kind: string) => catalogs.add(node, 'dmi', { kind });
  await is('r640');
  t.is(await state(), 'unknown');
  await is('other');
  t.like(await reportsOf(), [
    { source: 'sku', state: 'warning', message: 'its catalogs match no SKU any more; it was r640', until: null },
  ]);
  await is('r640');
  t.deepEqual(await reportsOf(), []);
  await is('r650');
  const [changed] = await reportsOf();
  t.like(changed, { state: 'warning', message: 'its catalogs match r650; it was r640' });
  t.true(Date.parse(changed?.until ?? '') > Date.now());
  await skus.remove(r640.id);
  await skus.remove(r650.id);
  await is('r650');
  t.deepEqual(await reportsOf(), []);
});

test('agents that were seen just now and BMCs that answer are reported, on the nodes that they belong to', async (t) => {
  const { store, health, node, reportsOf } = await scene(t);
  const sightings = await store.collection<AgentSighting>(sightingSpec);
  await sightings.put([
    { id: node, version: Date.now(), address: '10.0.0.7' },
    { id: 'gone', version: Date.now(), address: '10.0.0.8' },
  ]);
  const port = { cluster: singleNodeCluster('health'), health, sightings, failed: t.fail };
  await reportAgents(port, async () => true);
  t.like(await reportsOf(), [{ source: 'agent', state: 'ok', message: 'the agent at 10.0.0.7 answers' }]);
  const report = bmcReports({ at: async () => new Map([['10.0.0.9', [{ id: node, name: 'n' }]]]) }, health);
  await report([
    { host: '10.0.0.9', isOpen: true },
    { host: '10.0.0.10', isOpen: false },
  ]);
  t.like(await reportsOf(), [{ source: 'bmc', state: 'critical' }, { source: 'agent' }]);
  await report([{ host: '10.0.0.9', isOpen: false }]);
  t.like(await health.of(node), { state: 'ok', reports: [{ source: 'bmc', state: 'ok' }, { source: 'agent' }] });
});
