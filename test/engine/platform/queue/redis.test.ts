import test, { type TestFn } from 'ava';
import type { Queues } from '../../../../engine/platform/queue/port.ts';
import { openRedis, redisQueues } from '../../../../engine/platform/queue/redis.ts';
import { channelConformance } from '../../../conformance/channel.ts';
import { type Logged, queueConformance } from '../../../conformance/queue.ts';
import { deferred } from '../../../support/ava/deferred.ts';
import { needing } from '../../../support/ava/needs.ts';
import { openQueues, startConsumer } from '../../../support/engine/redis-queues.ts';
import { Hearing } from '../../../support/servers/hearing.ts';
import { noRedis, type RedisServer, startRedis } from '../../../support/servers/redis.ts';

const redis = needing(noRedis);
let server: RedisServer;
let queues: Queues;
const logged: Logged[] = [];

test.before(async () => {
  if (noRedis) return;
  server = await startRedis();
  const warn = (fields: { err?: unknown }, message: string) => logged.push({ message, error: fields.err });
  queues = redisQueues(await openRedis(server.url, { info() {}, warn }), 'test');
});
test.after.always(async () => {
  await queues?.close();
  await server?.stop();
});

queueConformance(redis.serial as unknown as TestFn, () => queues, logged);
channelConformance(redis.serial as unknown as TestFn, () => queues, logged);

redis.serial('all keys begin with nodewright', async (t) => {
  await queues.queue('named').add([{ id: 'a', data: {} }]);
  const keys = await server.client().keys('*');
  t.true(keys.includes('nodewright:named:job-a'));
  t.deepEqual(
    keys.filter((key) => !key.startsWith('nodewright:')),
    [],
  );
});

redis.serial('a job with an expired lock is not removed while a worker runs it, and its signal fires', async (t) => {
  const queue = queues.queue('loses');
  const [began, lost] = [deferred(), deferred()];
  const consumer = queue.consume((_data, signal) => {
    signal.addEventListener('abort', () => lost.resolve());
    began.resolve();
    return lost.promise;
  }, 1);
  await queue.add([{ id: 'a', data: {} }]);
  await began.promise;
  const client = server.client();
  t.is(await client.del('nodewright:loses:job-a:lock'), 1);
  t.false(await queue.remove('a'));
  await t.notThrowsAsync(lost.promise);
  await consumer.close();
});

redis.serial('an idle worker gets a new job within a few ms', async (t) => {
  const queue = queues.queue<{ n: number }>('quick');
  const came = new Hearing<number>();
  const consumer = queue.consume(async () => came.add(performance.now()), 1);
  const took: number[] = [];
  for (let n = 0; n < 30; n++) {
    const at = performance.now();
    await queue.add([{ id: `j${n}`, data: { n } }]);
    took.push(((await came.until((all) => all.length > n))[n] ?? 0) - at);
  }
  const median = took.toSorted((a, b) => a - b)[15] ?? 0;
  t.log(`${median.toFixed(2)} ms`);
  t.true(median < 50, `${median} ms`);
  await consumer.close();
});

redis.serial('two processes share a queue, and each of 1,000 jobs is handled once', async (t) => {
  const children = await Promise.all([1, 2].map(() => startConsumer(t, server.url, 'shared')));
  await queues.queue('shared').add(Array.from({ length: 1_000 }, (_, n) => ({ id: `j${n}`, data: { n } })));
  const all = new Hearing<number>();
  const counts = children.map(async (child) => {
    let count = 0;
    for (let line = await child.line(); line !== undefined; line = await child.line()) {
      all.add(Number(line));
      count += 1;
    }
    return count;
  });
  await all.until(({ length }) => length === 1_000);
  for (const child of children) child.say('end');
  await Promise.all(children.map(({ ended }) => ended));
  t.deepEqual(
    all.all.toSorted((a, b) => a - b),
    Array.from({ length: 1_000 }, (_, n) => n),
  );
  for (const count of await Promise.all(counts)) t.true(count > 0, 'one process did it all');
});

redis.serial('another process takes over the job of a killed process within 20 s', async (t) => {
  const child = await startConsumer(t, server.url, 'taken', 'await new Promise(() => {});');
  await queues.queue('taken').add([{ id: 'a', data: { n: 7 } }]);
  t.is(await child.line(), '7');
  const again = deferred<number>();
  const consumer = queues.queue<{ n: number }>('taken').consume(async ({ n }) => again.resolve(n), 1);
  const at = performance.now();
  await child.kill('SIGKILL');
  t.is(await again.promise, 7);
  const took = performance.now() - at;
  t.log(`${Math.round(took)} ms`);
  t.true(took < 20_000, `${took} ms`);
  await consumer.close();
});

redis.serial('jobs of a dead process are released immediately, jobs of other processes are not', async (t) => {
  const child = await startConsumer(t, server.url, 'freed', 'await new Promise(() => {});');
  const queue = queues.queue<{ n: number }>('freed');
  await queue.add([{ id: 'a', data: { n: 1 } }]);
  t.is(await child.line(), '1');
  await child.kill('SIGKILL');
  const got = new Hearing<number>();
  const end = deferred();
  const consumer = queue.consume(async ({ n }) => {
    got.add(n);
    await end.promise;
  }, 5);
  await queue.add([{ id: 'b', data: { n: 2 } }]);
  await got.until((all) => all.length === 1);
  await queue.release('nobody');
  await Promise.all([1, 2, 3].map(() => queue.release('child')));
  await got.until((all) => all.length === 2);
  await queue.release('child');
  await queue.add([{ id: 'c', data: { n: 3 } }]);
  t.deepEqual([...(await got.until((all) => all.length === 3))], [2, 1, 3]);
  end.resolve();
  await consumer.close();
});

redis.serial('messages that one process publishes reach the subscribers of another', async (t) => {
  const { queues: other } = await openQueues(t, server.url);
  const heard = new Hearing<{ n: number }>();
  await queues.channel<{ n: number }>('aborts').subscribe((message) => heard.add(message));
  await other.channel('aborts').publish({ n: 1 });
  t.deepEqual([...(await heard.until((all) => all.length === 1))], [{ n: 1 }]);
});
