/** The machine's clock jumps by an hour, back and forward, under a working daemon. */
import { join } from 'node:path';
import type { ExecutionContext } from 'ava';
import { folder } from '../support/ava/folder.ts';
import { needing } from '../support/ava/needs.ts';
import { folders } from '../support/engine/definition-folders.ts';
import { chain, ended, launch, lines, noneTwice, written } from '../support/faults/workload.ts';
import { shiftedClock } from '../support/servers/clock.ts';
import { type DaemonProcess, startDaemonProcess } from '../support/servers/daemon.ts';
import { noPrivateMongoDb, startMongoDb } from '../support/servers/mongodb.ts';
import { noRedis, startRedis } from '../support/servers/redis.ts';

const HOUR_MS = 3_600_000;
const TIMER_MS = 6_000;

async function jumps(t: ExecutionContext, env: NodeJS.ProcessEnv): Promise<void> {
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
    (await Promise.all(ids.map((id) => ended(daemon, id)))).map(({ tasks }) => tasks.at(-1)?.state);

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

  // A start an hour before the stored times: pending work continues immediately.
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

/** The clocks of the daemons are right, three hours fast, and three hours slow. */
const SHIFTS = [0, 3 * HOUR_MS, -3 * HOUR_MS];

needing(noRedis ?? noPrivateMongoDb, 'mongodb').serial(
  'with services a daemon whose clock is hours wrong fires no timer early or late, and interrupts nothing',
  async (t) => {
    const [redis, mongodb] = await Promise.all([startRedis(), startMongoDb()]);
    t.teardown(() => Promise.all([redis.stop(), mongodb.stop()]));
    const clock = shiftedClock(t);
    const daemons: DaemonProcess[] = [];
    for (const shift of SHIFTS) {
      const env = { REDIS_URL: redis.url, MONGODB_URL: mongodb.url, ...clock.env, CLOCK_SHIFT: String(shift) };
      daemons.push(await startDaemonProcess(t, { env, config: { ...folders } }));
    }
    const [right, fast] = daemons as [DaemonProcess, DaemonProcess];
    const home = folder(t);
    const hang = (name: string, _taskTimeout: number) =>
      one(name, 'Task.Fixture.Hang', { ledger: join(home, 'hang'), line: 'act', _taskTimeout });
    const graphs = [
      chain('Graph.Once', 'Task.Fixture.WriteOnce', join(home, 'once'), 1_000, 6),
      hang('Graph.Hang', TIMER_MS),
      hang('Graph.HangLong', HOUR_MS),
      one('Graph.Sleep', 'Task.Sleep'),
    ];
    for (const graph of graphs) t.is((await right.api('PUT', '/workflows/graphs', graph)).status, 201);
    const round = async () => {
      const began = performance.now();
      const all = async (daemon: DaemonProcess) => ({
        short: await Promise.all([
          launch(daemon, 'Graph.Once'),
          launch(daemon, 'Graph.Hang'),
          launch(daemon, 'Graph.Sleep', { t0: { duration: TIMER_MS } }),
        ]),
        long: await Promise.all([
          launch(daemon, 'Graph.HangLong'),
          launch(daemon, 'Graph.Sleep', { t0: { duration: HOUR_MS } }),
        ]),
      });
      const launched = await Promise.all(daemons.map(all));
      for (const { short } of launched) {
        const states = (await Promise.all(short.map((id) => ended(right, id)))).map(({ tasks }) => tasks.at(-1));
        t.deepEqual(
          states.map((task) => task?.state),
          ['succeeded', 'timeout', 'succeeded'],
        );
      }
      t.true(performance.now() - began >= TIMER_MS, 'no timer fires early');
      for (const id of launched.flatMap(({ long }) => long)) {
        t.is((await right.api('GET', `/workflows/${id}`)).body.status, 'running');
      }
    };
    await round();
    // The clock of a running daemon jumps.
    await clock.set(fast, -5 * HOUR_MS);
    await round();
    await noneTwice(t, join(home, 'once'));
    t.is((await lines(join(home, 'once'))).length, 2 * SHIFTS.length * 6);
  },
);
