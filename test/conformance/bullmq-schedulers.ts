/** Rules of BullMQ's job schedulers on every backend. */
import type { TestFn } from 'ava';
import type { Scope } from '../support/ava/scope.ts';
import { type Bull, freshBull, REMOVED } from '../support/engine/bullmq.ts';
import { Hearing } from '../support/servers/hearing.ts';

/** @param open called when a test runs */
export function bullSchedulerConformance(test: TestFn, open: () => Bull): void {
  const fresh = (t: Scope) => freshBull(t, open());
  const template = { name: 'beat', data: { n: 1 }, opts: REMOVED };

  test('BullMQ: a scheduler has one iteration, which is replaced and removed with it', async (t) => {
    const { queue } = fresh(t);
    const startDate = Date.now() + 60_000;
    const job = await queue.upsertJobScheduler('s', { every: 5_000, startDate }, template);
    t.is(job?.id, `repeat:s:${startDate}`);
    t.like(job, { name: 'beat', repeatJobKey: 's' });
    await queue.upsertJobScheduler('s', { every: 7_000, startDate: startDate + 1 }, { ...template, data: { n: 2 } });
    await queue.upsertJobScheduler('r', { every: 9_000, startDate: startDate + 2 }, { opts: REMOVED });
    const schedulers = await queue.getJobSchedulers(0, -1, true);
    t.deepEqual(
      schedulers.map(({ key, every, next }) => [key, every, next]),
      [
        ['s', 7_000, startDate + 1],
        ['r', 9_000, startDate + 2],
      ],
    );
    t.deepEqual(
      (await queue.getJobSchedulers(1, 1, true)).map(({ key }) => key),
      ['r'],
    );
    t.is(await queue.getJobCountByTypes('delayed'), 2);
    t.true(await queue.removeJobScheduler('s'));
    t.false(await queue.removeJobScheduler('s'));
    t.is(await queue.getJobCountByTypes('delayed'), 1);
  });

  test('BullMQ: iterations follow each other at their interval', async (t) => {
    const it = fresh(t);
    const times = new Hearing<number>();
    it.worker(async ({ id }) => times.add(Number(id?.split(':')[2])));
    await it.queue.upsertJobScheduler('s', { every: 60 }, template);
    const all = (await times.until(({ length }) => length >= 4)).slice(0, 4);
    const gaps = all.slice(1).map((at, index) => at - (all[index] as number));
    t.true(
      gaps.every((gap) => gap >= 60 && gap % 60 === 0),
      `${gaps}`,
    );
  });
}
