/** Discovery on the real engine: from an unknown address to one published node. */
import anyTest, { type TestFn } from 'ava';
import type { WorkflowRow } from '../../../../engine/durable/step/row.ts';
import type { EventPayload } from '../../../../engine/vocabulary/event.ts';
import { openEngine, type TestEngine } from '../../../support/engine/engine.ts';

const test = anyTest as TestFn<{ it: TestEngine }>;

test.before(async (t) => {
  t.context.it = await openEngine();
});
test.after.always((t) => t.context.it?.close());

const DISCOVERY = 'Graph.SKU.Discovery';
const catalogs = { collect: { from: 'catalogs' } };

const discoveries = async (it: TestEngine, node: string): Promise<WorkflowRow[]> =>
  (await it.engine.workflows.list({ skip: 0, limit: 1_000, filter: { node, graphName: DISCOVERY } })).items;
const discovered = (it: TestEngine, node: string): EventPayload[] => it.of(node, 'discovered');
const macsOf = (n: number): string[] =>
  [0, 1].map(
    (at) =>
      `02:00:00:00:${(n >> 7).toString(16).padStart(2, '0')}:${((n * 2 + at) & 255).toString(16).padStart(2, '0')}`,
  );

/** Executes commands until its node is discovered; knows only its kind. */
async function agent(it: TestEngine, node: string, kind: string): Promise<void> {
  while (discovered(it, node).length === 0) {
    const task = await it.engine.agents.next(node, {
      agent: kind,
      waitMs: 1_000,
      signal: new AbortController().signal,
    });
    if (task === undefined) continue;
    const known = task.catalog?.source === 'ohai';
    const exitCode = task.catalog === undefined || known ? 0 : 1;
    const report = { id: task.id, exitCode, stdout: known ? `kind=${kind}\n` : '', stderr: '' };
    await it.engine.agents.report(node, [report]);
  }
}

/** The sender of all requests. */
const from = '10.2.0.250';

test('ten concurrent requests of one machine get one node, its lookups and one discovery', async (t) => {
  const { it } = t.context;
  const macs = ['02:aa:00:00:00:02', '02:aa:00:00:00:01'];
  const ips = ['10.2.0.2', ''];
  const ask = (n: number) =>
    it.engine.discovery.register(
      n % 2 === 0 ? { macs, ips, from } : { macs: macs.toReversed(), ips: ['', '10.2.0.2'], from },
    );
  const nodes = await Promise.all(Array.from({ length: 10 }, (_, n) => ask(n)));
  const ids = new Set(nodes.map(({ id }) => id));
  t.is(ids.size, 1);
  const [id = ''] = ids;
  t.like(nodes[0], { type: 'compute', name: '02:aa:00:00:00:01', autoDiscover: true });
  const { items } = await it.engine.lookups.list({ skip: 0, limit: 10, filter: {} }, id);
  t.deepEqual(items.map(({ macAddress, ipAddress }) => [macAddress, ipAddress]).sort(), [
    ['02:aa:00:00:00:01', null],
    ['02:aa:00:00:00:02', '10.2.0.2'],
  ]);
  t.is((await discoveries(it, id)).length, 1);
  t.is(it.of(id, 'added').length, 1);
  t.like(await it.engine.agents.boot(id), { kernel: 'common/vmlinuz' });
  t.is((await it.engine.discovery.register({ macs: [macs[1] as string], ips: ['10.2.0.9'], from })).id, id);
  t.is((await it.engine.discovery.register({ macs: ['02:aa:00:00:00:03', macs[0] as string], ips: [], from })).id, id);
  const ipOf = await it.engine.lookups.list({ skip: 0, limit: 10, filter: { macAddress: '02:aa:00:00:00:01' } });
  t.is(ipOf.items[0]?.ipAddress, '10.2.0.9');
});

test('an agent collects catalogs, the node gets its SKU, is published once, and its graph runs with its options', async (t) => {
  const { it } = t.context;
  const sku = await it.engine.skus.create({
    name: 'known kind',
    rules: [{ path: 'ohai.kind', equals: 'known' }],
    discoveryGraphName: 'Graph.noop-example',
    discoveryGraphOptions: { 'noop-1': { delay: 7 } },
  });
  const { id } = await it.engine.discovery.register({
    macs: ['02:bb:00:00:00:01'],
    ips: ['10.2.0.1'],
    from,
  });
  await agent(it, id, 'known');
  const [row] = await discoveries(it, id);
  const ended = await it.finished(row?.id as string);
  t.is(ended.status, 'succeeded');
  t.deepEqual(ended.output, { sku: sku.id, graphName: 'Graph.noop-example' });
  const states = await it.states(ended.id);
  t.like(states, {
    bootstrap: 'succeeded',
    'catalog-dmi': 'failed',
    'catalog-ohai': 'succeeded',
    'run-sku-graph': 'succeeded',
  });
  const events = discovered(it, id);
  t.is(events.length, 1);
  t.deepEqual(events[0]?.data, {
    ipMacAddresses: [{ macAddress: '02:bb:00:00:00:01', ipAddress: '10.2.0.1' }],
    nodeId: id,
    nodeType: 'compute',
  });
  t.is((await it.engine.nodes.find(id))?.sku, sku.id);
  const { items } = await it.engine.workflows.list({
    skip: 0,
    limit: 9,
    filter: { node: id, graphName: 'Graph.noop-example' },
  });
  t.is(items.length, 1);
  t.deepEqual(items[0]?.options, { 'noop-1': { delay: 7 } });
});

