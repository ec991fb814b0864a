/** Rules of every queue. The test file of each adapter opens its own and passes it. */
import type { TestFn } from 'ava';
import type { Consumer, Queue, Queues } from '../../engine/platform/queue/port.ts';
import { deferred } from '../support/ava/deferred.ts';

interface Data {
  n: number;
}

export interface Logged {
  message: string;
  error: unknown;
}

let names = 0;

/** Consumes jobs and returns them one by one. */
function collect(queue: Queue<Data>): Consumer & { next(): Promise<number> } {
  const got: number[] = [];
  let awaited = deferred();
  const consumer = queue.consume(async ({ n }) => {
    got.push(n);
    awaited.resolve();
  }, 1);
  return {
    limit: (concurrency) => consumer.limit(concurrency),
    close: () => consumer.close(),
    async next() {
      if (got.length === 0) await awaited.promise;
      awaited = deferred();
      return got.shift() as number;
    },
  };
}

/** Runs jobs that go on when as many run as may. @returns the most that ran at the same time */
async function mostAtOnce(
  queue: Queue<Data>,
  concurrency: number,
  { jobs, limit }: { jobs: number; limit?: number },
): Promise<number> {
  const [full, may, all] = [deferred(), deferred(), deferred()];
  let [running, most, done] = [0, 0, 0];
  const consumer = queue.consume(async () => {
    most = Math.max(most, ++running);
    if (running === (limit ?? concurrency)) full.resolve();
    await may.promise;
    running--;
    if (++done === jobs) all.resolve();
  }, concurrency);
  if (limit !== undefined) consumer.limit(limit);
  await queue.add(numbered(jobs));
  await full.promise;
  may.resolve();
  await all.promise;
  await consumer.close();
  return most;
}

const numbered = (count: number) => Array.from({ length: count }, (_, n) => ({ id: `j${n}`, data: { n } }));

