import test, { type ExecutionContext } from 'ava';
import { ActivityQueue, type ChainJob } from '../../../../engine/durable/runtime/activity-queue.ts';
import { openRedis, redisQueues } from '../../../../engine/platform/queue/redis.ts';
import { deferred } from '../../../support/ava/deferred.ts';
import { needing } from '../../../support/ava/needs.ts';
import { Hearing } from '../../../support/servers/hearing.ts';
import { noRedis, type RedisServer, startRedis } from '../../../support/servers/redis.ts';

const redis = needing(noRedis);
let server: RedisServer;
test.before(async () => {
  if (!noRedis) server = await startRedis();
});
test.after.always(() => server?.stop());

const jobOf = (chain: string): ChainJob => ({ workflow: 'w', chain });

/** Texts, to be read one by one. */
class Ordered extends Hearing<string> {
  #read = 0;

  async next(): Promise<string> {
    const at = this.#read++;
    return (await this.until((all) => all.length > at))[at] as string;
  }
}

/** Processes on one Redis, all alive until one is silent. */
class Processes {
  readonly silent = new Set<string>();
  readonly #t: ExecutionContext;

  constructor(t: ExecutionContext) {
    this.#t = t;
  }

  async open(id: string): Promise<ActivityQueue> {
    const queues = redisQueues(await openRedis(server.url, { info() {}, warn() {} }), id);
    const heard = async (other: string) => !this.silent.has(other);
    const queue = new ActivityQueue(queues, { id, singleNode: false, isHeard: heard });
    this.#t.teardown(async () => {
      await queue.close();
      await queues.close();
    });
    return queue;
  }
}

/** Gives the process room for one activity, and takes it with a chain that runs until `end`. */
async function occupy(one: ActivityQueue, came: Ordered, end: Promise<unknown>, chain: string): Promise<void> {
  await one.consume(async (job) => {
    came.add(`one ${job.chain}`);
    await end;
  }, 1);
  await one.add(jobOf(chain));
}

redis.serial('a process keeps its own chains without a job, and all processes share the others', async (t) => {
  const processes = new Processes(t);
  const [one, two] = [await processes.open('p1'), await processes.open('p2')];
  const came = new Ordered();
  t.is(one.home(), undefined, 'a process that runs no activities has no room');
  await one.consume(async ({ chain }, _, isNew) => came.add(`one ${chain} ${isNew}`), 3);
  t.is(one.home(), 'p1');
  await two.consume(async ({ chain }, _, isNew) => came.add(`two ${chain} ${isNew}`), 3);
  for (let n = 0; n < 10; n += 1) {
    await Promise.all([one.add(jobOf(`a${n}@p1`)), two.add(jobOf(`b${n}@p2`))]);
    const both = [await came.next(), await came.next()];
    t.deepEqual(both.sort(), [`one a${n}@p1 true`, `two b${n}@p2 true`]);
  }
  await one.close();
  await one.add(jobOf('c'));
  t.is(await came.next(), 'two c false');
});

redis.serial('a process that has no room lets some chains wait, and leaves the next ones to others', async (t) => {
  const processes = new Processes(t);
  const [one, two] = [await processes.open('p3'), await processes.open('p3-other')];
  const [came, may] = [new Ordered(), deferred()];
  t.teardown(() => may.resolve());
  await occupy(one, came, may.promise, 'runs@p3');
  t.is(await came.next(), 'one runs@p3');
  for (const n of [1, 2, 3, 4]) {
    t.is(one.home(), 'p3');
    await one.add(jobOf(`waits${n}@p3`));
  }
  t.is(one.home(), undefined);
  t.is(await one.waitingCount(), 4);
  await two.consume(async ({ chain }) => came.add(`two ${chain}`), 1);
  await one.add(jobOf('beyond@p3'));
  t.regex(await came.next(), / beyond@p3$/);
  may.resolve();
  for (const n of [1, 2, 3, 4]) t.is(await came.next(), `one waits${n}@p3`);
});

