/** One enclosure for a serial number: whatever processes ask for it at the same time, and wherever one of them dies. */
import test from 'ava';
import { Outbox, outboxSpec, type WaitingEvent } from '../../../../engine/events/broker/outbox.ts';
import { Enclosures } from '../../../../engine/inventory/nodes/enclosures.ts';
import { singleNodeCluster } from '../../../../engine/platform/cluster/cluster.ts';
import { Leases } from '../../../../engine/platform/cluster/leases.ts';
import { SerializedChanges } from '../../../../engine/platform/cluster/serialized-changes.ts';
import { fieldOf } from '../../../conformance/leases.ts';
import { MemoryStore } from '../../../support/engine/memory-store.ts';
import { openTestNodes } from '../../../support/engine/test-nodes.ts';
import { Life, type Moment } from '../../../support/faults/dying-store.ts';

const dead = new Set<string>();
const heard = async (id: string) => !dead.has(id);

async function process(id: string, shared: MemoryStore, life = new Life()) {
  const store = life.store(shared);
  const outbox = new Outbox(
    await shared.collection<WaitingEvent>(outboxSpec),
    undefined,
    singleNodeCluster(id),
    () => {},
  );
  const { nodes, storedNodes } = await openTestNodes({ store, outbox, failed: () => {} });
  const record = await fieldOf(shared, 'enclosures', life);
  const changes = new SerializedChanges(
    new Leases(() => record, id, { isHeard: heard, isAlive: heard }),
    'enclosures',
    'enclosures',
  );
  const enclosures = new Enclosures(storedNodes, nodes, changes);
  return {
    nodes,
    enclose: (node: string, serial: string) => enclosures.enclose(node, serial),
    add: async (name: string) => (await nodes.create({ type: 'compute', name })).id,
    enclosures: async () => (await nodes.list({ filter: { type: 'enclosure' }, skip: 0, limit: 10 })).items,
  };
}

test('of many processes and nodes that ask for one at the same time, all get the same, which encloses all of them', async (t) => {
  const store = new MemoryStore();
  const all = await Promise.all(['a', 'b', 'c'].map((id) => process(id, store)));
  const asking = all.flatMap((one) =>
    ['1', '2', '3'].map(async (name) => {
      const node = await one.add(name);
      return { node, enclosure: await one.enclose(node, 'SN1') };
    }),
  );
  const found = await Promise.all(asking);
  const [enclosure, ...others] = (await all[0]?.enclosures()) ?? [];
  t.deepEqual(others, []);
  t.is(enclosure?.name, 'Enclosure Node SN1');
  t.true(found.every((one) => one.enclosure === enclosure?.id));
  t.deepEqual(
    enclosure?.relations.map(({ relationType, targets }) => [relationType, [...targets].sort()]),
    [['encloses', found.map(({ node }) => node).sort()]],
  );
});

test('a node that is in another chassis now has that enclosure only; a repeat changes nothing', async (t) => {
  const { add, enclose, nodes } = await process('a', new MemoryStore());
  const node = await add('n');
  await enclose(node, 'SN1');
  const second = await enclose(node, 'SN2');
  const after = await nodes.find(node);
  t.deepEqual(after?.relations, [{ relationType: 'enclosedBy', targets: [second] }]);
  t.is(await enclose(node, 'SN2'), second);
  t.is((await nodes.find(node))?.updatedAt, after?.updatedAt);
});

test('wherever the process dies, the next one ends it with one enclosure and one relation', async (t) => {
  let deaths = 0;
  for (const moment of ['before', 'after'] satisfies Moment[]) {
    for (let calls = 0; ; calls += 1) {
      dead.clear();
      const store = new MemoryStore();
      const life = new Life();
      const [dying, heir] = [await process('dying', store, life), await process('heir', store)];
      const node = await heir.add('n');
      await heir.enclose(node, 'OLD');
      life.dieAfter(calls, moment);
      await dying.enclose(node, 'NEW').catch(() => {});
      dead.add('dying');
      const enclosure = await heir.enclose(node, 'NEW');
      const named = (await heir.enclosures()).filter(({ name }) => name.endsWith('NEW'));
      t.deepEqual(
        named.map(({ id, relations }) => ({ id, relations })),
        [{ id: enclosure, relations: [{ relationType: 'encloses', targets: [node] }] }],
        `${moment} call ${calls}`,
      );
      t.deepEqual((await heir.nodes.find(node))?.relations, [{ relationType: 'enclosedBy', targets: [enclosure] }]);
      if (!life.isDead) break;
      deaths += 1;
    }
  }
  t.true(deaths > 20, `${deaths} deaths`);
});
