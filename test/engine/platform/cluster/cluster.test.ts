/** Members and leases: several processes, each with its own view, on one Redis. */
import { setTimeout } from 'node:timers/promises';
import type { ExecutionContext } from 'ava';
import { needing } from '../../../support/ava/needs.ts';
import { join, leaveDead, type Member, makeOld, storeLease } from '../../../support/engine/redis-cluster.ts';
import { noRedis, startRedis } from '../../../support/servers/redis.ts';

const test = needing(noRedis);
const never = new AbortController().signal;

async function redisFor(t: ExecutionContext) {
  const server = await startRedis();
  t.teardown(() => server.stop());
  // An outage is no error of the test.
  const client = server.client().on('error', () => {});
  return { server, url: server.url, client };
}

const joined = (t: ExecutionContext, url: string, ...ids: string[]): Promise<Member[]> =>
  Promise.all(ids.map((id) => join(t, url, id)));

const pair = async (t: ExecutionContext, url: string) => (await joined(t, url, 'a', 'b')) as [Member, Member];

const silentOf = (...all: Member[]) => all.flatMap(({ silent }) => silent.all);

test.serial(
  'a member whose heartbeats advance is alive; any other becomes silent, is reported once, and is gone',
  async (t) => {
    const { url, client } = await redisFor(t);
    await leaveDead(client, 'dead');
    const [a, b] = await pair(t, url);
    t.true(await a.cluster.isAlive('b', never));
    t.deepEqual([...(await a.silent.until((all) => all.length > 0))], ['dead']);
    t.false(await a.cluster.isAlive('dead', never));
    t.true(await a.cluster.isAlive('b', never));
    t.deepEqual(silentOf(a, b), ['dead', 'dead']);
  },
);

test.serial('a process that left, or that was never seen, is not a member', async (t) => {
  const { url, client } = await redisFor(t);
  await makeOld(client);
  const [a, b] = await pair(t, url);
  t.false(await a.cluster.isAlive('missing', never));
  await b.close();
  t.false(await a.cluster.isAlive('b', never));
  t.deepEqual(a.silent.all, []);
});

test.serial('the previous instance is gone from the start', async (t) => {
  const { url, client } = await redisFor(t);
  await leaveDead(client, 'before');
  await storeLease(client, 'x', 'before');
  const a = await join(t, url, 'a', 'before');
  t.false(await a.cluster.isAlive('before', never));
  t.not(await a.cluster.leases.acquire('x'), undefined);
});

test.serial(
  'while Redis hangs no member becomes silent, no state is certain, and a member knows that it was not heard',
  async (t) => {
    const { url, server } = await redisFor(t);
    const [a, b] = await pair(t, url);
    const since = performance.now();
    t.true(a.cluster.wasHeardSince(since));
    await server.pause();
    await t.throwsAsync(a.cluster.isAlive('b', AbortSignal.timeout(6_000)));
    t.false(a.cluster.wasHeardSince(since));
    server.resume();
    t.true(await a.cluster.isAlive('b', never));
    while (!a.cluster.wasHeardSince(performance.now())) await setTimeout(50);
    t.false(a.cluster.wasHeardSince(since), 'others may have found it gone in between');
    t.deepEqual(silentOf(a, b), []);
  },
);

test.serial('after a long outage of Redis no member becomes silent, and a dead one does', async (t) => {
  const { url, server, client } = await redisFor(t);
  const [a, b] = await pair(t, url);
  await leaveDead(client, 'dead');
  // Heard for a while, but not long enough to be silent.
  await setTimeout(1_500);
  await server.kill();
  await setTimeout(12_000);
  await server.start();
  const since = performance.now();
  await a.silent.until((all) => all.length > 0);
  t.true(performance.now() - since > 2_300, 'a full silence interval after the outage');
  t.true(await a.cluster.isAlive('b', never));
  t.true(await b.cluster.isAlive('a', never));
  await b.silent.until((all) => all.length > 0);
  t.deepEqual(silentOf(a, b), ['dead', 'dead']);
});

