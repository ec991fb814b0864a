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

const keysOf = (queue: string) => server.client().keys(`nodewright:${queue}:*`);

redis.serial('a process keeps its own chains, and all processes share the others', async (t) => {
  const processes = new Processes(t);
  const [one, two] = [await processes.open('p1'), await processes.open('p2')];
  const came = new Ordered();
  t.is(one.home(), undefined, 'a process that runs no activities has no room');
  one.consume(async ({ chain }) => came.add(`one ${chain}`), 3);
  t.is(one.home(), 'p1');
  two.consume(async ({ chain }) => came.add(`two ${chain}`), 3);
  for (let n = 0; n < 10; n += 1) {
    await Promise.all([one.add(jobOf(`a${n}@p1`)), two.add(jobOf(`b${n}@p2`))]);
    const both = [await came.next(), await came.next()];
    t.deepEqual(both.sort(), [`one a${n}@p1`, `two b${n}@p2`]);
  }
  await one.close();
  await one.add(jobOf('c'));
  t.is(await came.next(), 'two c');
});

redis.serial('a process whose activities are all taken leaves new chains to others', async (t) => {
  const processes = new Processes(t);
  const one = await processes.open('p3');
  const [began, may] = [new Ordered(), deferred()];
  t.teardown(() => may.resolve());
  one.consume(async ({ chain }) => {
    began.add(chain);
    await may.promise;
  }, 2);
  await one.add(jobOf('a@p3'));
  await began.next();
  t.is(one.home(), 'p3');
  await one.add(jobOf('b'));
  await began.next();
  t.is(one.home(), undefined);
  may.resolve();
});

redis.serial('a job that waits in a sticky queue is moved to all, and one that runs there stays', async (t) => {
  const processes = new Processes(t);
  const [one, two] = [await processes.open('p4'), await processes.open('p5')];
  const [began, may] = [new Ordered(), deferred()];
  t.teardown(() => may.resolve());
  one.consume(async ({ chain }) => {
    began.add(`one ${chain}`);
    await may.promise;
  }, 1);
  // A process always has room for one shared job beside those of its sticky queue.
  for (const chain of ['runs@p4', 'shared']) {
    await one.add(jobOf(chain));
    t.is(await began.next(), `one ${chain}`);
  }
  await one.add(jobOf('waits@p4'));
  two.consume(async ({ chain }) => began.add(`two ${chain}`), 1);
  await two.addAgain(jobOf('runs@p4'));
  await two.addAgain(jobOf('waits@p4'));
  t.is(await began.next(), 'two waits@p4');
  await two.add(jobOf('last'));
  t.is(await began.next(), 'two last', 'the other one was not added');
  may.resolve();
});

redis.serial('a job that Redis lost is added again, for all', async (t) => {
  const processes = new Processes(t);
  const [, two] = [await processes.open('p6'), await processes.open('p7')];
  const came = new Ordered();
  two.consume(async ({ chain }) => came.add(chain), 1);
  await two.addAgain(jobOf('lost@p6'));
  t.is(await came.next(), 'lost@p6');
});

redis.serial('the chains of a silent process are added for all, and nothing is left of its queue', async (t) => {
  const processes = new Processes(t);
  const [one, two] = [await processes.open('p8'), await processes.open('p9')];
  const [began, may, came] = [deferred(), deferred(), new Ordered()];
  t.teardown(() => may.resolve());
  let isFirst = true;
  one.consume(async ({ chain }) => {
    if (!isFirst) return came.add(chain);
    isFirst = false;
    began.resolve();
    await may.promise;
  }, 1);
  await one.add(jobOf('runs@p8'));
  await began.promise;
  await one.add(jobOf('waits@p8'));
  processes.silent.add('p8');
  two.consume(async ({ chain }) => came.add(chain), 1);
  await two.release('p8');
  t.deepEqual(await keysOf('sticky-p8'), []);
  for (const chain of ['runs@p8', 'waits@p8']) {
    await two.addAgain(jobOf(chain));
    t.is(await came.next(), chain);
  }
  processes.silent.delete('p8');
  may.resolve();
  // It had only been hung, and its next chains stay with it.
  await one.add(jobOf('next@p8'));
  t.is(await came.next(), 'next@p8');
  await one.close();
  t.deepEqual(await keysOf('sticky-p8'), []);
});

redis.serial('a job is removed from either queue, unless a process has it', async (t) => {
  const processes = new Processes(t);
  const one = await processes.open('p10');
  await one.add(jobOf('a@p10'));
  await one.add(jobOf('b'));
  t.deepEqual(await Promise.all(['a@p10', 'b', 'c@p10'].map((chain) => one.remove(chain))), [true, true, false]);
  await one.add(jobOf('d@p10'));
  processes.silent.add('p10');
  await one.release('p10');
  t.false(await one.remove('d@p10'));
});
