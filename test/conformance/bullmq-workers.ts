/** Rules of BullMQ's workers on every backend: pauses, closing, stalled jobs. */
import type { TestFn } from 'ava';
import { deferred } from '../support/ava/deferred.ts';
import type { Scope } from '../support/ava/scope.ts';
import { type Bull, type BullJob, freshBull, numberOf } from '../support/engine/bullmq.ts';
import { Hearing } from '../support/servers/hearing.ts';

/** @param open called when a test runs */
export function bullWorkerConformance(test: TestFn, open: () => Bull): void {
  const fresh = (t: Scope) => freshBull(t, open());

  test('BullMQ: a paused queue gives out no job, and continues where it was', async (t) => {
    const it = fresh(t);
    const got = new Hearing<number | undefined>();
    await it.queue.pause();
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
    t.is(await it.queue.getJobCountByTypes('waiting'), 1);
    await worker.resume();
    await got.until(({ length }) => length === 2);
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
    t.is(await it.queue.getJobCountByTypes('waiting'), 1);
  });

  test('BullMQ: an idle worker closes immediately', async (t) => {
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
    const { id } = await it.add(1);
    await began.promise;
    await worker.close(true);
    const stalled = deferred<string>();
    const again = deferred<BullJob>();
    const other = it.worker(async (job) => again.resolve(job), checks);
    other.on('stalled', (job) => stalled.resolve(job));
    t.is(await stalled.promise, id as string);
    t.is((await again.promise).id, id as string);
    never.resolve();
  });

  test('BullMQ: a closed queue rejects additions', async (t) => {
    const it = fresh(t);
    await it.queue.waitUntilReady();
    await it.queue.close();
    await t.throwsAsync(() => it.add(1), { message: /^Connection is closed/ });
  });
}