test.serial('while Redis answers late, a member that is as late as this process is not silent', async (t) => {
  const { url, server } = await redisFor(t);
  const [a, b] = await pair(t, url);
  for (let n = 0; n < 3; n += 1) {
    await server.pause();
    await setTimeout(3_000);
    server.resume();
    await setTimeout(200);
  }
  t.true(await a.cluster.isAlive('b', never));
  t.deepEqual(silentOf(a, b), []);
});

test.serial('when Redis is emptied, no process is gone until each had the time for a heartbeat', async (t) => {
  const { url, client } = await redisFor(t);
  await makeOld(client);
  const [a, b] = await pair(t, url);
  await client.flushall();
  await storeLease(client, 'x', 'late');
  t.is(await a.cluster.leases.acquire('x'), undefined);
  const verdict = a.cluster.isAlive('late', never);
  t.is(await Promise.race([verdict, setTimeout(3_000, 'unknown')]), 'unknown');
  t.false(await verdict);
  t.not(await b.cluster.leases.acquire('x'), undefined);
  t.true(await a.cluster.isAlive('b', never));
  t.deepEqual(silentOf(a, b), []);
});

test.serial('heartbeats and leases continue when Redis has lost its scripts', async (t) => {
  const { url, client } = await redisFor(t);
  const [a, b] = await pair(t, url);
  await client.script('FLUSH');
  const lease = await a.cluster.leases.acquire('x');
  t.true(await lease?.renew());
  await client.script('FLUSH');
  t.true(await b.cluster.isAlive('a', never));
  await lease?.release();
  t.not(await b.cluster.leases.acquire('x'), undefined);
});

const takers = async (all: readonly Member[]): Promise<string[]> => {
  const asked = all.map(async ({ cluster }) => ((await cluster.leases.acquire('x')) ? [cluster.id] : []));
  return (await Promise.all(asked)).flat();
};

test.serial('one of many concurrent requests gets the lease, until it is released', async (t) => {
  const { url } = await redisFor(t);
  const all = await joined(t, url, 'a', 'b', 'c');
  const first = await takers(all);
  t.is(first.length, 1);
  t.deepEqual(await takers(all), first);
  const holder = all.find(({ cluster }) => cluster.id === first[0]);
  await (await holder?.cluster.leases.acquire('x'))?.release();
  t.is((await takers(all)).length, 1);
});

test.serial('a lease is taken from a silent member, and not before', async (t) => {
  const { url, client } = await redisFor(t);
  await leaveDead(client, 'dead');
  await storeLease(client, 'x', 'dead');
  const all = await joined(t, url, 'a', 'b', 'c');
  t.deepEqual(await takers(all), []);
  await Promise.all(all.map(({ silent }) => silent.until((heard) => heard.includes('dead'))));
  t.is((await takers(all)).length, 1);
});

test.serial('a lease that its living owner does not use, because its release was lost, is free soon', async (t) => {
  const { url, client } = await redisFor(t);
  const [a, b] = await pair(t, url);
  const used = await a.cluster.leases.acquire('used');
  await storeLease(client, 'x', 'a');
  while ((await b.cluster.leases.acquire('x')) === undefined) await setTimeout(20);
  t.true(await used?.renew());
  t.deepEqual(silentOf(a, b), []);
});

test.serial('passes rely on heartbeats, which also show that the lease is lost', async (t) => {
  const { url, client } = await redisFor(t);
  const [a, b] = await pair(t, url);
  const lease = await a.cluster.leases.acquireForPasses('x');
  t.true(await lease?.renew());
  t.is(await b.cluster.leases.acquireForPasses('x'), undefined);
  await storeLease(client, 'x', 'b');
  while (await lease?.renew()) await setTimeout(20);
  t.true(lease?.signal.aborted);
  t.is(await a.cluster.leases.acquireForPasses('x'), undefined);
  t.deepEqual(silentOf(a, b), []);
});
