/** One node for a BMC: whatever processes read it at the same time, wherever one of them dies, and whatever it says of itself. */
import test from 'ava';
import { Outbox, outboxSpec, type WaitingEvent } from '../../../../engine/events/broker/outbox.ts';
import { BmcOwners } from '../../../../engine/inventory/nodes/bmc-nodes.ts';
import { BmcRegistration } from '../../../../engine/inventory/nodes/bmc-registration.ts';
import { singleNodeCluster } from '../../../../engine/platform/cluster/cluster.ts';
import { Leases } from '../../../../engine/platform/cluster/leases.ts';
import { SerializedChanges } from '../../../../engine/platform/cluster/serialized-changes.ts';
import { fieldOf } from '../../../conformance/leases.ts';
import { MemoryStore } from '../../../support/engine/memory-store.ts';
import { openTestNodes } from '../../../support/engine/test-nodes.ts';
import { Life, type Moment } from '../../../support/faults/dying-store.ts';

const dead = new Set<string>();
const heard = async (id: string) => !dead.has(id);
const service = 'redfish-obm-service';
const macs = ['02:00:00:00:00:01', '02:00:00:00:00:02'];
const access = { uri: 'https://10.1.1.7', username: 'root', password: 'calvin' };
const bmc = { host: '10.1.1.7', macs, access };

async function process(id: string, shared: MemoryStore, life = new Life()) {
  const store = life.store(shared);
  const events = await shared.collection<WaitingEvent>(outboxSpec);
  const outbox = new Outbox(events, undefined, singleNodeCluster(id), () => {});
  const opened = await openTestNodes({ store, outbox, failed: () => {} });
  const { nodes, obms, lookups, registration, storedNodes } = opened;
  const record = await fieldOf(shared, 'bmc-nodes', life);
  const leases = new Leases(() => record, id, { isHeard: heard, isAlive: heard });
  const owners = new BmcOwners(storedNodes, obms, lookups);
  const bmcs = new BmcRegistration({
    nodes,
    obms,
    owners,
    registration,
    changes: new SerializedChanges(leases, 'bmc-nodes', 'nodes of BMCs'),
  });
  const all = async () => (await nodes.list({ filter: {}, skip: 0, limit: 10 })).items;
  return { bmcs, nodes, obms, owners, registration, all };
}

test('of many processes that read a new BMC, all get one node, which PXE finds too', async (t) => {
  const store = new MemoryStore();
  const processes = await Promise.all(['a', 'b', 'c'].map((id) => process(id, store)));
  const registered = await Promise.all([...processes, ...processes].map(({ bmcs }) => bmcs.register(bmc)));
  const [one] = processes;
  const [node, ...others] = (await one?.all()) ?? [];
  t.deepEqual(others, []);
  t.like(node, { type: 'compute', name: macs[0], identifiers: macs, autoDiscover: false });
  t.true(registered.every(({ id }) => id === node?.id));
  t.is(registered.filter(({ isNew }) => isNew).length, 1);
  t.like(await one?.obms.config(node?.id ?? '', service), access);
  t.is(await one?.registration.register({ macs: [macs[1] ?? ''], ips: ['10.2.0.9'], from: '10.2.0.9' }), node?.id);
});

test('a PDU is not the BMC of the nodes that it feeds: they get none of its identifiers and reports', async (t) => {
  const { bmcs, nodes, obms, owners } = await process('a', new MemoryStore());
  const fed = await nodes.create({ type: 'compute', name: 'fed' });
  const config = { outlets: [{ host: '10.1.1.7', outlet: 3 }], user: 'u', password: 'p' };
  await obms.put(fed.id, { service: 'redfish-pdu-obm-service', config });
  t.deepEqual([...(await owners.reachedAt([bmc.host]))], [[bmc.host, [{ id: fed.id, name: 'fed' }]]]);
  t.deepEqual([...(await owners.at([bmc.host]))], []);
  const registered = await bmcs.register(bmc);
  t.true(registered.isNew);
  t.not(registered.id, fed.id);
  const reached = (await owners.reachedAt([bmc.host])).get(bmc.host)?.map(({ id }) => id);
  t.deepEqual(reached, [registered.id, fed.id]);
});

test('wherever the process dies, the next one ends with one node that has the MACs and the obm', async (t) => {
  let deaths = 0;
  for (const moment of ['before', 'after'] satisfies Moment[]) {
    for (let calls = 0; ; calls += 1) {
      dead.clear();
      const store = new MemoryStore();
      const life = new Life();
      const [dying, heir] = [await process('dying', store, life), await process('heir', store)];
      life.dieAfter(calls, moment);
      await dying.bmcs.register(bmc).catch(() => {});
      dead.add('dying');
      const { id } = await heir.bmcs.register(bmc);
      const nodes = await heir.all();
      t.deepEqual(
        nodes.map((node) => [node.id, node.identifiers, node.obms.length]),
        [[id, macs, 1]],
        `${moment} call ${calls}`,
      );
      if (!life.isDead) break;
      deaths += 1;
    }
  }
  t.true(deaths > 10, `${deaths} deaths`);
});

test('a machine that PXE has registered gets the identifiers and the obm; a repeat changes nothing', async (t) => {
  const { bmcs, nodes, obms, registration } = await process('a', new MemoryStore());
  const id = await registration.register({ macs, ips: ['', ''], from: '10.2.0.9' });
  t.deepEqual(await bmcs.register(bmc), { id, isNew: false });
  const after = await nodes.find(id);
  t.deepEqual(after?.identifiers, macs);
  t.like(await obms.config(id, service), access);
  await bmcs.register(bmc);
  t.is((await nodes.find(id))?.updatedAt, after?.updatedAt);
});

test('without access no node is created, and none gets an obm', async (t) => {
  const { bmcs, nodes, all } = await process('a', new MemoryStore());
  await t.throwsAsync(bmcs.register({ host: '10.1.1.7', macs }), { message: /no node has an obm at 10\.1\.1\.7/ });
  t.deepEqual(await all(), []);
  const { id } = await nodes.create({ type: 'compute', name: 'n', identifiers: macs });
  t.deepEqual(await bmcs.register({ host: '10.1.1.7', macs }), { id, isNew: false });
  t.deepEqual((await nodes.find(id))?.obms, []);
});

test('a BMC that has the MACs of another node gets neither node', async (t) => {
  const { bmcs, nodes, obms } = await process('a', new MemoryStore());
  const { id: first } = await bmcs.register(bmc);
  const moved = { ...bmc, host: '10.1.1.8', access: { ...access, uri: 'https://10.1.1.8' } };
  await t.throwsAsync(bmcs.register(moved), { message: /whose BMC is 10\.1\.1\.7; nothing was changed/ });
  const { id: second } = await nodes.create({ type: 'compute', name: 'second' });
  await obms.put(second, { service, config: moved.access });
  await t.throwsAsync(bmcs.register(moved), {
    message: new RegExp(`of the node ${second}, and has MACs of the node ${first}`),
  });
  t.deepEqual((await nodes.find(second))?.identifiers, []);
});

test('a new BMC without a MAC of its machine makes no node; that of a node needs none', async (t) => {
  const { bmcs, nodes, obms, all } = await process('a', new MemoryStore());
  await t.throwsAsync(bmcs.register({ ...bmc, macs: [] }), { message: /names no MAC/ });
  t.deepEqual(await all(), []);
  const { id } = await nodes.create({ type: 'compute', name: 'n' });
  await obms.put(id, { service, config: access });
  t.deepEqual(await bmcs.register({ host: bmc.host, macs: [] }), { id, isNew: false });
});
