/**
 * A daemon on services and an embedded one, as operators use them, in turns with bare BullMQ, Restate and DBOS; Redis syncs
 * each write. A second daemon joins at the end.
 *
 * Two daemons, each with half of the workflows, are compared with one by CPU accounting, because on two cores they would
 * share the cores with all services. A daemon has one main thread, and so has Redis. With a core for each, the slowest of
 * them limits the throughput: per second, `1 / CPU seconds of a step`. MongoDB and RabbitMQ use several cores, and are not
 * counted.
 */
import { join } from 'node:path';
import { startRedis } from '../../support/servers/redis.ts';
import { hear } from '../broker.ts';
import { startDaemon } from '../daemon.ts';
import { type Figure, type Line, least, median, most, type Place, quantile } from '../figure.ts';
import { chainFolder } from '../ours.ts';
import { cpu, ROUNDS, type Round, rate } from '../rounds.ts';
import { type Services, withServices } from '../services.ts';
import { clocksOf } from '../usage.ts';
import { Watch } from '../watch.ts';
import { allCpu, bareContender, beside, besides, type Contender, inTurn, type Taken } from './contender.ts';
import { createNodes, follow, notificationToEnd, ourContender } from './ours.ts';
import { copyPeers, hasPostgres, type Peer, type PeerName, startPeer } from './peers.ts';

const ENDS = 'type=graph&action=finished';
const LOG = { log: { level: 'info' as const } };
const MB = 1_000_000;
const SERVICES = 'services';
const EMBEDDED = 'embedded';
const BARE = 'bare BullMQ';

export const sideBySide: Figure = (place) => withServices((services) => measured(place, services));

async function measured(place: Place, services: Services): Promise<Line[]> {
  const copy = copyPeers(place);
  const folder = place.folder('beside');
  const settings = { ...LOG, graphs: ['graphs', chainFolder(folder)] };
  const hearing = await hear(services.config.amqp, 'graph.#');
  const onServices = { ...settings, ...services.config };
  const daemon = await startDaemon(join(folder, SERVICES), 100, onServices);
  const embedded = await startDaemon(join(folder, EMBEDDED), 100, settings);
  const stream = await follow(embedded, ENDS);
  const bareRedis = await startRedis('--appendfsync', 'always');
  const bare = bareContender(bareRedis.port, clocksOf({ Redis: bareRedis.pid ?? 0 }));
  const peers: Partial<Record<PeerName, Peer>> = { Restate: await startPeer(copy, 'Restate') };
  if (hasPostgres()) peers.DBOS = await startPeer(copy, 'DBOS');
  const watch = new Watch(hearing);
  const nodes = await createNodes(daemon);
  const ours = ourContender({ engine: daemon }, nodes, watch, services.clocks);
  try {
    const taken = await besides({
      [SERVICES]: ours,
      [EMBEDDED]: ourContender({ engine: embedded }, await createNodes(embedded), new Watch(stream), {}),
      [BARE]: bare,
      ...(peers as Record<PeerName, Contender>),
    });
    const memory = { [SERVICES]: daemon.resident, [EMBEDDED]: embedded.resident };
    const notified = await notifications(bare.job, () => notificationToEnd(daemon, nodes[0] as string, watch));
    await embedded.stop();
    const second = await startDaemon(join(folder, 'second'), 100, onServices);
    const two = await twoDaemons(ours, ourContender({ engine: daemon, second }, nodes, watch, services.clocks));
    await second.stop();
    return [
      ...goalsOf(taken),
      notified,
      two,
      ...Object.entries(memory).map(([name, bytes]) => memoryOf(name, bytes)),
      ...Object.entries(taken).flatMap(([name, one]) => details(name, one)),
    ];
  } finally {
    await Promise.all([...Object.values(peers).map((peer) => peer.stop()), bare.close()]);
    await Promise.all([hearing.close(), stream.close(), bareRedis.stop()]);
  }
}

type All = Record<typeof SERVICES | typeof EMBEDDED | typeof BARE | PeerName, Taken>;

const perSecond = ({ stepsPerSec }: Round) => stepsPerSec;
const throughput = (ours: Taken, others: Taken) => beside(ours.rounds, others.rounds, perSecond);
const idle = (ours: Taken, others: Taken) => beside(ours.idle, others.idle, median);

function goalsOf({ services, embedded, [BARE]: bare, Restate }: All): Line[] {
  const x = (name: string, value: number) => ({ name, value, unit: 'x' });
  return [
    { ...x('services beside Restate, steps/s', throughput(services, Restate)), goal: least(1.5) },
    x('the same after 200 workflows', perSecond(services.early) / perSecond(Restate.early)),
    { ...x('services beside Restate, idle p50', idle(services, Restate)), goal: most(0.6) },
    cpuOf('services, all processes', services, most(0.45)),
    { ...x('embedded beside bare BullMQ, steps/s', throughput(embedded, bare)), goal: least(0.7) },
    { ...x('embedded beside Restate, steps/s', throughput(embedded, Restate)), goal: least(1.8) },
    x('the same after 200 workflows', perSecond(embedded.early) / perSecond(Restate.early)),
    { ...x('embedded beside Restate, idle p50', idle(embedded, Restate)), goal: most(0.5) },
  ];
}

const cpuOf = (name: string, { rounds }: Taken, goal?: Line['goal']): Line => ({
  name: `${name}, CPU`,
  value: median(rounds.map(allCpu)),
  unit: 's/1,000 steps',
  ...(goal && { goal }),
});

const memoryOf = (name: string, bytes: number): Line => ({
  name: `${name}, resident after the load`,
  value: bytes / MB,
  unit: 'MB',
  goal: most(250),
});

function details(name: string, taken: Taken): Line[] {
  const millis = taken.idle.flat();
  return [
    rate(name, taken.rounds),
    { name: `${name} after 200 workflows`, value: perSecond(taken.early), unit: 'steps/s' },
    { name: `${name}, idle p50`, value: median(millis), unit: 'ms' },
    { name: `${name}, idle p99`, value: quantile(millis, 0.99), unit: 'ms' },
    ...Object.keys(taken.early.cpuSec).map((process) => cpu(`${name}: ${process}`, taken.rounds, [process])),
  ];
}

async function notifications(job: () => Promise<number>, notified: () => Promise<number>): Promise<Line> {
  const sides = { job, notified };
  const rounds = [];
  while (rounds.length < ROUNDS) rounds.push(await inTurn(['job', 'notified'] as const, (name) => sides[name]()));
  const value = median(rounds.map((round) => median(round.notified) / median(round.job)));
  return { name: 'notification to end beside one bare job', value, unit: 'x', goal: most(1.5) };
}

async function twoDaemons(one: Contender, two: Contender): Promise<Line> {
  const taken: { one: Round[]; two: Round[] } = { one: [], two: [] };
  await two.round(4_000);
  for (let at = 0; at < ROUNDS; at++) {
    taken.one.push(await one.round(1_000));
    taken.two.push(await two.round(1_000));
  }
  const value = beside(taken.two, taken.one, capacity);
  return { name: 'two daemons beside one, by CPU time', value, unit: 'x', goal: least(1.8) };
}

/** Steps per second, if each daemon and Redis had a core. */
function capacity({ cpuSec: { engine = 0, second = 0, Redis = 0 } }: Round): number {
  return 1_000 / Math.max(engine, second, Redis);
}
