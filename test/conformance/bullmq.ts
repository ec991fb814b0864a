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
    const last = await it.add(4);
    const got = new Hearing<BullJob>();
    it.worker(async (job) => got.add(job), { name: 'one' });
    const jobs = await got.until(({ length }) => length === 4);
    t.deepEqual(jobs.map(numberOf), [1, 2, 3, 4]);
    t.deepEqual(
      jobs.map(({ id }) => id),
      [first.id, 'own-2', 'own-3', last.id],
    );
    const [job] = jobs as [BullJob];
    t.like(job, { name: 'job', priority: 0, delay: 0, timestamp: first.timestamp, progress: 0 });
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

  test('BullMQ: jobs are counted by state, and found while they exist', async (t) => {
    const it = fresh(t);
    const may = deferred();
    const began = deferred();
    const found = () => Promise.all(['a', 'b', 'c', 'd'].map(async (id) => (await it.queue.getJob(id))?.id));
    const counts = () => it.queue.getJobCounts('active', 'waiting', 'delayed', 'failed', 'prioritized');
    const none = { active: 0, waiting: 0, delayed: 0, failed: 0, prioritized: 0 };
    for (const jobId of ['a', 'b']) await it.add(0, { jobId });
    await it.add(0, { jobId: 'c', delay: 60_000 });
    t.deepEqual(await counts(), { ...none, waiting: 2, delayed: 1 });
    const worker = it.worker(async () => {
      began.resolve();
      await may.promise;
    });
    await began.promise;
    t.deepEqual(await counts(), { ...none, active: 1, waiting: 1, delayed: 1 });
    t.deepEqual(await found(), ['a', 'b', 'c', undefined]);
    const drained = new Promise((resolve) => worker.once('drained', () => resolve(undefined)));
    may.resolve();
    await drained;
    t.deepEqual(await counts(), { ...none, delayed: 1 });
    t.deepEqual(await found(), [undefined, undefined, 'c', undefined]);
  });

  test('BullMQ: a failed job is reported and forgotten, and its id may be added again', async (t) => {
    const it = fresh(t);
    const failed = new Hearing<string>();
    const worker = it.worker(async () => Promise.reject(new Error('on purpose')));
    worker.on('failed', (job, error) => failed.add(`${job?.id} ${error.message} ${job?.failedReason}`));
    for (const times of [1, 2]) {
      await it.add(0, { jobId: 'same' });
      await failed.until(({ length }) => length === times);
      t.is(await it.queue.getJob('same'), undefined);
    }
    t.deepEqual(failed.all, Array(2).fill('same on purpose on purpose'));
  });

  test('BullMQ: only the token that holds a job may end it', async (t) => {
    const it = fresh(t);
    const take = taking(it.worker(null));
    for (const jobId of ['a', 'b', 'c']) await it.add(0, { jobId });
    const [one, two] = [(await take('x')) as BullJob, (await take('y')) as BullJob];
    const waiting = (await it.queue.getJob('c')) as BullJob;
    const errors = await Promise.all(
      [one.moveToCompleted(1, 'y'), two.moveToFailed(new Error('no'), 'x'), waiting.moveToCompleted(1, 'x')].map(
        (ended) => ended.catch(({ message, code }) => [message, code]),
      ),
    );
    t.deepEqual(errors, [
      ['Lock mismatch for job a. Cmd moveToFinished from active', -6],
      ['Lock mismatch for job b. Cmd moveToFinished from active', -6],
      ['Missing lock for job c. moveToFinished', -2],
    ]);
    t.deepEqual(await it.queue.getBackend().extendLocks(['a', 'b', 'c'], ['x', 'x', 'x'], 60_000), ['b', 'c']);
    const [, next] = (await one.moveToCompleted(1, 'x', true)) as [unknown, string];
    t.is(next, 'c', 'the end of a job takes the next');
    await t.throwsAsync(() => one.moveToCompleted(1, 'x'), { message: 'Missing key for job a. moveToFinished' });
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

  test('BullMQ: a destroyed queue has nothing left, and continues', async (t) => {
    const it = fresh(t);
    const take = taking(it.worker(null));
    for (let n = 0; n < 3; n += 1) await it.add(n);
    await it.add(9, { delay: 60_000 });
    await it.queue.upsertJobScheduler('beat', { every: 60_000 }, { opts: REMOVED });
    const job = (await take('x')) as BullJob;
    await it.queue.obliterate({ force: true });
    t.is(await it.queue.getJobCountByTypes(), 0);
    t.deepEqual(await it.queue.getJobSchedulers(), []);
    await t.throwsAsync(() => job.moveToCompleted(1, 'x'), { message: /^Missing key for job .*\. moveToFinished/ });
    await it.add(1);
    t.is(numberOf(await take('y')), 1);
  });

  bullWorkerConformance(test, open);
  bullSchedulerConformance(test, open);
}
