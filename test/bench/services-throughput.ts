/**
 * Like `throughput`, on services, 100 concurrent workflows: with an engine in this process; and with one and two real
 * daemons that are driven over HTTP. Rounds of ours and of bare BullMQ alternate on the same Redis.
 */
import { join } from 'node:path';
import { openBareOnRedis } from './bare.ts';
import { hear } from './broker.ts';
import { type BenchDaemon, startDaemon } from './daemon.ts';
import type { Figure, Line } from './figure.ts';
import { chainFolder, chainOf, openOurs } from './ours.ts';
import { cpu, cpuOf, type Round, rate, ratio, round, STEPS } from './rounds.ts';
import { type Services, withServices } from './services.ts';
import { openStoreAlone } from './store-alone.ts';
import { Watch } from './watch.ts';

const IN_FLIGHT = 100;
const WARM_UP = 100;
const RUNS = 200;
/** With fewer, bare BullMQ ends too soon to measure. */
const BARE_RUNS = 2_000;
const ROUNDS = 3;

type Run = (lane: number) => Promise<unknown>;

export const servicesThroughput: Figure = (place) =>
  withServices((services) => inProcess(services, place.folder('services-throughput')));

export const servicesDaemons: Figure = (place) =>
  withServices((services) => overHttp(services, place.folder('services-daemons')));

async function beside({ redis, mongodb }: Services, ours: Run): Promise<Beside> {
  const bare = openBareOnRedis(redis.port);
  const runBare = () => bare.run(STEPS);
  try {
    await round(WARM_UP, IN_FLIGHT, ours);
    await round(BARE_RUNS, IN_FLIGHT, runBare);
    const pairs: [Round, Round][] = [];
    let storeCpuSec = 0;
    for (let at = 0; at < ROUNDS; at++) {
      const before = cpuOf(mongodb.pid);
      const our = await round(RUNS, IN_FLIGHT, ours);
      storeCpuSec += cpuOf(mongodb.pid) - before;
      pairs.push([our, await round(BARE_RUNS, IN_FLIGHT, runBare)]);
    }
    return { pairs, storeCpuSec: (storeCpuSec * 1_000) / (ROUNDS * RUNS * STEPS) };
  } finally {
    await bare.close();
  }
}

interface Beside {
  pairs: [Round, Round][];
  /** CPU time of MongoDB's process, for 1,000 of our steps. */
  storeCpuSec: number;
}

const ours = ({ pairs }: Beside) => pairs.map(([our]) => our);

async function inProcess(services: Services, folder: string): Promise<Line[]> {
  const engine = await openOurs(join(folder, 'engine'), IN_FLIGHT, services.config);
  try {
    const alone = await openStoreAlone(services.mongodb.url);
    const floor = await round(RUNS, IN_FLIGHT, () => alone.run(STEPS)).finally(alone.close);
    const found = await beside(services, (lane) => engine.run(chainOf(STEPS), engine.nodes[lane] as string));
    const bare = found.pairs.map(([, other]) => other);
    return [
      rate('workflows, engine in process', ours(found)),
      rate('bare BullMQ', bare),
      rate('the store alone', [floor]),
      ratio('ratio', found.pairs),
      cpu('workflows', ours(found)),
      cpu('bare BullMQ', bare),
      { name: 'MongoDB for workflows, CPU', value: found.storeCpuSec, unit: 's/1,000 steps' },
    ];
  } finally {
    await engine.close();
  }
}

async function overHttp(services: Services, folder: string): Promise<Line[]> {
  const { config } = services;
  const hearing = await hear(config.amqp);
  const watch = new Watch(hearing);
  const settings = { ...config, graphs: [chainFolder(folder)] };
  const first = await startDaemon(join(folder, 'first'), IN_FLIGHT, settings);
  const nodes = await Promise.all(Array.from({ length: IN_FLIGHT }, (_, at) => node(first, at)));
  const drive =
    (daemons: readonly BenchDaemon[]): Run =>
    async (lane) => {
      const daemon = daemons[lane % daemons.length] as BenchDaemon;
      const { id } = await daemon.post(`/nodes/${nodes[lane]}/workflows`, { name: chainOf(STEPS) });
      return watch.succeeded(id as string);
    };
  const one = await beside(services, drive([first]));
  const second = await startDaemon(join(folder, 'second'), IN_FLIGHT, settings);
  const two = await beside(services, drive([first, second]));
  await Promise.all([first.stop(), second.stop()]);
  await hearing.close();
  return [
    rate('one daemon, over HTTP', ours(one)),
    ratio('its ratio', one.pairs),
    rate('two daemons, over HTTP', ours(two)),
    ratio('their ratio', two.pairs),
  ];
}

async function node(daemon: BenchDaemon, at: number): Promise<string> {
  return (await daemon.post('/nodes', { type: 'compute', name: `n${at}` })).id as string;
}
