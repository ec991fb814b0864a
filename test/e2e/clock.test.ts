/** The machine's clock jumps by an hour, back and forward, under a working daemon. */
import { join } from 'node:path';
import type { ExecutionContext } from 'ava';
import { shiftedClock } from '../support/clock.ts';
import { startDaemonProcess } from '../support/daemon.ts';
import { folders } from '../support/engine.ts';
import { folder } from '../support/folder.ts';
import { noPrivateMongoDb, startMongoDb } from '../support/mongodb.ts';
import { needing } from '../support/needing.ts';
import { noRedis, startRedis } from '../support/redis.ts';
import { chain, ended, launch, lines, noneTwice, written } from '../support/workload.ts';

const HOUR_MS = 3_600_000;
const TIMER_MS = 6_000;
/** A due timer and a run of the sweep, on a busy machine. */
const LIMIT_MS = 30_000;

async function jumps(t: ExecutionContext, env: NodeJS.ProcessEnv): Promise<void> {
  t.timeout(180_000);
  const clock = shiftedClock(t);
  const daemon = await startDaemonProcess(t, { env: { ...env, ...clock.env }, config: { ...folders } });
  const home = folder(t);
  const once = chain('Graph.Once', 'Task.Fixture.WriteOnce', join(home, 'once'), 500, 3);
  const again = chain('Graph.Again', 'Task.Fixture.Write', join(home, 'again'), 1_000, 2);
  const hang = { ledger: join(home, 'hang'), line: 'act', _taskTimeout: TIMER_MS };
  const graphs = [once, again, one('Graph.Hang', 'Task.Fixture.Hang', hang), one('Graph.Sleep', 'Task.Sleep')];
  for (const graph of graphs) t.is((await daemon.api('PUT', '/workflows/graphs', graph)).status, 201);
  const all = (sleepMs: number) =>
    Promise.all([
      launch(daemon, 'Graph.Once'),
      launch(daemon, 'Graph.Hang'),
      launch(daemon, 'Graph.Sleep', { t0: { duration: sleepMs } }),
    ]);
  const end = async (ids: readonly string[]) =>
    (await Promise.all(ids.map((id) => ended(daemon, id, LIMIT_MS)))).map(({ tasks }) => tasks.at(-1)?.state);

  // Back: timers set before the jump and after it fire when they are due.
  const before = await all(TIMER_MS);
  await written(join(home, 'once'), 1);
  await clock.set(daemon, -HOUR_MS);
  const after = await all(TIMER_MS);
  t.deepEqual(await end(before), ['succeeded', 'timeout', 'succeeded']);
  t.deepEqual(await end(after), ['succeeded', 'timeout', 'succeeded']);

  // Forward: timers due within the hour fire now.
  const waiting = await all(HOUR_MS / 2);
  await written(join(home, 'once'), 7);
  await clock.set(daemon, HOUR_MS);
  t.deepEqual(await end(waiting), ['succeeded', 'timeout', 'succeeded']);

  // A start an hour before the stored times: pending work continues at once.
  const left = await launch(daemon, 'Graph.Again');
  await written(join(home, 'again'), 1);
  await daemon.kill('SIGKILL');
  await daemon.start();
  t.deepEqual(await end([left]), ['succeeded']);
  await noneTwice(t, join(home, 'once'));
  t.is((await lines(join(home, 'once'))).length, 9);
}

const one = (injectableName: string, taskName: string, optionOverrides: object = { duration: 0 }) => ({
  friendlyName: injectableName,
  injectableName,
  tasks: [{ label: 't0', taskName, optionOverrides }],
});

needing(undefined).serial(
  'a jump of the clock under a daemon without services delays nothing by an hour, and repeats nothing',
  (t) => jumps(t, {}),
);

needing(noRedis ?? noPrivateMongoDb, 'mongodb').serial(
  'a jump of the clock under a daemon on Redis and MongoDB delays nothing by an hour, and repeats nothing',
  async (t) => {
    const [redis, mongodb] = await Promise.all([startRedis(), startMongoDb()]);
    t.teardown(() => Promise.all([redis.stop(), mongodb.stop()]));
    await jumps(t, { REDIS_URL: redis.url, MONGODB_URL: mongodb.url });
  },
);
