/** The events of nodes when the process dies after a change was saved and before it was published. */
import anyTest, { type ExecutionContext } from 'ava';
import type { NodeRecord } from '../../../../engine/api-port/index.ts';
import { openAdapters } from '../../../../engine/assembly/adapters.ts';
import type { EventPayload, Publication } from '../../../../engine/vocabulary/event.ts';
import { stillPending } from '../../../conformance/pending-events.ts';
import { folder } from '../../../support/ava/folder.ts';
import { needing } from '../../../support/ava/needs.ts';
import { openEngine, TestEngine } from '../../../support/engine/engine.ts';
import type { Changes } from '../../../support/engine/nodes-child.ts';
import { startChild } from '../../../support/faults/child.ts';
import { noMongoDb, openMongoDb } from '../../../support/servers/mongodb.ts';
import { startReceiver } from '../../../support/servers/receiver.ts';
import { noRedis, startRedis } from '../../../support/servers/redis.ts';

const shared = needing(noRedis ?? noMongoDb, 'mongodb');

/** Nodes by name: `holder` contains `held`, `gone` contains `widow`, `bare` has an obm. */
async function furnish({ engine }: TestEngine) {
  const names = ['patched', 'tagged', 'left', 'right', 'holder', 'held', 'powered', 'bare', 'gone', 'widow'] as const;
  const made = names.map(async (name) => [name, await engine.nodes.create({ type: 'compute', name })] as const);
  const nodes = Object.fromEntries(await Promise.all(made)) as Record<(typeof names)[number], NodeRecord>;
  await engine.nodes.relate(nodes.holder.id, { contains: [nodes.held.id] });
  await engine.nodes.relate(nodes.gone.id, { contains: [nodes.widow.id] });
  await engine.nodes.tag(nodes.tagged.id, ['old']);
  const obm = await engine.obms.put(nodes.bare.id, { service: 'noop-obm-service' });
  return { nodes, obm };
}

const line = ({ type, action, nodeId }: Pick<EventPayload, 'type' | 'action' | 'nodeId'>) =>
  `${type}.${action} ${nodeId}`;

/** The pending events of every collection. */
async function left(stores: Changes['stores']): Promise<unknown[]> {
  const { store, close } = await openAdapters(stores, { info() {}, warn() {} }, () => {});
  try {
    return await stillPending(store);
  } finally {
    await close();
  }
}

async function survive(t: ExecutionContext, stores: Changes['stores']): Promise<void> {
  const { dataDir, mongodb, redis } = stores;
  const urls = { ...(mongodb !== undefined && { mongodb }), ...(redis !== undefined && { redis }) };
  const open = () => new TestEngine(dataDir, { ...urls, heartbeatIntervalSec: 0 }).open();
  const first = await open();
  const { nodes, obm } = await furnish(first);
  const receiver = await startReceiver(t);
  await first.engine.hooks.create({ url: receiver.url });
  await first.engine.close();

  const changes: Changes = {
    stores,
    create: 'new',
    patch: nodes.patched.id,
    untag: 'old',
    remove: nodes.gone.id,
    relate: [nodes.left.id, nodes.right.id],
    unrelate: [nodes.holder.id, nodes.held.id],
    putObm: nodes.powered.id,
    removeObm: obm.id,
  };
  const child = startChild("await import('./test/support/engine/nodes-child.ts')", {
    CHANGES: JSON.stringify(changes),
  });
  t.teardown(() => child.kill('SIGKILL'));
  const pending: Publication[] = [];
  for (let n = 0; n < 8; n += 1) pending.push(...(JSON.parse((await child.line()) as string) as Publication[]));
  await child.kill('SIGKILL');

  const second = await open();
  const heard = () => new Set(receiver.posted.all.map(({ event }) => event.id));
  await receiver.posted.until(() => pending.every(({ id }) => heard().has(id)));
  const events = [...new Map(receiver.posted.all.map(({ event }) => [event.id, event])).values()];
  const added = (await second.engine.nodes.list({ filter: { name: 'new' }, skip: 0, limit: 2 })).items;
  t.is(added.length, 1);
  const { patched, tagged, left: one, right, holder, held, powered, bare, gone, widow } = nodes;
  const updated = [patched, tagged, one, right, holder, held, widow].map(({ id }) => `node.updated ${id}`);
  const obms = [powered, bare].map(({ id }) => `node.obms.updated ${id}`);
  t.deepEqual(
    events.map(line).sort(),
    [`node.added ${added[0]?.id}`, `node.removed ${gone.id}`, ...updated, ...obms].sort(),
  );
  t.true(events.every(({ data, nodeId }) => data.nodeType === 'compute' && data.nodeId === nodeId));
  t.deepEqual(
    Object.keys(added[0] as object).sort(),
    Object.keys(patched).sort(),
    'the added node has the same fields as the others',
  );
  await second.engine.close();
  t.deepEqual(await left(stores), []);
}

anyTest.serial('events of a process that died before it published its changes arrive, each under one id', (t) =>
  survive(t, { dataDir: folder(t), mongodb: undefined, redis: undefined }),
);

anyTest.serial(
  'one of many concurrent removals removes the node, and its removal is published under one id',
  async (t) => {
    const it = await openEngine();
    t.teardown(() => it.close());
    const [node, part] = [await it.node(), await it.node()];
    await it.engine.nodes.relate(node.id, { contains: [part.id] });
    const apart = await Promise.all(
      Array.from({ length: 4 }, () => it.engine.nodes.unrelate(node.id, { contains: [part.id] })),
    );
    t.true(apart.flat().every(({ relations }) => relations.length === 0));
    const removed = await Promise.all(Array.from({ length: 4 }, () => it.engine.nodes.remove(node.id)));
    t.is(removed.filter((one) => one).length, 1);
    t.is(new Set(it.of(node.id, 'removed').map(({ id }) => id)).size, 1);
    t.is(it.of(part.id, 'removed').length, 0);
  },
);

shared.serial('events arrive as well when another process resumes, on shared stores', async (t) => {
  const [redis, mongodb] = await Promise.all([startRedis(), openMongoDb()]);
  t.teardown(() => Promise.all([redis.stop(), mongodb.stop()]));
  await survive(t, { dataDir: folder(t), mongodb: mongodb.url, redis: redis.url });
});
