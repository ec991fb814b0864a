/** Rules of BullMQ's `Queue` and `Worker` on every backend, as far as the in-process one supports them. */
import type { TestFn } from 'ava';
import { deferred } from '../support/ava/deferred.ts';
import type { Scope } from '../support/ava/scope.ts';
import { type Bull, type BullJob, freshBull, numberOf, REMOVED } from '../support/engine/bullmq.ts';
import { Hearing } from '../support/servers/hearing.ts';
import { bullSchedulerConformance } from './bullmq-schedulers.ts';
import { bullWorkerConformance } from './bullmq-workers.ts';

/** @param open called when a test runs */
export function bullConformance(test: TestFn, open: () => Bull): void {
  const fresh = (t: Scope) => freshBull(t, open());
  /** Takes a job without a lock manager. */
  const taking = (worker: ReturnType<Bull['worker']>) => (token: string) => worker.getNextJob(token, { block: false });

  test('BullMQ: jobs come in the order of their addition, with their fields', async (t) => {
    const it = fresh(t);
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
  });

  test('BullMQ: no job shares an object with another, nor with its adder', async (t) => {
    const it = fresh(t);
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
  });

  test('BullMQ: the state of a job is waiting, delayed or active, and unknown before and after', async (t) => {
    const it = fresh(t);
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
  });

  test('BullMQ: jobs are listed by state and page, in both directions', async (t) => {
    const it = fresh(t);
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
      active: 2,
      waiting: 3,
      delayed: 3,
      failed: 0,
    });
    await t.throwsAsync(() => it.queue.getBackend().isJobInState('lost', '1'), { message: 'Unknown job state: lost' });
  });

  test('BullMQ: a failed job is reported and forgotten, and its id may be added again', async (t) => {
    const it = fresh(t);
    const failed = new Hearing<string>();
    const worker = it.worker(async () => Promise.reject(new Error('on purpose')));
    worker.on('failed', (job, error) => failed.add(`${job?.id} ${error.message} ${job?.failedReason}`));
    for (const times of [1, 2]) {
      const job = await it.add(0, { jobId: 'same' });
      await failed.until(({ length }) => length === times);
      t.is(await job.getState(), 'unknown');
    }
    t.deepEqual(failed.all, Array(2).fill('same on purpose on purpose'));
  });

  test('BullMQ: only the token that holds a job may end it', async (t) => {
    const it = fresh(t);
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
  });

  test('BullMQ: a job that its worker gives back is the next', async (t) => {
    const it = fresh(t);
    const take = taking(it.worker(null));
    for (let n = 0; n < 3; n += 1) await it.add(n);
    const job = (await take('x')) as BullJob;
    await it.queue.getJob('2');
    t.is(await job.moveToWait('x'), 0);
    t.deepEqual((await it.queue.getWaiting()).map(numberOf), [0, 1, 2]);
    const again = (await take('y')) as BullJob;
    t.is(again.id, job.id);
    t.is(again.attemptsStarted, 2);
  });

  test('BullMQ: a job is removed unless a worker has it', async (t) => {
    const it = fresh(t);
    const take = taking(it.worker(null));
    await it.add(0, { jobId: 'held' });
    await take('x');
    await it.add(0, { jobId: 'idle' });
    await it.add(0, { jobId: 'late', delay: 60_000 });
    t.deepEqual(await Promise.all(['held', 'idle', 'late'].map((id) => it.queue.remove(id))), [0, 1, 1]);
    t.is(await it.queue.getJobCountByTypes(), 1);
  });

  test('BullMQ: a delayed job joins the waiting ones when it is due', async (t) => {
    const it = fresh(t);
    const got = new Hearing<number | undefined>();
    const at = performance.now();
    await Promise.all([it.add(3, { delay: 250 }), it.add(2, { delay: 150 }), it.add(1)]);
    it.worker(async (job) => got.add(numberOf(job)));
    await got.until(({ length }) => length === 2);
    t.true(performance.now() - at >= 120);
    t.deepEqual(await got.until(({ length }) => length === 3), [1, 2, 3]);
  });

  test('BullMQ: a queue is only destroyed while it is paused, and with force if it has active jobs', async (t) => {
    const it = fresh(t);
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
  });

  bullWorkerConformance(test, open);
  bullSchedulerConformance(test, open);
}
