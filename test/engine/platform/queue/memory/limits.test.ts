/** The limits of the in-process backend: operations and options that it rejects, and its effect on the process. */

import test from 'ava';
import type { JobsOptions } from 'bullmq';
import { createEmbeddedQueues } from '../../../../../engine/platform/queue/embedded.ts';
import { MemoryBackend, MemoryConnection } from '../../../../../engine/platform/queue/memory/memory-backend.ts';
import { deferred } from '../../../../support/ava/deferred.ts';
import { bullInMemory, REMOVED } from '../../../../support/engine/bullmq.ts';
import { Hearing } from '../../../../support/servers/hearing.ts';

const backend = (connection = new MemoryConnection()) => new MemoryBackend('q', { connection });

test('each operation that is not supported rejects with its name', async (t) => {
  const rejecting = Object.getPrototypeOf(MemoryBackend.prototype) as object;
  const operations = Object.getOwnPropertyNames(rejecting).filter((name) => name !== 'constructor');
  t.true(operations.length > 30);
  for (const operation of operations) {
    const run = backend()[operation as keyof MemoryBackend] as () => Promise<unknown>;
    await t.throwsAsync(run, { code: 'INTERNAL', message: new RegExp(`^BullMQ called ${operation}, which`) });
  }
});

test('what the port does not offer is rejected: limits, times other than an interval, jobs without an id', async (t) => {
  const bull = bullInMemory();
  const queue = bull.queue('q');
  const template = { opts: REMOVED };
  const rejected = (what: string) => ({ code: 'INTERNAL', message: new RegExp(`^BullMQ called ${what}, which`) });
  await t.throwsAsync(() => queue.add('job', {}, REMOVED), rejected('addJob without an id'));
  await t.throwsAsync(() => queue.setGlobalConcurrency(2), rejected('setQueueMeta with the limit concurrency'));
  await t.throwsAsync(() => queue.setGlobalRateLimit(2, 100), rejected('setQueueMeta with the limit max'));
  await t.throwsAsync(() => queue.obliterate(), rejected('obliterate without force'));
  for (const times of [{ pattern: '* * * * *' }, { every: 60, limit: 4 }, { every: 60, offset: 5 }])
    await t.throwsAsync(() => queue.upsertJobScheduler('s', times, template), rejected('upsertJobScheduler with .*'));
  t.deepEqual(await queue.getJobSchedulers(), []);
  for (const option of [{ limiter: { max: 2, duration: 100 } }, { metrics: { maxDataPoints: 1 } }]) {
    const [name = ''] = Object.keys(option);
    t.throws(() => bull.worker('q', null, option), rejected(`a worker with the option ${name}`));
  }
  await queue.close();
});

const options: [JobsOptions, RegExp][] = [
  [{}, /has no option removeOnComplete.*keeps no finished job/],
  [{ removeOnComplete: true }, /has no option removeOnFail/],
  [{ ...REMOVED, removeOnFail: 100 }, /removeOnFail = 100.*set it to true/],
  [{ ...REMOVED, attempts: 2 }, /attempts = 2/],
  [{ ...REMOVED, priority: 1 }, /priority = 1/],
  [{ ...REMOVED, lifo: true }, /lifo = true/],
  [{ ...REMOVED, deduplication: { id: 'x' } }, /deduplication/],
  [{ ...REMOVED, parent: { id: 'x', queue: 'bull:y' } }, /parent/],
];

for (const [opts, message] of options) {
  test(`a job with the options ${JSON.stringify(opts)} is rejected, and none is added with it`, async (t) => {
    const queue = bullInMemory().queue('q');
    const good = { name: 'job', data: {}, opts: { ...REMOVED, jobId: 'good' } };
    await t.throwsAsync(() => queue.addBulk([good, { ...good, opts: { jobId: 'bad', ...opts } }]), {
      code: 'INTERNAL',
      message,
    });
    await t.throwsAsync(() => queue.upsertJobScheduler('s', { every: 1_000 }, { opts }), { message });
    t.is(await queue.getJobCountByTypes(), 0);
    t.deepEqual(await queue.getJobSchedulers(), []);
    await queue.close();
  });
}

test('a job that has ended leaves nothing behind', async (t) => {
  const connection = new MemoryConnection();
  const queues = createEmbeddedQueues(() => {});
  const queue = queues.queue<number>('q');
  const done = new Hearing<number>();
  const consumer = queue.consume(async (n) => done.add(n), 10);
  await queue.add(Array.from({ length: 1_000 }, (_, n) => ({ id: `j${n}`, data: n, delayMs: n % 3 })));
  await done.until(({ length }) => length === 1_000);
  await consumer.close();
  t.deepEqual(await Promise.all([0, 1, 999].map((n) => queue.remove(`j${n}`))), [false, false, false]);
  await queues.close();

  const one = backend(connection);
  await one.addJob({ ...job, opts: REMOVED }, 'a');
  await one.moveToActive('token');
  await one.moveToCompleted({ id: 'a' }, 1, true, 'token', false);
  const state = connection.queue(one.qualifiedName);
  t.is(state.get('a'), undefined);
  for (const place of ['waiting', 'delayed', 'active'] as const) t.is(state.count(place), 0);
});

const job = {
  id: '',
  name: 'job',
  data: '{}',
  progress: 0,
  attemptsMade: 0,
  attemptsStarted: 0,
  timestamp: 0,
  failedReason: '',
  returnvalue: '',
  stalledCounter: 0,
};

test('a long queue of quick jobs does not keep the event loop from turning', async (t) => {
  const queues = createEmbeddedQueues(() => {});
  const queue = queues.queue<number>('q');
  const all = 30_000;
  await queue.add(Array.from({ length: all }, (_, n) => ({ id: `j${n}`, data: n })));
  const end = deferred();
  let done = 0;
  let turned = 0;
  const consumer = queue.consume(async () => {
    done += 1;
    if (done === 1) setTimeout(() => (turned = done), 0);
    if (done === all) end.resolve();
  }, 100);
  await end.promise;
  t.true(turned > 0 && turned < all, `the timer fired after ${turned} jobs`);
  await consumer.close();
  await queues.close();
});

test('a handler runs after the call that adds its job has returned', async (t) => {
  const queues = createEmbeddedQueues(() => {});
  const queue = queues.queue<number>('q');
  const order = new Hearing<string>();
  const consumer = queue.consume(async () => order.add('run'), 1);
  for (let n = 1; n <= 20; n += 1) {
    await queue.add([{ id: `j${n}`, data: n }]);
    order.add('added');
    await order.until(({ length }) => length === 2 * n);
  }
  t.deepEqual(order.all, Array(20).fill(['added', 'run']).flat());
  await consumer.close();
  await queues.close();
});
