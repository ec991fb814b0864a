/** Services that go away under a daemon at work: what a client sees meanwhile, and that everything ends as it should. */
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import type { ExecutionContext } from 'ava';
import { type DaemonProcess, startDaemonProcess } from '../support/daemon.ts';
import { folders } from '../support/engine.ts';
import { folder } from '../support/folder.ts';
import { noPrivateMongoDb, type PrivateMongoDb, startMongoDb } from '../support/mongodb.ts';
import { needing } from '../support/needing.ts';
import { noRedis, type RedisServer, startRedis } from '../support/redis.ts';

const test = needing(noRedis ?? noPrivateMongoDb, 'mongodb');
const LIMIT_MS = 90_000;
const ANSWER_MS = 10_000;

interface Scene {
  daemon: DaemonProcess;
  redis: RedisServer;
  mongodb: PrivateMongoDb;
  ids: string[];
  once: () => Promise<string[]>;
}

/** A daemon in the middle of twenty workflows, half of them of `once` acts. */
async function scene(t: ExecutionContext): Promise<Scene> {
  const [redis, mongodb] = await Promise.all([startRedis(), startMongoDb()]);
  t.teardown(() => Promise.all([redis.stop(), mongodb.stop()]));
  const env = { REDIS_URL: redis.url, MONGODB_URL: mongodb.url };
  const daemon = await startDaemonProcess(t, { env, config: { ...folders } });
  const home = folder(t);
  const graphs = ['Write', 'WriteOnce'].map((task) => chain(`Graph.Faults.${task}`, `Task.Fixture.${task}`, home));
  for (const graph of graphs) t.is((await daemon.api('PUT', '/workflows/graphs', graph)).status, 201);
  const launches = Array.from({ length: 20 }, (_, n) =>
    daemon.api('POST', `/workflows?name=${graphs[n % 2]?.injectableName}`, {}),
  );
  const ids = (await Promise.all(launches)).map(({ body }) => body.id);
  const once = async () => lines(join(home, 'WriteOnce'));
  while ((await once()).length < 5) await setTimeout(20);
  return { daemon, redis, mongodb, ids, once };
}

async function lines(file: string): Promise<string[]> {
  const text = await readFile(file, 'utf8').catch(() => '');
  return text.split('\n').filter((line) => line !== '');
}

const chain = (injectableName: string, taskName: string, home: string) => ({
  friendlyName: injectableName,
  injectableName,
  tasks: [0, 1, 2, 3].map((n) => ({
    ...{ label: `t${n}`, taskName },
    optionOverrides: { ledger: join(home, taskName.slice(13)), ms: 400, line: '{{ task.instanceId }}' },
    ...(n === 0 ? {} : { waitOn: { [`t${n - 1}`]: 'succeeded' } }),
  })),
});

/** No daemon died, so nothing was interrupted: all succeed, and no once act ran twice. */
async function allSucceed(t: ExecutionContext, { daemon, ids, once }: Scene): Promise<void> {
  for (const id of ids) {
    const until = Date.now() + LIMIT_MS;
    let { body } = await daemon.api('GET', `/workflows/${id}`);
    while (body.status === 'running' && Date.now() < until) {
      await setTimeout(100);
      ({ body } = await daemon.api('GET', `/workflows/${id}`));
    }
    t.is(body.status as unknown as string, 'succeeded', JSON.stringify(body));
  }
  const written = await once();
  t.deepEqual([new Set(written).size, written.length], [40, 40]);
}

test.serial(
  'Redis is killed and comes back from its file: every workflow succeeds, no once act runs twice',
  async (t) => {
    t.timeout(240_000);
    const at = await scene(t);
    await at.redis.kill();
    // Longer than a lock lasts.
    await setTimeout(7_000);
    await at.redis.start();
    await allSucceed(t, at);
  },
);

test.serial('MongoDB is away: clients get 503 in time, and every workflow succeeds afterwards', async (t) => {
  t.timeout(240_000);
  const at = await scene(t);
  await at.mongodb.kill();
  const before = Date.now();
  const { status, body } = await at.daemon.api('GET', `/workflows/${at.ids[0]}`);
  t.is(status, 503, JSON.stringify(body));
  t.true(Date.now() - before < ANSWER_MS);
  await setTimeout(8_000);
  await at.mongodb.start();
  await allSucceed(t, at);
});
