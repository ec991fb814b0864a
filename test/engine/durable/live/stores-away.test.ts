/** The real engine on services, of which one is full or away. */
import type { ExecutionContext } from 'ava';
import { needing } from '../../../support/ava/needs.ts';
import { openEngine } from '../../../support/engine/engine.ts';
import { chain } from '../../../support/faults/workload.ts';
import { noPrivateMongoDb, startMongoDb } from '../../../support/servers/mongodb.ts';
import { noRedis, startRedis } from '../../../support/servers/redis.ts';

const test = needing(noRedis ?? noPrivateMongoDb, 'mongodb');
const LAUNCHES = 5_000;
const TASKS = 4;

async function open(t: ExecutionContext) {
  const [redis, mongodb] = await Promise.all([startRedis(), startMongoDb()]);
  t.teardown(() => Promise.all([redis.stop(), mongodb.stop()]));
  const it = await openEngine({ redis: redis.url, mongodb: mongodb.url });
  t.teardown(() => it.close());
  return { it, redis, mongodb };
}

test.serial(
  'on a full Redis launches get UNAVAILABLE, and all that were accepted succeed when it has room',
  async (t) => {
    const { it, redis } = await open(t);
    const client = redis.client();
    const used = Number(/used_memory:(\d+)/.exec(await client.info('memory'))?.[1]);
    await client.config('SET', 'maxmemory', used + 200_000);
    const accepted: string[] = [];
    let rejection: unknown;
    for (let n = 0; n < LAUNCHES && rejection === undefined; n += 1) {
      const launch = it.launch('Graph.noop-example', {});
      await launch.then(
        ({ id }) => accepted.push(id),
        (error: unknown) => {
          rejection = error;
        },
      );
    }
    t.like(rejection, { code: 'UNAVAILABLE', status: 503 });
    await client.config('SET', 'maxmemory', 0);
    for (const id of accepted) t.is((await it.finished(id)).status, 'succeeded', id);
  },
);

test.serial(
  'while MongoDB is away, a running workflow takes its steps, and its end is recorded afterwards',
  async (t) => {
    const { it, mongodb } = await open(t);
    await it.engine.library.putGraph(chain('Graph.Away', 'Task.Fixture.Write', it.path('ledger'), 1_000, TASKS));
    const { id } = await it.launch('Graph.Away');
    await it.until(async () => (await it.lines('ledger')).length > 0);
    await mongodb.kill();
    await it.until(async () => (await it.lines('ledger')).length === TASKS);
    await it.until(() => it.of(id, 'finished').length === 1);
    await mongodb.start();
    t.is((await it.finished(id)).status, 'succeeded');
  },
);
