/** Rules of BullMQ's `Queue` and `Worker` on every backend, as far as the in-process one supports them. */

import type { TestFn } from 'ava';
import { RateLimitError } from 'bullmq';
import { type Bull, type BullJob, type BullQueue, type Processor, REMOVED } from '../support/bullmq.ts';
import { deferred } from '../support/deferred.ts';
import { Hearing } from '../support/hearing.ts';

let names = 0;

/** @param open called when a test runs */
export function bullConformance(test: TestFn, open: () => Bull): void {
  const fresh = () => {
    const name = `bull${names++}`;
    const bull = open();
    const queue = bull.queue(name);
    const closing: (() => Promise<unknown>)[] = [() => queue.close()];
    return {
      queue,
      add: (n: number, opts: object = {}) => queue.add('job', { n }, { ...REMOVED, ...opts }),
      worker(processor: Processor | null, opts: Parameters<Bull['worker']>[2] = {}) {
        const worker = bull.worker(name, processor, opts);
        worker.on('error', () => {});
        closing.unshift(() => worker.close());
        return worker;
      },
      async end() {
        for (const close of closing) await close();
      },
    };
  };
  const numberOf = (job: BullJob | undefined) => (job?.data as { n: number } | undefined)?.n;
  /** Takes a job without a lock manager. */
  const taking = (worker: ReturnType<Bull['worker']>) => (token: string) => worker.getNextJob(token, { block: false });

  test('BullMQ: jobs come in the order of their addition, with their fields', async (t) => {
    const it = fresh();
    const first = await it.add(1);
    await it.queue.addBulk([2, 3].map((n) => ({ name: 'job', data: { n }, opts: { ...REMOVED, jobId: `own-${n}` } })));
    t.is((await it.add(4)).id, '4', 'each addition counts');
    const got = new Hearing<BullJob>();
    it.worker(async (job) => got.add(job), { name: 'one' });
    const jobs = await got.until(({ length }) => length === 4);
    t.deepEqual(jobs.map(numberOf), [1, 2, 3, 4]);
    t.deepEqual(
      jobs.map(({ id }) => id),
      ['1', 'own-2', 'own-3', '4'],
    );
    const [job] = jobs as [BullJob];
    t.like(job, { name: 'job', attemptsStarted: 1, attemptsMade: 1, stalledCounter: 0, priority: 0, delay: 0 });
    t.like(job, { processedBy: 'one', timestamp: first.timestamp, progress: 0, token: job.token });
    t.like(job.opts, { ...REMOVED, attempts: 0 });
    await it.end();
  });

  test('BullMQ: no job shares an object with another, nor with its adder', async (t) => {
    const it = fresh();
    const data = { list: [1] };
    const opts = { ...REMOVED, jobId: 'shared' };
    const added = await it.queue.add('job', data, opts);
    data.list.push(2);
    opts.removeOnFail = false as never;
    (added.data as typeof data).list.push(3);
    const seen = (await it.queue.getJob('shared')) as BullJob;
    t.deepEqual(seen.data, { list: [1] });
    (seen.data as typeof data).list.push(4);
    Object.assign(seen.opts, { removeOnComplete: false });
    const got = deferred<unknown>();
    it.worker(async (job) =>
      got.resolve([structuredClone(job.data), job.opts.removeOnComplete, job.opts.removeOnFail]),
    );
    t.deepEqual(await got.promise, [{ list: [1] }, true, true]);
    await it.end();
  });

  test('BullMQ: the state of a job is waiting, delayed or active, and unknown before and after', async (t) => {
    const it = fresh();
    const may = deferred();
    const began = deferred();
    const states = async () => Promise.all(['a', 'b', 'c', 'd'].map((id) => it.queue.getJobState(id)));
    t.deepEqual(await states(), ['unknown', 'unknown', 'unknown', 'unknown']);
    for (const jobId of ['a', 'b']) await it.add(0, { jobId });
    const delayed = await it.add(0, { jobId: 'c', delay: 60_000 });
    const worker = it.worker(async () => {
      began.resolve();
      await may.promise;
    });
    await began.promise;
    t.deepEqual(await states(), ['active', 'waiting', 'delayed', 'unknown']);
    t.true(await delayed.isDelayed());
    t.false(await delayed.isWaiting());
    t.is(await it.queue.getActiveCount(), 1);
    t.is(await it.queue.count(), 2);
    t.is(await it.queue.getDelayedCount(delayed.timestamp + 60_000), 0);
    t.is(await it.queue.getDelayedCount(delayed.timestamp + 60_001), 1);
    const drained = new Promise((resolve) => worker.once('drained', () => resolve(undefined)));
    may.resolve();
    await drained;
    t.deepEqual(await states(), ['unknown', 'unknown', 'delayed', 'unknown']);
    await it.end();
  });

  test('BullMQ: jobs are listed by state and page, in both directions', async (t) => {
    const it = fresh();
    for (let n = 0; n < 5; n += 1) await it.add(n);
    for (const n of [7, 6, 5]) await it.add(n, { delay: n * 100_000 });
    const ns = (jobs: readonly BullJob[]) => jobs.map(numberOf);
    t.deepEqual(ns(await it.queue.getWaiting()), [0, 1, 2, 3, 4]);
    t.deepEqual(ns(await it.queue.getWaiting(1, 2)), [1, 2]);
    t.deepEqual(ns(await it.queue.getJobs('waiting', 1, 2, false)), [3, 2]);
    t.deepEqual(ns(await it.queue.getDelayed()), [5, 6, 7]);
    t.deepEqual(ns(await it.queue.getJobs('delayed', 0, 1, false)), [7, 6]);
    t.deepEqual(ns(await it.queue.getJobs(['waiting', 'delayed'], 0, 0, true)), [0, 5]);
    t.deepEqual(await it.queue.getCompleted(), []);
    const take = taking(it.worker(null));
    await take('x');
    await take('y');
    t.deepEqual(ns(await it.queue.getActive()), [0, 1]);
    t.deepEqual(await it.queue.getJobCounts('active', 'waiting', 'delayed', 'failed'), {
      ...{ active: 2, waiting: 3, delayed: 3, failed: 0 },
    });
    await t.throwsAsync(() => it.queue.getBackend().isJobInState('lost', '1'), { message: 'Unknown job state: lost' });
    await it.end();
  });

  test('BullMQ: a failed job is reported and forgotten, and its id may be added again', async (t) => {
    const it = fresh();
    const failed = new Hearing<string>();
    const worker = it.worker(async () => Promise.reject(new Error('on purpose')));
    worker.on('failed', (job, error) => failed.add(`${job?.id} ${error.message} ${job?.failedReason}`));
    for (const times of [1, 2]) {
      const job = await it.add(0, { jobId: 'same' });
      await failed.until(({ length }) => length === times);
      t.is(await job.getState(), 'unknown');
    }
    t.deepEqual(failed.all, Array(2).fill('same on purpose on purpose'));
    await it.end();
  });

  test('BullMQ: only the token that holds a job may end it', async (t) => {
    const it = fresh();
    const take = taking(it.worker(null));
    for (let n = 0; n < 3; n += 1) await it.add(n);
    const [one, two] = [(await take('x')) as BullJob, (await take('y')) as BullJob];
    const waiting = (await it.queue.getJob('3')) as BullJob;
    const errors = await Promise.all(
      [one.moveToCompleted(1, 'y'), two.moveToFailed(new Error('no'), 'x'), waiting.moveToCompleted(1, 'x')].map(
        (ended) => ended.catch(({ message, code }) => [message, code]),
      ),
    );
    t.deepEqual(errors, [
      ['Lock mismatch for job 1. Cmd moveToFinished from active', -6],
      ['Lock mismatch for job 2. Cmd moveToFinished from active', -6],
      ['Missing lock for job 3. moveToFinished', -2],
    ]);
    t.is(await one.extendLock('x', 1_000), 1);
    t.is(await one.extendLock('y', 1_000), 0);
    const [, next] = (await one.moveToCompleted(1, 'x', true)) as [unknown, string];
    t.is(next, '3', 'the end of a job takes the next');
    await t.throwsAsync(() => one.moveToCompleted(1, 'x'), { message: 'Missing key for job 1. moveToFinished' });
    await t.throwsAsync(() => one.moveToWait('x'), { message: 'Missing key for job 1. moveJobFromActiveToWait' });
    await it.end();
  });

  test('BullMQ: a job that its worker gives back is the next', async (t) => {
    const it = fresh();
    const take = taking(it.worker(null));
    for (let n = 0; n < 3; n += 1) await it.add(n);
    const job = (await take('x')) as BullJob;
    await it.queue.getJob('2');
    t.is(await job.moveToWait('x'), 0);
    t.deepEqual((await it.queue.getWaiting()).map(numberOf), [0, 1, 2]);
    const again = (await take('y')) as BullJob;
    t.is(again.id, job.id);
    t.is(again.attemptsStarted, 2);
    await it.end();
  });

  test('BullMQ: a job is removed unless a worker has it', async (t) => {
    const it = fresh();
    const take = taking(it.worker(null));
    await it.add(0, { jobId: 'held' });
    await take('x');
    await it.add(0, { jobId: 'idle' });
    await it.add(0, { jobId: 'late', delay: 60_000 });
    t.deepEqual(await Promise.all(['held', 'idle', 'late'].map((id) => it.queue.remove(id))), [0, 1, 1]);
    t.is(await it.queue.getJobCountByTypes(), 1);
    await it.end();
  });

  test('BullMQ: a paused queue gives out no job, and goes on where it was', async (t) => {
    const it = fresh();
    const got = new Hearing<number | undefined>();
    await it.queue.pause();
    t.true(await it.queue.isPaused());
    it.worker(async (job) => got.add(numberOf(job)));
    await it.add(1);
    await it.add(2, { delay: 1 });
    await it.add(3);
    t.is(await it.queue.getWaitingCount(), 2);
    await it.queue.resume();
    t.deepEqual((await got.until(({ length }) => length === 3)).toSorted(), [1, 2, 3]);
    await it.end();
  });

  test('BullMQ: a paused worker takes no job until it resumes', async (t) => {
    const it = fresh();
    const got = new Hearing<number | undefined>();
    const worker = it.worker(async (job) => got.add(numberOf(job)));
    await it.add(1);
    await got.until(({ length }) => length === 1);
    await worker.pause();
    await it.add(2);
    t.is(await it.queue.getJobState('2'), 'waiting');
    await worker.resume();
    await got.until(({ length }) => length === 2);
    await it.end();
  });

  test('BullMQ: a queue has no more active jobs than its global concurrency, whatever the number of workers', async (t) => {
    const it = fresh();
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
    await it.end();
  });

  test('BullMQ: a rate limit bounds the jobs of a window', async (t) => {
    const it = fresh();
    const times = new Hearing<number>();
    const windowMs = 300;
    it.worker(async () => times.add(performance.now()), { concurrency: 4, limiter: { max: 2, duration: windowMs } });
    for (let n = 0; n < 5; n += 1) await it.add(n);
    const all = await times.until(({ length }) => length === 5);
    t.true((all[2] as number) - (all[0] as number) >= windowMs - 20);
    t.true((all[4] as number) - (all[2] as number) >= windowMs - 20);
    await it.end();
  });

  test('BullMQ: a handler may limit the rate, and its job comes again', async (t) => {
    const it = fresh();
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
    await it.end();
  });

  test('BullMQ: a delayed job joins the waiting ones when it is due', async (t) => {
    const it = fresh();
    const got = new Hearing<number | undefined>();
    await it.add(3, { delay: 250 });
    await it.add(2, { delay: 150 });
    await it.add(1);
    const at = performance.now();
    it.worker(async (job) => got.add(numberOf(job)));
    await got.until(({ length }) => length === 2);
    t.true(performance.now() - at >= 120);
    t.deepEqual(await got.until(({ length }) => length === 3), [1, 2, 3]);
    await it.end();
  });

  test('BullMQ: a queue is only destroyed while it is paused, and with force if it has active jobs', async (t) => {
    const it = fresh();
    const take = taking(it.worker(null));
    for (let n = 0; n < 3; n += 1) await it.add(n);
    await it.add(9, { delay: 60_000 });
    await it.queue.upsertJobScheduler('beat', { every: 60_000 }, { opts: REMOVED });
    const job = (await take('x')) as BullJob;
    const backend = it.queue.getBackend();
    await t.throwsAsync(() => backend.obliterate({ force: true, count: 10 }), {
      message: 'Cannot obliterate non-paused queue',
    });
    await t.throwsAsync(() => it.queue.obliterate(), { message: 'Cannot obliterate queue with active jobs' });
    await it.queue.obliterate({ force: true });
    t.is(await it.queue.getJobCountByTypes(), 0);
    t.deepEqual(await it.queue.getJobSchedulers(), []);
    t.false(await it.queue.isPaused());
    await t.throwsAsync(() => job.moveToCompleted(1, 'x'), { message: 'Missing key for job 1. moveToFinished' });
    t.is((await it.add(0)).id, '1');
    await it.end();
  });

  schedulerConformance(test, fresh);

  test('BullMQ: a worker that is closing ends its jobs and takes no other', async (t) => {
    const it = fresh();
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
    await it.end();
  });

  test('BullMQ: an idle worker closes at once', async (t) => {
    const it = fresh();
    const worker = it.worker(async () => {});
    const drained = new Promise((resolve) => worker.once('drained', () => resolve(undefined)));
    await it.add(1);
    await drained;
    const at = performance.now();
    await worker.close();
    // An idle worker looks for jobs every 5 s.
    t.true(performance.now() - at < 4_000);
    await it.end();
  });

  test('BullMQ: the job of a worker that was closed by force goes to another one, as stalled', async (t) => {
    const it = fresh();
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
    await it.end();
  });

  test('BullMQ: a job that stalls too often fails', async (t) => {
    const it = fresh();
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
    await it.end();
  });

  test('BullMQ: a closed queue rejects additions', async (t) => {
    const it = fresh();
    await it.queue.waitUntilReady();
    await it.queue.close();
    await t.throwsAsync(() => it.add(1), { message: /^Connection is closed/ });
  });
}

