/** The heap, the list and the blocked workers of the in-process backend. */
import { setTimeout as sleep } from 'node:timers/promises';
import test from 'ava';
import fc from 'fast-check';
import { BlockedWorkers, NEVER, NOW } from '../../../../../engine/platform/queue/memory/blocked-workers.ts';
import { DelayedHeap } from '../../../../../engine/platform/queue/memory/delayed-heap.ts';
import { type StoredJob, storedJob } from '../../../../../engine/platform/queue/memory/stored-job.ts';
import { WaitList } from '../../../../../engine/platform/queue/memory/wait-list.ts';

const jobOf = (id: string): StoredJob => storedJob({ name: 'job', data: '{}', timestamp: 0 }, id, {});
const idsOf = (jobs: Iterable<StoredJob>) => Array.from(jobs, ({ id }) => id);

test('the heap yields jobs by time, and by their addition at one time, whichever are removed', (t) => {
  const change = fc.oneof(
    { weight: 3, arbitrary: fc.record({ at: fc.nat({ max: 20 }) }) },
    { weight: 1, arbitrary: fc.record({ removed: fc.nat() }) },
  );
  fc.assert(
    fc.property(fc.array(change, { maxLength: 100 }), (changes) => {
      const heap = new DelayedHeap();
      let model: StoredJob[] = [];
      for (const [n, one] of changes.entries()) {
        if ('at' in one) {
          const job = jobOf(String(n));
          heap.add(job, one.at);
          model.push(job);
          model = model.toSorted((a, b) => a.dueAt - b.dueAt);
        } else if (model.length > 0) {
          const [job] = model.splice(one.removed % model.length, 1) as [StoredJob];
          heap.remove(job);
        }
        t.is(heap.first, model[0]);
        t.is(heap.size, model.length);
      }
      const drained: StoredJob[] = [];
      for (let job = heap.first; job !== undefined; job = heap.first) {
        heap.remove(job);
        drained.push(job);
      }
      t.deepEqual(idsOf(drained), idsOf(model));
    }),
  );
});

test('the list keeps its order, whichever jobs are removed', (t) => {
  const change = fc.oneof(fc.constantFrom('push', 'push', 'unshift', 'shift'), fc.nat());
  fc.assert(
    fc.property(fc.array(change, { maxLength: 60 }), (changes) => {
      const list = new WaitList();
      const model: StoredJob[] = [];
      for (const [n, one] of changes.entries()) {
        if (one === 'push' || one === 'unshift') {
          const job = jobOf(String(n));
          list[one](job);
          model[one](job);
        } else if (one === 'shift') t.is(list.shift(), model.shift());
        else if (model.length > 0) list.remove(model.splice((one as number) % model.length, 1)[0] as StoredJob);
        t.is(list.size, model.length);
      }
      t.deepEqual(idsOf(list), idsOf(model));
    }),
  );
});

// The timer of blocked workers keeps no process running, so this does until the tests have ended.
const alive = setInterval(() => {}, 1_000);
test.after.always(() => clearInterval(alive));

const worker = { closing: undefined };
const timers = () => process.getActiveResourcesInfo().filter((name) => name === 'Timeout').length;

test('a blocked worker waits for its time, for a job or for an interrupt, and keeps no process running', async (t) => {
  const blocked = new BlockedWorkers(() => Number.POSITIVE_INFINITY);
  const before = timers();
  const waits = [blocked.wait(worker, 20), blocked.wait(worker, 2 ** 45)];
  t.is(timers(), before);
  t.is(blocked.size, 2);
  t.is(await waits[0], null);
  blocked.notify();
  t.is(await waits[1], NOW);
  const other = { closing: undefined };
  const [one, another] = [blocked.wait(worker, 60_000), blocked.wait(other, 60_000)];
  blocked.interrupt(other);
  t.is(await another, NEVER);
  t.is(blocked.size, 1);
  blocked.interrupt(worker);
  t.is(await one, NEVER);
});

test('a delay of months ends no block early, and causes no overflow of a timer', async (t) => {
  const warnings: Error[] = [];
  const warn = (warning: Error) => warnings.push(warning);
  process.on('warning', warn);
  const blocked = new BlockedWorkers(() => Date.now() + 2 ** 33);
  let ended = false;
  const wait = blocked.wait(worker, 2 ** 40).then(() => {
    ended = true;
  });
  await sleep(30);
  t.false(ended);
  t.deepEqual(warnings, []);
  process.off('warning', warn);
  blocked.interrupt(worker);
  await wait;
});

test.serial(
  'when the clock is set forward, a worker finds a job that is due by then at the end of its block',
  async (t) => {
    const machine = Date.now;
    const dueAt = machine() + 3_600_000;
    const blocked = new BlockedWorkers(() => dueAt);
    const wait = blocked.wait(worker, 50);
    Date.now = () => machine() + 7_200_000;
    t.is(await wait, NOW);
    Date.now = machine;
    t.is(await blocked.wait(worker, 20), null, 'and when it is set back, the job is not due');
  },
);

test('a block ends when a delayed job is due that was added after it began', async (t) => {
  let dueAt = Number.POSITIVE_INFINITY;
  const blocked = new BlockedWorkers(() => dueAt);
  const wait = blocked.wait(worker, 60_000);
  dueAt = Date.now() + 30;
  blocked.schedule();
  t.is(await wait, NOW);
  t.true(Date.now() >= dueAt);
});
