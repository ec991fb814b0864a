import test from 'ava';
import { deferred } from '../../../support/ava/deferred.ts';
import { needing } from '../../../support/ava/needs.ts';
import { openQueues, startConsumer } from '../../../support/engine/redis-queues.ts';
import { Hearing } from '../../../support/servers/hearing.ts';
import { noRedis, type RedisServer, startRedis } from '../../../support/servers/redis.ts';

const redis = needing(noRedis);
let server: RedisServer;
test.before(async () => {
  if (!noRedis) server = await startRedis();
});
test.after.always(() => server?.stop());

const numbered = (count: number, from = 0) =>
  Array.from({ length: count }, (_, i) => ({ id: `j${from + i}`, data: { n: from + i } }));

const later = (ms: number) => new Promise<void>((resolve) => setTimeout(resolve, ms));

async function elapsed(work: Promise<unknown>): Promise<number> {
  const start = performance.now();
  await work.catch(() => {});
  return performance.now() - start;
}

redis.serial('jobs survive a kill -9 of the server', async (t) => {
  const { queues, lines } = await openQueues(t, server.url);
  const queue = queues.queue<{ n: number }>('survives');
  await queue.add([...numbered(100), { id: 'delayed', data: { n: 100 }, delayMs: 1_000 }]);
  // The file is written with each command, and synced within a second; the operating system does not die here.
  await server.kill();
  await lines.until((all) => all.some((line) => line.includes('Redis is away; jobs wait')));
  await server.start();
  await lines.until((all) => all.includes('Redis is back'));
  const got = new Hearing<number>();
  const consumer = queue.consume(async ({ n }) => got.add(n), 10);
  await got.until((all) => all.length === 101);
  t.deepEqual(
    got.all.toSorted((a, b) => a - b),
    numbered(101).map(({ data }) => data.n),
  );
  await consumer.close();
  t.deepEqual(
    lines.all.filter((line) => !line.startsWith('Redis is')),
    [],
  );
  t.is(lines.all.length, 2, 'an outage is reported once at its begin and once at its end');
});

redis.serial('an outage of 3 s during 500 jobs loses none, and consumers resume without help', async (t) => {
  const { queues, lines } = await openQueues(t, server.url);
  const queue = queues.queue<{ n: number }>('outage');
  const got = new Hearing<number>();
  const consumer = queue.consume(async ({ n }) => {
    await later(5);
    got.add(n);
  }, 5);
  await queue.add(numbered(500));
  await got.until(({ length }) => length >= 100);
  await server.kill();
  t.true(new Set(got.all).size < 500);
  await later(3_000);
  await server.start();
  const at = performance.now();
  await got.until((all) => new Set(all).size === 500);
  t.log(`${Math.round(performance.now() - at)} ms until the last, ${got.all.length - 500} came twice`);
  t.true(got.all.length - 500 <= 10, 'only jobs in progress may come twice');
  await queue.add(numbered(1, 500));
  await got.until((all) => all.includes(500));
  await consumer.close();
  // A lock lasts 5 s: a job end that is reported later raises an error, because the job comes again.
  t.deepEqual(
    lines.all.filter((line) => !/^Redis is|"reason":"Missing (lock|key) for job/.test(line)),
    [],
  );
});

redis.serial('with a hanging server requests reject within 5 s, and work when it is back', async (t) => {
  const { queues } = await openQueues(t, server.url);
  const queue = queues.queue('hangs');
  const channel = queues.channel('hangs');
  await queue.add(numbered(1));
  await server.pause();
  t.teardown(() => server.resume());
  const asked = {
    add: queue.add(numbered(1, 1)),
    bulk: queue.add(numbered(10, 2)),
    remove: queue.remove('j0'),
    publish: channel.publish({}),
    subscribe: channel.subscribe(() => {}),
    ping: queues.ping(),
    // BullMQ would wait forever for this queue to be ready.
    fresh: queues.queue('made while it hangs').add(numbered(1)),
  };
  const took = elapsed(Promise.allSettled(Object.values(asked)));
  for (const [name, work] of Object.entries(asked)) await t.throwsAsync(work, { code: 'UNAVAILABLE' }, name);
  t.true((await took) < 5_000, `${await took} ms`);
  server.resume();
  while ((await queues.ping().catch(() => 'away')) === 'away');
  await queue.add(numbered(1, 20));
  t.true(await queue.remove('j20'));
});

redis.serial('with the server away requests reject within 5 s', async (t) => {
  const { queues, lines } = await openQueues(t, server.url);
  await server.kill();
  await lines.until((all) => all.length === 1);
  const adds = Array.from({ length: 3 }, async () => {
    const took = await elapsed(t.throwsAsync(queues.queue('away').add(numbered(2)), { code: 'UNAVAILABLE' }));
    t.true(took < 5_000, `${took} ms`);
  });
  await Promise.all(adds);
  await server.start();
  await lines.until((all) => all.includes('Redis is back'));
  await queues.queue('away').add(numbered(2));
});

redis.serial('a consumer that starts while the server is away begins when it is back', async (t) => {
  const { queues, lines } = await openQueues(t, server.url);
  const queue = queues.queue<{ n: number }>('early');
  await server.kill();
  await lines.until((all) => all.length === 1);
  const got = new Hearing<number>();
  const consumer = queue.consume(async ({ n }) => got.add(n), 1);
  await later(1_000);
  await server.start();
  await lines.until((all) => all.includes('Redis is back'));
  await queue.add(numbered(1));
  await got.until(({ length }) => length === 1);
  await consumer.close();
  t.pass();
});

redis.serial('a subscription outlives an outage', async (t) => {
  const { queues, lines } = await openQueues(t, server.url);
  const channel = queues.channel<number>('outlives');
  const heard = new Hearing<number>();
  await channel.subscribe((message) => heard.add(message));
  await server.kill();
  await server.start();
  await lines.until((all) => all.includes('Redis is back'));
  // The subscribing connection recovers separately, shortly before or after the other.
  for (let n = 0; heard.all.length === 0; n++) {
    await channel.publish(n);
    await later(20);
  }
  t.pass();
});

for (const state of ['hanging', 'away'] as const) {
  redis.serial(`closing takes about a second with the server ${state} and a job in progress`, async (t) => {
    const { queues } = await openQueues(t, server.url);
    const queue = queues.queue(`closes-${state}`);
    const [began, may] = [deferred(), deferred()];
    const consumers = [1, 2].map(() =>
      queue.consume(() => {
        began.resolve();
        return may.promise;
      }, 1),
    );
    await queues.channel('c').subscribe(() => {});
    await queue.add(numbered(1));
    await began.promise;
    if (state === 'hanging') await server.pause();
    else await server.kill();
    t.teardown(() => server.resume());
    may.resolve();
    const took = await elapsed(
      (async () => {
        await Promise.all(consumers.map((consumer) => consumer.close()));
        await queues.close();
      })(),
    );
    t.log(`${Math.round(took)} ms`);
    t.true(took < 1_500, `${took} ms`);
    if (state === 'hanging') server.resume();
    else await server.start();
  });

  redis.serial(`a process that closes with the server ${state} exits without help`, async (t) => {
    const child = await startConsumer(t, server.url, `ends-${state}`);
    if (state === 'hanging') await server.pause();
    else await server.kill();
    t.teardown(() => server.resume());
    // Long enough for its connections to be reconnecting.
    await later(700);
    child.say('end');
    const took = await elapsed(child.ended);
    t.log(`${Math.round(took)} ms`);
    t.true(took < 15_000, `${took} ms`);
    if (state === 'hanging') server.resume();
    else await server.start();
  });
}