interface Opened {
  queue: BullQueue;
  worker(processor: Processor | null): ReturnType<Bull['worker']>;
  end(): Promise<void>;
}

function schedulerConformance(test: TestFn, fresh: () => Opened): void {
  const template = { name: 'beat', data: { n: 1 }, opts: REMOVED };

  test('BullMQ: a scheduler has one iteration, which is replaced with it and cannot be removed alone', async (t) => {
    const it = fresh();
    const { queue } = it;
    const startDate = Date.now() + 60_000;
    const job = await queue.upsertJobScheduler('s', { every: 5_000, startDate }, template);
    t.is(job?.id, `repeat:s:${startDate}`);
    t.like(job, { name: 'beat', repeatJobKey: 's' });
    const kept = { key: 's', name: 'beat', next: startDate, startDate, iterationCount: 1, every: 5_000 };
    const whole = { ...kept, offset: startDate % 5_000, template: { data: { n: 1 }, opts: REMOVED } };
    t.deepEqual(await queue.getJobScheduler('s'), whole);
    await t.throwsAsync(() => queue.remove(job?.id as string), { message: /belongs to a job scheduler/ });
    await queue.upsertJobScheduler('s', { every: 7_000, startDate: startDate + 1 }, { ...template, data: { n: 2 } });
    await queue.upsertJobScheduler('r', { pattern: '0 0 1 1 *', tz: 'UTC' }, { opts: REMOVED });
    const schedulers = await queue.getJobSchedulers(0, -1, true);
    t.deepEqual(
      schedulers.map(({ key, every, pattern }) => [key, every ?? pattern]),
      [
        ['s', 7_000],
        ['r', '0 0 1 1 *'],
      ],
    );
    t.is(await queue.getJobSchedulersCount(), 2);
    t.deepEqual(
      (await queue.getJobSchedulers(1, 1, true)).map(({ key }) => key),
      ['r'],
    );
    t.is(await queue.getDelayedCount(), 2);
    t.true(await queue.removeJobScheduler('s'));
    t.false(await queue.removeJobScheduler('s'));
    t.is(await queue.getJobScheduler('s'), undefined);
    t.is(await queue.getDelayedCount(), 1);
    await it.end();
  });

  test('BullMQ: iterations follow each other at their interval, until their limit', async (t) => {
    const it = fresh();
    const times = new Hearing<number>();
    it.worker(async ({ id }) => times.add(Number(id?.split(':')[2])));
    await it.queue.upsertJobScheduler('s', { every: 60, limit: 4 }, template);
    const all = await times.until(({ length }) => length === 4);
    const gaps = all.slice(1).map((at, index) => at - (all[index] as number));
    t.true(
      gaps.every((gap) => gap >= 60 && gap % 60 === 0),
      `${gaps}`,
    );
    t.is((await it.queue.getJobScheduler('s'))?.iterationCount, 4);
    t.is(await it.queue.getDelayedCount(), 0);
    await it.end();
  });

  test('BullMQ: a scheduler needs a time', async (t) => {
    const it = fresh();
    await t.throwsAsync(() => it.queue.upsertJobScheduler('s', {}, template), { message: /must be defined/ });
    const past = { every: 1_000, endDate: Date.now() - 1 };
    await t.throwsAsync(() => it.queue.upsertJobScheduler('s', past, template), { message: /^End date must be/ });
    t.deepEqual(await it.queue.getJobSchedulers(), []);
    await it.end();
  });
}