/** @param logged what the adapter under test has logged so far */
export function queueConformance(test: TestFn, open: () => Queues, logged: Logged[]): void {
  const fresh = () => open().queue<Data>(`q${names++}`);

  test('what is added reaches the handler, in order', async (t) => {
    const queue = fresh();
    await queue.add(numbered(3));
    const consumer = collect(queue);
    t.deepEqual([await consumer.next(), await consumer.next(), await consumer.next()], [0, 1, 2]);
    await queue.add([{ id: 'later', data: { n: 9 } }]);
    t.is(await consumer.next(), 9);
    await consumer.close();
  });

  for (const count of [3, 40]) {
    test(`an id that is there is left alone, among ${count} jobs`, async (t) => {
      const queue = fresh();
      await queue.add([{ id: 'j1', data: { n: 100 } }]);
      await queue.add(numbered(count));
      await queue.add(numbered(count));
      await queue.add([{ id: 'last', data: { n: -1 } }]);
      const consumer = collect(queue);
      const got: number[] = [];
      while (got.at(-1) !== -1) got.push(await consumer.next());
      const expected = [100, ...numbered(count).flatMap(({ data }) => (data.n === 1 ? [] : [data.n])), -1];
      t.deepEqual(got, expected);
      await consumer.close();
    });
  }

  test('an id may come again when its job is gone', async (t) => {
    const queue = fresh();
    const consumer = collect(queue);
    for (const n of [1, 2]) {
      await queue.add([{ id: 'same', data: { n } }]);
      t.is(await consumer.next(), n);
      // The handler has ended and its job is about to be removed: the next job shows when.
      await queue.add([{ id: `after${n}`, data: { n: 0 } }]);
      t.is(await consumer.next(), 0);
    }
    await consumer.close();
  });

  test('what is repeated comes again and again, by what was asked for last, until it is not repeated any more', async (t) => {
    const queue = fresh();
    const consumer = collect(queue);
    await queue.repeat('beat', { n: 1 }, 50, 10);
    await queue.repeat('other', { n: 9 }, 3_600_000, 3_600_000);
    for (let beats = 0; beats < 3; beats += 1) t.is(await consumer.next(), 1);
    t.deepEqual((await queue.repeatedJobs()).sort(), ['beat', 'other']);
    await queue.repeat('beat', { n: 2 }, 50, 0);
    while ((await consumer.next()) !== 2);
    await queue.unrepeat('beat');
    t.deepEqual(await queue.repeatedJobs(), ['other']);
    await queue.unrepeat('none');
    await consumer.close();
  });

  test('what is repeated waits for its first time', async (t) => {
    const queue = fresh();
    const before = Date.now();
    await queue.repeat('late', { n: 1 }, 50, 400);
    const consumer = collect(queue);
    await consumer.next();
    t.true(Date.now() - before >= 400);
    await queue.unrepeat('late');
    await consumer.close();
  });

  test('a delayed job comes when it is due, also to a worker that was idle', async (t) => {
    const queue = fresh();
    const consumer = collect(queue);
    await queue.add([{ id: 'first', data: { n: 0 } }]);
    await consumer.next();
    const at = Date.now();
    await queue.add([{ id: 'due', data: { n: 1 }, delayMs: 150 }]);
    t.is(await consumer.next(), 1);
    t.true(Date.now() - at >= 145);
    await consumer.close();
  });

  test('of two delayed jobs the one that is due sooner comes first', async (t) => {
    const queue = fresh();
    const consumer = collect(queue);
    await queue.add([
      { id: 'late', data: { n: 2 }, delayMs: 2_000 },
      { id: 'soon', data: { n: 1 }, delayMs: 50 },
    ]);
    t.deepEqual([await consumer.next(), await consumer.next()], [1, 2]);
    await consumer.close();
  });

  test('remove takes a waiting or delayed job away, and tells', async (t) => {
    const queue = fresh();
    await queue.add([...numbered(2), { id: 'delayed', data: { n: 7 }, delayMs: 60_000 }]);
    t.true(await queue.remove('j0'));
    t.true(await queue.remove('delayed'));
    t.false(await queue.remove('j0'));
    t.false(await queue.remove('never'));
    const consumer = collect(queue);
    t.is(await consumer.next(), 1);
    await consumer.close();
  });

  test('a job that a worker has is not removed', async (t) => {
    const queue = fresh();
    const [began, may] = [deferred(), deferred()];
    const consumer = queue.consume(() => {
      began.resolve();
      return may.promise;
    }, 1);
    await queue.add(numbered(1));
    await began.promise;
    t.false(await queue.remove('j0'));
    may.resolve();
    await consumer.close();
  });

  test('has finds a job that waits, and one that a worker has', async (t) => {
    const queue = fresh();
    const [began, may, next] = [deferred(), deferred(), deferred()];
    await queue.add([...numbered(1), { id: 'delayed', data: { n: 7 }, delayMs: 60_000 }]);
    t.deepEqual([await queue.has('j0'), await queue.has('delayed'), await queue.has('never')], [true, true, false]);
    const consumer = queue.consume(async ({ n }) => {
      if (n === 9) return next.resolve();
      began.resolve();
      await may.promise;
    }, 1);
    await began.promise;
    t.true(await queue.has('j0'));
    await queue.add([{ id: 'next', data: { n: 9 } }]);
    may.resolve();
    await next.promise;
    t.false(await queue.has('j0'));
    await consumer.close();
  });

  test('a destroyed queue has no jobs; a job that a worker has continues, and the queue takes new ones', async (t) => {
    const name = `q${names++}`;
    const [began, may, came] = [deferred(), deferred(), deferred()];
    const got: number[] = [];
    const queue = open().queue<Data>(name);
    const consumer = queue.consume(async ({ n }) => {
      if (n === 0) {
        began.resolve();
        await may.promise;
      }
      got.push(n);
      if (n === 9) came.resolve();
    }, 1);
    await queue.add([...numbered(3), { id: 'delayed', data: { n: 7 }, delayMs: 60_000 }]);
    await began.promise;
    await open().destroy(name);
    const again = open().queue<Data>(name);
    t.deepEqual(await Promise.all(['j1', 'j2', 'delayed'].map((id) => again.has(id))), [false, false, false]);
    may.resolve();
    await again.add([{ id: 'new', data: { n: 9 } }]);
    await came.promise;
    t.deepEqual(got, [0, 9]);
    await consumer.close();
    await open().destroy(name);
  });

  test('a limit that changes holds for the next jobs', async (t) => {
    t.is(await mostAtOnce(fresh(), 5, { limit: 2, jobs: 6 }), 2);
  });

  test('a handler that throws is logged, its job is gone and the next one comes', async (t) => {
    const queue = fresh();
    const [second, failure] = [deferred(), new Error('on purpose')];
    let first = 0;
    const consumer = queue.consume(async ({ n }) => {
      if (n === 1) return second.resolve();
      first++;
      throw failure;
    }, 1);
    await queue.add(numbered(2));
    await second.promise;
    await consumer.close();
    t.is(first, 1);
    t.is(logged.filter(({ error }) => error === failure).length, 1);
    t.false(await queue.remove('j0'));
  });

  test('as many jobs run at the same time as asked for, and no more', async (t) => {
    t.is(await mostAtOnce(fresh(), 3, { jobs: 10 }), 3);
  });

  test('close waits for the running jobs and takes no more', async (t) => {
    const queue = fresh();
    const [began, may] = [deferred(), deferred()];
    const done: number[] = [];
    const consumer = queue.consume(async ({ n }) => {
      began.resolve();
      await may.promise;
      done.push(n);
    }, 1);
    await queue.add(numbered(2));
    await began.promise;
    const closed = consumer.close();
    may.resolve();
    await closed;
    t.deepEqual(done, [0]);
    t.true(await queue.remove('j1'));
  });

  test('an id may be a word that the adapter uses itself', async (t) => {
    const queue = fresh();
    const ids = ['wait', 'active', 'delayed', 'meta', 'id', 'events', 'marker', 'stalled', 'repeat', 'pc', 'lock'];
    await queue.add(ids.map((id, n) => ({ id, data: { n } })));
    const consumer = collect(queue);
    for (const n of ids.keys()) t.is(await consumer.next(), n);
    await consumer.close();
  });

  test('two queues do not mix', async (t) => {
    const [one, other] = [fresh(), fresh()];
    await one.add([{ id: 'same', data: { n: 1 } }]);
    await other.add([{ id: 'same', data: { n: 2 } }]);
    const consumer = collect(other);
    t.is(await consumer.next(), 2);
    await consumer.close();
    t.true(await one.remove('same'));
  });

  test('the same name gives the same queue, and ping resolves', async (t) => {
    t.is(open().queue('one'), open().queue('one'));
    await t.notThrowsAsync(() => open().ping());
  });
}