test('catalogs that were posted so far are sufficient, and a missing graph is reported in the record', async (t) => {
  const { it } = t.context;
  const sku = await it.engine.skus.create({
    name: 'no graph',
    rules: [{ path: 'dmi.kind', equals: 'lost' }],
    discoveryGraphName: 'Graph.Not.There',
  });
  const { id } = await it.node();
  await it.engine.catalogs.add(id, 'dmi', { kind: 'lost' });
  const first = await it.finished((await it.launch(DISCOVERY, catalogs, id)).id);
  t.is(first.status, 'failed');
  t.is(discovered(it, id).length, 1);
  const error = { code: 'NOT_FOUND', message: 'Graph definition not found for Graph.Not.There' };
  t.like(await it.engine.nodes.find(id), { sku: sku.id, error });
  await it.engine.skus.update(sku.id, { discoveryGraphName: null });
  const second = await it.finished((await it.launch(DISCOVERY, catalogs, id)).id);
  t.is(second.status, 'succeeded');
  t.is((await it.engine.nodes.find(id))?.error, undefined);
});

test('a node with autoDiscover is discovered even if the creating process died immediately', async (t) => {
  const { it } = t.context;
  const { id } = await it.engine.nodes.create({ type: 'compute', name: 'left', autoDiscover: true });
  await it.until(async () => (await discoveries(it, id)).length > 0);
  await it.engine.discovery.begin(id);
  t.is((await discoveries(it, id)).length, 1);
  await it.engine.control.cancelOn(id);
});

test('all nodes of a list with autoDiscover are discovered once, and the others are not', async (t) => {
  const { it } = t.context;
  const nodes = await it.engine.nodes.createAll(
    [true, true, false].map((autoDiscover) => ({ type: 'compute', name: 'listed', autoDiscover })),
  );
  it.engine.discovery.soon();
  const [first = '', second = '', third = ''] = nodes.map(({ id }) => id);
  for (const id of [first, second]) await it.until(async () => (await discoveries(it, id)).length > 0);
  await it.engine.discovery.begin(first);
  t.is((await discoveries(it, first)).length, 1);
  t.is((await discoveries(it, third)).length, 0);
  t.deepEqual(
    nodes.map(({ id }) => it.of(id, 'added').length),
    [1, 1, 1],
  );
  for (const id of [first, second]) await it.engine.control.cancelOn(id);
});

test('a discovery that cannot begin reports it in the record', async (t) => {
  const it = await openEngine({ discoveryGraph: 'Graph.Of.Mine' });
  t.teardown(() => it.close());
  const { id } = await it.engine.nodes.create({ type: 'compute', name: 'n', autoDiscover: true });
  await it.engine.discovery.begin(id);
  const error = { code: 'NOT_FOUND', message: 'Graph definition not found for Graph.Of.Mine' };
  t.like(await it.engine.nodes.find(id), { error });
});

test.serial('60 nodes that discover at the same time all end discovered, and none twice', async (t) => {
  const { it } = t.context;
  const NODES = 60;
  for (const kind of ['even', 'odd']) {
    await it.engine.skus.create({ name: kind, rules: [{ path: 'ohai.kind', equals: kind }] });
  }
  const kindOf = (n: number) => (n % 2 === 0 ? 'even' : 'odd');
  const arrive = async (n: number): Promise<string> => {
    const asked = await Promise.all(
      [1, 2, 3].map(() => it.engine.discovery.register({ macs: macsOf(n), ips: [], from })),
    );
    return asked[0]?.id as string;
  };
  const all = await Promise.all(Array.from({ length: NODES }, (_, n) => arrive(n)));
  t.is(new Set(all).size, NODES);
  await Promise.all(all.map((id, n) => agent(it, id, kindOf(n))));
  t.deepEqual(
    all.map((id) => discovered(it, id).length),
    all.map(() => 1),
  );
  for (const [n, id] of all.entries()) {
    const rows = await discoveries(it, id);
    t.is(rows.length, 1);
    t.is((await it.finished(rows[0]?.id as string)).status, 'succeeded');
    const { items } = await it.engine.skus.list({ skip: 0, limit: 10, filter: { name: kindOf(n) } });
    t.is((await it.engine.nodes.find(id))?.sku, items[0]?.id);
  }
});
