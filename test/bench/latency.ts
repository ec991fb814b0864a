/**
 * On an idle engine in this process, one workflow at a time: from the launch to the event of the end, and from a
 * notification to the event of the end for a workflow that waits for its last one. For comparison, jobs of bare BullMQ
 * on Redis, from add to completed. Over HTTP a client would have to poll for the end, and would measure its own polling.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import { noRedis, startRedis } from '../support/servers/redis.ts';
import { type Bare, openBare } from './bare.ts';
import { type Figure, type Goal, type Line, median, most, Skipped, spread, under } from './figure.ts';
import { chainOf, type Ours, openOurs } from './ours.ts';
import { ROUNDS } from './rounds.ts';
import { inEachAofMode } from './services.ts';

const RUNS = 40;
const WARM_UP = 50;
/** Time for the previous run to settle. */
const GAP_MS = 20;
const FIVE_TASKS = { always: most(2), everysec: most(1.5) };

export const latency: Figure = async (place) => {
  if (noRedis) throw new Skipped(noRedis);
  const redis = await startRedis();
  const ours = await openOurs(place.folder('latency'), 1);
  const bare = openBare(redis.port);
  try {
    return under('Redis AOF always', await idle(ours, bare));
  } finally {
    await ours.close();
    await bare.close();
    await redis.stop();
  }
};

export const servicesLatency: Figure = (place) =>
  inEachAofMode(async ({ config, redis }, aof) => {
    const ours = await openOurs(place.folder(`services-latency-${aof}`), 1, config);
    const bare = openBare(redis.port);
    try {
      return await idle(ours, bare, { fiveTasks: FIVE_TASKS[aof], notification: most(2) });
    } finally {
      await ours.close();
      await bare.close();
    }
  });

type Goals = Partial<Record<'fiveTasks' | 'notification', Goal>>;

/** Returns its ms. */
type Timed = () => Promise<number>;

async function idle(ours: Ours, bare: Bare, goals: Goals = {}): Promise<Line[]> {
  const node = ours.nodes[0] as string;
  const timed = (run: () => Promise<number>) => async () => {
    const start = performance.now();
    return (await run()) - start;
  };
  const millis = await alternating({
    fiveTasks: timed(() => ours.run(chainOf(5), node)),
    fiveJobs: timed(() => bare.run(5)),
    notification: () => notified(ours, node),
    oneJob: timed(() => bare.run(1)),
  });
  return [
    ...spread('five tasks', millis.fiveTasks.flat()),
    ...spread('bare BullMQ, five jobs', millis.fiveJobs.flat()),
    ratio('five tasks beside five jobs', millis.fiveTasks, millis.fiveJobs, goals.fiveTasks),
    ...spread('notification to end', millis.notification.flat()),
    ...spread('bare BullMQ, one job', millis.oneJob.flat()),
    ratio('notification to end beside one job', millis.notification, millis.oneJob, goals.notification),
  ];
}

/** Returns the ms of each run, by round. All sides take turns, so that other load affects them equally. */
async function alternating<N extends string>(sides: Readonly<Record<N, Timed>>): Promise<Record<N, number[][]>> {
  const names = Object.keys(sides) as N[];
  const several = async (times: number) => {
    const millis = Object.fromEntries(names.map((name) => [name, []])) as unknown as Record<N, number[]>;
    for (let at = 0; at < times; at++) {
      for (const name of names) {
        await sleep(GAP_MS);
        millis[name].push(await sides[name]());
      }
    }
    return millis;
  };
  await several(WARM_UP);
  const rounds: Record<N, number[]>[] = [];
  while (rounds.length < ROUNDS) rounds.push(await several(RUNS));
  return Object.fromEntries(names.map((name) => [name, rounds.map((round) => round[name])])) as Record<N, number[][]>;
}

async function notified({ engine, watch }: Ours, nodeId: string): Promise<number> {
  const { id } = await engine.launches.launch({ name: 'Graph.Demo.InstallOs', options: {}, nodeId });
  await watch.waiting(id, 'wait-os-installed');
  await engine.notifications.notify({ done: true }, nodeId);
  await watch.waiting(id, 'wait-os-booted');
  await sleep(GAP_MS);
  const start = performance.now();
  await engine.notifications.notify({ done: true }, nodeId);
  return (await watch.succeeded(id)) - start;
}

/** Returns the median of the rounds' ratios of medians. */
const ratio = (name: string, ours: readonly number[][], others: readonly number[][], goal?: Goal): Line => ({
  name,
  value: median(ours.map((our, at) => median(our) / median(others[at] ?? []))),
  unit: 'x',
  ...(goal && { goal }),
});
