/** Members and leases: several processes, each with its own view, on one store. */
import { setTimeout } from 'node:timers/promises';
import test, { type ExecutionContext } from 'ava';
import { type Cluster, openCluster } from '../../../engine/cluster/cluster.ts';
import { leaseSpec, type StoredLease } from '../../../engine/cluster/leases.ts';
import { type Beat, presenceSpec } from '../../../engine/cluster/membership.ts';
import { Hearing } from '../../support/hearing.ts';
import { MemoryStore } from '../../support/memory-store.ts';

const never = new AbortController().signal;

interface Member {
  cluster: Cluster;
  silent: Hearing<string>;
  close(): Promise<void>;
}

async function join(t: ExecutionContext, store: MemoryStore, id: string, previousInstance?: string): Promise<Member> {
  const cluster = await openCluster(store, id, previousInstance);
  const silent = new Hearing<string>();
  let closed = false;
  const close = async () => {
    if (!closed) await cluster.close();
    closed = true;
  };
  t.teardown(close);
  await cluster.start((other) => silent.add(other));
  return { cluster, silent, close };
}

/** A process that was a member and sends no more heartbeats. */
async function dead(store: MemoryStore, id: string): Promise<void> {
  await (await store.collection<Beat>(presenceSpec)).insert({ id, count: 7 });
}

test('a member whose heartbeats advance is alive; any other becomes silent, is reported once, and is gone', async (t) => {
  const store = new MemoryStore();
  await dead(store, 'dead');
  const [a, b] = await Promise.all([join(t, store, 'a'), join(t, store, 'b')]);
  t.true(await a.cluster.alive('b', never));
  t.deepEqual([...(await a.silent.until((all) => all.length > 0))], ['dead']);
  t.false(await a.cluster.alive('dead', never));
  t.true(await a.cluster.alive('b', never));
  t.deepEqual(a.silent.all, ['dead']);
  t.deepEqual(b.silent.all, ['dead']);
});

test('a process that left, or that was never seen, is not a member', async (t) => {
  const store = new MemoryStore();
  const [a, b] = await Promise.all([join(t, store, 'a'), join(t, store, 'b')]);
  t.false(await a.cluster.alive('missing', never));
  await b.close();
  t.false(await a.cluster.alive('b', never));
  t.deepEqual(a.silent.all, []);
});

test('the previous instance is gone from the start', async (t) => {
  const store = new MemoryStore();
  await dead(store, 'before');
  const a = await join(t, store, 'a', 'before');
  t.false(await a.cluster.alive('before', never));
});

test('while the store is away no member becomes silent, and no state is certain', async (t) => {
  const store = new MemoryStore();
  const [a] = await Promise.all([join(t, store, 'a'), join(t, store, 'b')]);
  const beats = await store.collection<Beat>(presenceSpec);
  const { get, find, update } = beats;
  const away = () => Promise.reject(new Error('the store is away'));
  Object.assign(beats, { get: away, find: away, update: away });
  await t.throwsAsync(a.cluster.alive('b', AbortSignal.timeout(4_500)));
  t.deepEqual(a.silent.all, []);
  Object.assign(beats, { get, find, update });
  t.true(await a.cluster.alive('b', never));
});

const takers = async (all: readonly Member[]): Promise<string[]> => {
  const asked = all.map(async ({ cluster }) => ((await cluster.leases.acquire('x')) ? [cluster.id] : []));
  return (await Promise.all(asked)).flat();
};

test("while the store is slow, a member whose heartbeats are as slow as this process's own is not silent", async (t) => {
  const store = new MemoryStore();
  const [a, b] = await Promise.all([join(t, store, 'a'), join(t, store, 'b')]);
  const beats = await store.collection<Beat>(presenceSpec);
  const { update } = beats;
  // Longer than six reads.
  const slow = async (...args: Parameters<typeof update>) => {
    await setTimeout(3_500);
    return update.apply(beats, args);
  };
  Object.assign(beats, { update: slow });
  await setTimeout(9_000);
  Object.assign(beats, { update });
  t.deepEqual([...a.silent.all, ...b.silent.all], []);
  t.true(await a.cluster.alive('b', never));
});

test('one of many concurrent requests gets the lease, until it is released', async (t) => {
  const store = new MemoryStore();
  const all = await Promise.all(['a', 'b', 'c'].map((id) => join(t, store, id)));
  const first = await takers(all);
  t.is(first.length, 1);
  t.deepEqual(await takers(all), first);
  const holder = all.find(({ cluster }) => cluster.id === first[0]);
  await (await holder?.cluster.leases.acquire('x'))?.release();
  t.is((await takers(all)).length, 1);
});

test('a lease is taken from a silent member, and not before', async (t) => {
  const store = new MemoryStore();
  await dead(store, 'dead');
  await (await store.collection<StoredLease>(leaseSpec)).insert({ id: 'x', version: 1, by: 'dead' });
  const all = await Promise.all(['a', 'b', 'c'].map((id) => join(t, store, id)));
  t.deepEqual(await takers(all), []);
  await Promise.all(all.map(({ silent }) => silent.until((heard) => heard.includes('dead'))));
  t.is((await takers(all)).length, 1);
});
