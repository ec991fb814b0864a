/** Rules of BullMQ's job schedulers on every backend. */
import type { TestFn } from 'ava';
import type { Scope } from '../support/ava/scope.ts';
import { type Bull, freshBull, REMOVED } from '../support/engine/bullmq.ts';
import { Hearing } from '../support/servers/hearing.ts';

/** @param open called when a test runs */
export function bullSchedulerConformance(test: TestFn, open: () => Bull): void {
  const fresh = (t: Scope) => freshBull(t, open());
  const template = { name: 'beat', data: { n: 1 }, opts: REMOVED };

  test('BullMQ: a scheduler has one iteration, which is replaced with it and cannot be removed alone', async (t) => {
    const it = fresh(t);
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
  });

  test('BullMQ: iterations follow each other at their interval, until their limit', async (t) => {
    const it = fresh(t);
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
  });

  test('BullMQ: a scheduler needs a time', async (t) => {
    const it = fresh(t);
    await t.throwsAsync(() => it.queue.upsertJobScheduler('s', {}, template), { message: /must be defined/ });
    const past = { every: 1_000, endDate: Date.now() - 1 };
    await t.throwsAsync(() => it.queue.upsertJobScheduler('s', past, template), { message: /^End date must be/ });
    t.deepEqual(await it.queue.getJobSchedulers(), []);
  });
}
