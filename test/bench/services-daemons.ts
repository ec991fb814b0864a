/**
 * Daemons that are driven over HTTP, on services: one, compared with bare BullMQ on the same Redis; and two.
 *
 * Two daemons are compared with one by CPU accounting, because on two cores they would share the cores with all
 * services. A daemon has one main thread, and so has Redis. With a core for each, the slowest of them limits the
 * throughput: per second, `1 / CPU seconds of a step` of one, and twice that of two. MongoDB and RabbitMQ use several
 * cores, and are not counted. The CPU time of the first daemon and of Redis includes the cost of a second one.
 */
import { join } from 'node:path';
import { openBare } from './bare.ts';
import { type Hearing, hear } from './broker.ts';
import { startDaemon } from './daemon.ts';
import { driver } from './driver.ts';
import { type Figure, type Line, least, median, under } from './figure.ts';
import { chainFolder } from './ours.ts';
import { cpu, IN_FLIGHT, type Round, rate, ratio, rounds, STEPS } from './rounds.ts';
import { type Services, withServices } from './services.ts';
import { Watch } from './watch.ts';

const FIRST = 'first daemon';
const SECOND = 'second daemon';

export const servicesDaemons: Figure = (place) =>
  withServices(async (services) => {
    const hearing = await hear(services.config.amqp, 'graph.finished.#');
    try {
      return under('AOF always', await measured(services, hearing, place.folder('services-daemons')));
    } finally {
      await hearing.close();
    }
  });

async function measured({ config, redis, clocks }: Services, hearing: Hearing, folder: string): Promise<Line[]> {
  const settings = { ...config, graphs: [chainFolder(folder)] };
  const start = (name: string) => startDaemon(join(folder, name), IN_FLIGHT, settings);
  const first = await start('first');
  const drive = await driver(new Watch(hearing), first);
  const bare = openBare(redis.port);
  const { one, jobs } = await rounds({
    one: drive({ [FIRST]: first }, clocks),
    jobs: { run: () => bare.run(STEPS), clocks },
  }).finally(() => bare.close());
  const second = await start('second');
  const { two } = await rounds({ two: drive({ [FIRST]: first, [SECOND]: second }, clocks) });
  await Promise.all([first.stop(), second.stop()]);
  return [
    rate('one daemon', one),
    rate('bare BullMQ', jobs),
    ratio('one daemon beside bare BullMQ', [one, jobs], ({ stepsPerSec }) => stepsPerSec, least(0.25)),
    rate('two daemons, on the same cores', two),
    cpu('one daemon', one, [FIRST]),
    cpu('two daemons', two, [FIRST, SECOND]),
    cpu('Redis with one daemon', one, ['Redis']),
    cpu('Redis with two daemons', two, ['Redis']),
    {
      name: 'two beside one, each on a core, by CPU time',
      value: median(two.map(capacity)) / median(one.map(capacity)),
      unit: 'x',
      goal: least(1.8),
    },
  ];
}

/** Steps per second, if each daemon and Redis had a core. */
function capacity({ cpuSec }: Round): number {
  const { [FIRST]: first = 0, [SECOND]: second = 0, Redis = 0 } = cpuSec;
  return 1_000 / Math.max(first, second, Redis);
}