redis.serial('a chain that waits too long becomes a job', async (t) => {
  const processes = new Processes(t);
  const [one, two] = [await processes.open('p4'), await processes.open('p5')];
  const [came, may] = [new Ordered(), deferred()];
  t.teardown(() => may.resolve());
  await occupy(one, came, may.promise, 'runs@p4');
  t.is(await came.next(), 'one runs@p4');
  await one.add(jobOf('waits@p4'));
  await two.consume(async ({ chain }) => came.add(`two ${chain}`), 1);
  t.regex(await came.next(), / waits@p4$/, 'each process has room for a job beside its own chains');
  may.resolve();
});

redis.serial(
  'the sweep moves a chain that waits in another process to all, and leaves one that runs there',
  async (t) => {
    const processes = new Processes(t);
    const [one, two] = [await processes.open('p6'), await processes.open('p7')];
    const [came, may] = [new Ordered(), deferred()];
    t.teardown(() => may.resolve());
    await occupy(one, came, may.promise, 'runs@p6');
    t.is(await came.next(), 'one runs@p6');
    await one.add(jobOf('waits@p6'));
    await two.addAgain(jobOf('runs@p6'));
    await two.addAgain(jobOf('waits@p6'));
    await two.addAgain(jobOf('forgotten@p6'));
    await two.consume(async ({ chain }) => came.add(`two ${chain}`), 1);
    const moved = [await came.next(), await came.next()].map((text) => text.split(' ')[1]);
    t.deepEqual(moved.sort(), ['forgotten@p6', 'waits@p6']);
    may.resolve();
  },
);

redis.serial('a chain that another process may have by now does not start again without a job', async (t) => {
  const processes = new Processes(t);
  const [one, two] = [await processes.open('p8'), await processes.open('p9')];
  const [came, may] = [new Ordered(), deferred()];
  t.teardown(() => may.resolve());
  await two.consume(async ({ chain }) => {
    came.add(`two ${chain}`);
    await may.promise;
  }, 2);
  processes.silent.add('p8');
  await two.addAgain(jobOf('taken@p8'));
  t.is(await came.next(), 'two taken@p8');
  processes.silent.delete('p8');
  // It had only been hung. Its sweep finds the row that the other process is working on.
  await one.consume(async ({ chain }) => came.add(`one ${chain}`), 3);
  await one.addAgain(jobOf('taken@p8'));
  await one.add(jobOf('new@p8'));
  t.is(await came.next(), 'one new@p8');
  await one.add(jobOf('shared'));
  t.regex(await came.next(), / shared$/, 'the chain did not start twice');
  may.resolve();
});

redis.serial('chains that wait when their process stops become jobs', async (t) => {
  const processes = new Processes(t);
  const [one, two] = [await processes.open('p10'), await processes.open('p11')];
  const [came, may] = [new Ordered(), deferred()];
  t.teardown(() => may.resolve());
  await occupy(one, came, may.promise, 'runs@p10');
  t.is(await came.next(), 'one runs@p10');
  await one.add(jobOf('waits@p10'));
  await two.consume(async ({ chain }) => came.add(`two ${chain}`), 1);
  const closed = one.close();
  // A worker that closes may still take a job that is added in that moment.
  t.regex(await came.next(), /^(one|two) waits@p10$/);
  may.resolve();
  await closed;
  t.is(came.all.length, 2, 'each once');
});

redis.serial('a chain is removed where it waits, unless a process runs it', async (t) => {
  const processes = new Processes(t);
  const one = await processes.open('p12');
  await one.add(jobOf('job'));
  t.deepEqual([await one.remove('job'), await one.remove('none@p12')], [true, false]);
  const [began, may] = [new Ordered(), deferred()];
  t.teardown(() => may.resolve());
  await one.consume(async ({ chain }) => {
    began.add(chain);
    await may.promise;
  }, 1);
  await one.add(jobOf('runs@p12'));
  await began.next();
  await one.add(jobOf('waits@p12'));
  t.deepEqual([await one.remove('runs@p12'), await one.remove('waits@p12')], [false, true]);
  may.resolve();
});
