/** Rules of BullMQ's workers on every backend: pauses, limits, closing, stalled jobs. */
import type { TestFn } from 'ava';
import { RateLimitError } from 'bullmq';
import { deferred } from '../support/ava/deferred.ts';
import type { Scope } from '../support/ava/scope.ts';
import { type Bull, type BullJob, freshBull, numberOf } from '../support/engine/bullmq.ts';
import { Hearing } from '../support/servers/hearing.ts';

/** @param open called when a test runs */
export function bullWorkerConformance(test: TestFn, open: () => Bull): void {
  const fresh = (t: Scope) => freshBull(t, open());

  test('BullMQ: a paused queue gives out no job, and goes on where it was', async (t) => {
    const it = fresh(t);
    const got = new Hearing<number | undefined>();
    await it.queue.pause();
    t.true(await it.queue.isPaused());
    it.worker(async (job) => got.add(numberOf(job)));
    await it.add(1);
    await it.add(2, { delay: 1 });
    await it.add(3);
    // The delayed one joins the others when its time has come.
    t.is(await it.queue.getJobCountByTypes('waiting', 'delayed'), 3);
    await it.queue.resume();
    t.deepEqual((await got.until(({ length }) => length === 3)).toSorted(), [1, 2, 3]);
  });

  test('BullMQ: a paused worker takes no job until it resumes', async (t) => {
    const it = fresh(t);
    const got = new Hearing<number | undefined>();
    const worker = it.worker(async (job) => got.add(numberOf(job)));
    await it.add(1);
    await got.until(({ length }) => length === 1);
    await worker.pause();
    await it.add(2);
    t.is(await it.queue.getJobState('2'), 'waiting');
    await worker.resume();
    await got.until(({ length }) => length === 2);
  });

  test('BullMQ: a queue has no more active jobs than its global concurrency, whatever the number of workers', async (t) => {
    const it = fresh(t);
    await it.queue.setGlobalConcurrency(2);
    const [all, may, full] = [new Hearing<number | undefined>(), deferred(), deferred()];
    let [running, most] = [0, 0];
    for (const name of ['one', 'other']) {
      it.worker(
        async (job) => {
          most = Math.max(most, ++running);
          if (running === 2) full.resolve();
          await may.promise;
          running -= 1;
          all.add(numberOf(job));
        },
        { name, concurrency: 5, drainDelay: 0.1 },
      );
    }
    for (let n = 0; n < 8; n += 1) await it.add(n);
    await full.promise;
    t.true(await it.queue.isMaxed());
    t.is(await it.queue.getGlobalConcurrency(), 2);
    may.resolve();
    await all.until(({ length }) => length === 8);
    t.is(most, 2);
    await it.queue.removeGlobalConcurrency();
    t.false(await it.queue.isMaxed());
  });

  test('BullMQ: a rate limit bounds the jobs of a window', async (t) => {
    const it = fresh(t);
    const times = new Hearing<number>();
    const windowMs = 300;
    // When the job was taken: its handler may begin later.
    const take = async ({ processedOn = 0 }: BullJob) => times.add(processedOn);
    it.worker(take, { concurrency: 4, limiter: { max: 2, duration: windowMs } });
    for (let n = 0; n < 5; n += 1) await it.add(n);
    const all = [...(await times.until(({ length }) => length === 5))].sort((a, b) => a - b);
    t.true((all[2] as number) - (all[0] as number) >= windowMs - 20);
    t.true((all[4] as number) - (all[2] as number) >= windowMs - 20);
  });

  test('BullMQ: a handler may limit the rate, and its job comes again', async (t) => {
    const it = fresh(t);
    const times = new Hearing<number>();
    it.worker(
      async (job) => {
        times.add(performance.now());
        if (job.attemptsStarted > 1) return;
        await it.queue.rateLimit(200);
        throw new RateLimitError();
      },
      { limiter: { max: 100, duration: 10 } },
    );
    await it.add(0);
    const [first, second] = (await times.until(({ length }) => length === 2)) as [number, number];
    t.true(second - first >= 180);
  });

  test('BullMQ: a worker that is closing ends its jobs and takes no other', async (t) => {
    const it = fresh(t);
    const [began, may] = [deferred(), deferred()];
    const got: (number | undefined)[] = [];
    const worker = it.worker(async (job) => {
      got.push(numberOf(job));
      began.resolve();
      await may.promise;
    });
    await it.add(1);
    await began.promise;
    await it.add(2);
    const closed = worker.close();
    may.resolve();
    await closed;
    t.deepEqual(got, [1]);
    t.deepEqual((await it.queue.getWaiting()).map(numberOf), [2]);
  });

  test('BullMQ: an idle worker closes at once', async (t) => {
    const it = fresh(t);
    const worker = it.worker(async () => {});
    const drained = new Promise((resolve) => worker.once('drained', () => resolve(undefined)));
    await it.add(1);
    await drained;
    const at = performance.now();
    await worker.close();
    // An idle worker looks for jobs every 5 s.
    t.true(performance.now() - at < 4_000);
  });

  test('BullMQ: the job of a worker that was closed by force goes to another one, as stalled', async (t) => {
    const it = fresh(t);
    const began = deferred();
    const never = deferred();
    const checks = { lockDuration: 400, stalledInterval: 200 };
    const worker = it.worker(() => {
      began.resolve();
      return never.promise;
    }, checks);
    await it.add(1);
    await began.promise;
    await worker.close(true);
    const stalled = deferred<string>();
    const again = deferred<BullJob>();
    const other = it.worker(async (job) => again.resolve(job), checks);
    other.on('stalled', (id) => stalled.resolve(id));
    t.is(await stalled.promise, '1');
    t.like(await again.promise, { id: '1', stalledCounter: 1, attemptsStarted: 2 });
    never.resolve();
  });

  test('BullMQ: a job that stalls too often fails', async (t) => {
    const it = fresh(t);
    const began = deferred();
    const checks = { lockDuration: 400, stalledInterval: 200, maxStalledCount: 0 };
    const worker = it.worker(() => {
      began.resolve();
      return new Promise(() => {});
    }, checks);
    await it.add(1);
    await began.promise;
    await worker.close(true);
    const failed = deferred<string>();
    it.worker(async () => failed.resolve('it ran'), checks).on('failed', (_, { message }) => failed.resolve(message));
    t.is(await failed.promise, 'job stalled more than allowable limit');
  });

  test('BullMQ: a closed queue rejects additions', async (t) => {
    const it = fresh(t);
    await it.queue.waitUntilReady();
    await it.queue.close();
    await t.throwsAsync(() => it.add(1), { message: /^Connection is closed/ });
  });
}
