/**
 * Many nodes, each with a workflow that waits for a notification: the memory of a daemon that has them, its start, and
 * the time until one broadcast has reached all. Embedded, and on services. Number: `BENCH_PARKED`.
 *
 * 1. Resident memory, as users would see it (no forced garbage collection), only shows how much the process once needed
 *    and has not returned. Therefore it is measured when idle, and compared are two daemons after a start: one without
 *    workflows on an existing folder, and one with them.
 * 2. The daemon that has created them is killed, so its successor gets nothing from an orderly stop.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import type { ConfigFile } from '../../engine/platform/config/config.ts';
import type { RedisServer } from '../support/servers/redis.ts';
import { type BenchDaemon, Rejected, startDaemon } from './daemon.ts';
import { type Figure, type Line, most, under } from './figure.ts';
import { mib, resident, seconds } from './resident.ts';
import { withServices } from './services.ts';

const given = process.env.BENCH_PARKED;
const EMBEDDED = Number(given ?? 10_000);
/** Fewer, because FerretDB needs some 10 ms for the documents of each. */
const ON_SERVICES = Number(given ?? 2_000);
/** Concurrent requests; enough to keep a store busy. */
const IN_FLIGHT = 16;
/** Seconds for each notified workflow: 40 and 60 for 100,000. */
const NOTIFIED_SEC = { embedded: 40 / 100_000, services: 60 / 100_000 };
const BEYOND_PERCENT = 10;

/** Its waits take broadcasts. */
const PARKED = { name: 'Graph.Demo.InstallOs', options: { defaults: { broadcast: true } } };
const WAITS = 'nodewright_task_states_total{state="waiting"}';

export const parked: Figure = (place) => measured(place.folder('parked'), EMBEDDED);

export const servicesParked: Figure = (place) =>
  withServices(async ({ config, redis }) =>
    under('AOF always', await measured(place.folder('services-parked'), ON_SERVICES, config, redis)),
  );

async function measured(
  folder: string,
  count: number,
  services: ConfigFile = {},
  redis?: RedisServer,
): Promise<Line[]> {
  const start = () => startDaemon(folder, IN_FLIGHT, services);
  await (await start()).stop();
  const maker = await start();
  const empty = await resident(maker);
  const before = redis && (await settledMemory(redis));
  const parkSec = await seconds(() => park(maker, count));
  const after = redis && (await settledMemory(redis));
  const made = await resident(maker);
  await maker.stop('SIGKILL');
  const daemon = await start();
  const full = await resident(daemon);
  const notifiedSec = await seconds(() => notifyAll(daemon, count));
  await daemon.stop();
  return [
    { name: `parking ${count}`, value: parkSec, unit: 's' },
    { name: `a start with ${count} parked, after a kill -9`, value: daemon.startMs, unit: 'ms' },
    mib('resident, empty', empty),
    mib(`resident, ${count} just parked`, made),
    mib(`resident, ${count} parked before the start`, full),
    {
      name: `memory with ${count} parked, beyond empty`,
      value: (full / empty - 1) * 100,
      unit: '%',
      goal: most(BEYOND_PERCENT),
    },
    ...(before === undefined || after === undefined
      ? []
      : [mib(`Redis, ${count} parked, beyond empty`, after - before)]),
    {
      name: `${count} notified by one broadcast`,
      value: notifiedSec,
      unit: 's',
      goal: most(NOTIFIED_SEC[redis ? 'services' : 'embedded'] * count),
    },
  ];
}

async function park(daemon: BenchDaemon, count: number): Promise<void> {
  let made = 0;
  const lane = async () => {
    while (made < count) await parkOne(daemon, made++);
  };
  await Promise.all(Array.from({ length: IN_FLIGHT }, lane));
  await daemon.reaches(WAITS, count);
}

async function parkOne(daemon: BenchDaemon, number: number): Promise<void> {
  const made = await patiently(() => daemon.post('/nodes', { type: 'compute', name: `node-${number}` }));
  await patiently(() => daemon.post(`/nodes/${made?.id}/workflows`, PARKED));
}

/**
 * Retries while the store is overloaded, like a client. @returns undefined: the previous attempt had succeeded after
 * all
 */
async function patiently<T>(ask: () => Promise<T>): Promise<T | undefined> {
  for (;;) {
    try {
      return await ask();
    } catch (error) {
      if (!(error instanceof Rejected)) throw error;
      if (error.status === 409) return undefined;
      if (error.status !== 503) throw error;
      await sleep(1_000);
    }
  }
}

/** One broadcast notification: each workflow leaves its first wait and enters the next. The daemon has counted none yet. */
async function notifyAll(daemon: BenchDaemon, count: number): Promise<void> {
  await daemon.post('/notification', { installed: true }, 'south');
  await daemon.reaches(WAITS, count);
}

/** Rows leave Redis when they have rested for 10 s. */
const REST_SEC = 12;
/** Keys that come and go while nothing moves. */
const OTHER_KEYS = 10;
const LEAVE_SEC = 300;

/** Returns the bytes that Redis uses when its number of keys has not changed for a while. */
async function settledMemory(redis: RedisServer): Promise<number> {
  const client = redis.client();
  try {
    let keys = await client.dbsize();
    for (let second = 0, calm = 0; second < LEAVE_SEC && calm < REST_SEC; second++) {
      await sleep(1_000);
      const now = await client.dbsize();
      calm = Math.abs(now - keys) < OTHER_KEYS ? calm + 1 : 0;
      keys = now;
    }
    return Number(/^used_memory:(\d+)/m.exec(await client.info('memory'))?.[1]);
  } finally {
    client.disconnect();
  }
}
