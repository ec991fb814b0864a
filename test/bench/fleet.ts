/**
 * A fleet on a twin: a daemon as users run it, and machines that are discovered, polled, switched off and on, and updated, all
 * at the same time; then a rollout updates them while some BMCs are silent; then a tenth of the BMCs is silent. Embedded, and
 * on services. Number of machines: `BENCH_FLEET`.
 *
 * 1. Machines are switched on within five minutes, and boot as slowly as real ones; polls are five minutes apart. Afterwards
 *    field time passes more quickly than real time, so that boots take none of it: the figures are the daemon's own.
 * 2. The answers of the API are measured all the time, by one client; idle is before the first machine.
 */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { request } from 'undici';
import type { ConfigFile } from '../../engine/platform/config/config.ts';
import { type BenchDaemon, startDaemon } from './daemon.ts';
import { type Figure, type Line, least, most, quantile, under } from './figure.ts';
import { rollOut, rolloutLines } from './fleet-rollout.ts';
import { exactlyOnce, type FleetTwin, startTwin } from './fleet-twin.ts';
import { mib } from './resident.ts';
import { withServices } from './services.ts';

const MACHINES = Number(process.env.BENCH_FLEET ?? 1_000);
/** The number of firmware updates. */
const UPDATES = Math.min(MACHINES, 1_000);
const [REAL, SPEED] = [1, 60];
const IN_FLIGHT = 8;
/** They are switched on within 90 s: as many in a second as of 10,000 within five minutes. */
const BOOTS = { machines: 3_000, speed: 3.3, ms: 240_000 };
/** How many of the BMCs are silent in the rollout, and in the outage. */
const [ROLLOUT_PERCENT, OUTAGE_PERCENT] = [3, 10];
const [LOOK_MS, ASK_MS] = [1_000, 100];
/** Each machine is polled twice in the time that is measured. */
const [POLL_MS, STEADY_MS] = [300_000, 600_000];
/** 20 minutes of two cores for 10,000. */
const DISCOVERY_CPU_SEC = 2_400 / 10_000;

export const fleet: Figure = async (place) => measured(place.folder('fleet'));
export const servicesFleet: Figure = (place) =>
  withServices(async ({ config }) => under('AOF always', await measured(place.folder('services-fleet'), config)));

/** A site gets its power back: more machines boot than the daemon can discover in the meantime, and users have to be answered. */
export const fleetBoots: Figure = async (place) => {
  unanswered = 0;
  const folder = place.folder('fleet-boots');
  const daemon = await startDaemon(folder, IN_FLIGHT);
  const twin = await startTwin(daemon, { folder, ...BOOTS });
  const booting = await measure('booting', daemon, twin, () => sleep(BOOTS.ms));
  const { nodes } = await json<Summary>(daemon, '/summary');
  await twin.stop();
  await daemon.stop();
  return [
    { name: `${BOOTS.machines} boot, API p99`, value: booting.p99, unit: 'ms', goal: most(1_000) },
    { name: `${BOOTS.machines} boot, answers 503`, value: unanswered, unit: '', goal: most(0) },
    { name: `nodes after ${BOOTS.ms / 60_000} minutes`, value: nodes.total, unit: '' },
  ];
};

/** The rollout alone, beside a batch of the same work, on machines that are discovered as quickly as the daemon can. */
export const fleetRollout: Figure = async (place) => {
  unanswered = 0;
  const folder = place.folder('fleet-rollout');
  const daemon = await startDaemon(folder, IN_FLIGHT);
  const idle = await whileAsking(daemon, () => sleep(5_000));
  const twin = await startTwin(daemon, { folder, machines: MACHINES, speed: SPEED });
  const discovered = await measure('discovered', daemon, twin, () => untilDiscovered(daemon));
  const update = await updateTo(daemon, folder, '9.9.9');
  const updated = await measure('updated', daemon, twin, () => runOnAll(daemon, update, UPDATES));
  await twin.stop();
  const rolledOut = await updatedByRollout(daemon, folder, idle.p99);
  await daemon.stop();
  return [
    ...shown(`${MACHINES} discovered at the same time`, discovered, idle.p99),
    ...shown(`${UPDATES} updated`, updated, idle.p99),
    ...rolledOut,
    { name: 'API, idle, p99', value: idle.p99, unit: 'ms' },
    { name: 'answers 503', value: unanswered, unit: '', goal: most(0) },
  ];
};

async function updatedByRollout(daemon: BenchDaemon, folder: string, idleP99: number): Promise<Line[]> {
  const faults = silent(ROLLOUT_PERCENT);
  const twin = await startTwin(daemon, { folder, machines: MACHINES, speed: SPEED, faults });
  const nodes = (await nodesWithObm(daemon)).slice(0, UPDATES);
  const { options } = await updateTo(daemon, folder, '9.9.10');
  const rollout = { nodes, options, silentPercent: ROLLOUT_PERCENT };
  const rolled = await measure('rolled out', daemon, twin, () =>
    rollOut(daemon, (path) => json(daemon, path), rollout),
  );
  const updates = await twin.told('update', `BMC from ${imageOf('9.9.10')}`);
  await twin.stop();
  return [
    ...shown(`rollout of ${UPDATES}, ${ROLLOUT_PERCENT} % silent`, rolled, idleP99),
    ...rolloutLines(rolled.result, updates),
  ];
}

async function measured(folder: string, services: ConfigFile = {}): Promise<Line[]> {
  unanswered = 0;
  const daemon = await startDaemon(folder, IN_FLIGHT, services);
  const idle = await whileAsking(daemon, () => sleep(5_000));
  let twin = await startTwin(daemon, { folder, machines: MACHINES, speed: REAL });
  const discovered = await measure('discovered', daemon, twin, () => untilDiscovered(daemon));
  await twin.stop();
  twin = await startTwin(daemon, { folder, machines: MACHINES, speed: SPEED });
  const pollers = await pollAll(daemon);
  const cpu = daemon.cpuSec;
  await sleep(STEADY_MS);
  const share = (daemon.cpuSec - cpu) / (STEADY_MS / 1_000);
  const steady = daemon.resident;
  const polls = await pollsOf(daemon, pollers);
  const off = await measure('switched off', daemon, twin, () =>
    runOnAll(daemon, { name: 'Graph.PowerOff.Node', options: {} }),
  );
  const on = await measure('switched on', daemon, twin, () =>
    runOnAll(daemon, { name: 'Graph.PowerOn.Node', options: {} }),
  );
  const offs = await twin.told('power', 'reset ForceOff');
  const update = await updateTo(daemon, folder, '9.9.9');
  const updated = await measure('updated', daemon, twin, () => runOnAll(daemon, update, UPDATES));
  const updates = await twin.told('update', `BMC from ${imageOf('9.9.9')}`);
  await twin.stop();
  const rolledOut = await updatedByRollout(daemon, folder, idle.p99);
  twin = await startTwin(daemon, { folder, machines: MACHINES, speed: SPEED, faults: silent(OUTAGE_PERCENT) });
  const outage = await whileAsking(daemon, () =>
    runOnAll(daemon, { name: 'Graph.PowerOff.Node', options: {} }, MACHINES, 0.85),
  );
  const { resident } = twin.usage();
  await twin.stop();
  await daemon.stop();
  return [
    ...shown(`${MACHINES} discovered`, discovered, idle.p99),
    {
      name: `${MACHINES} discovered, CPU of daemon and twin`,
      value: discovered.cpuSec,
      unit: 's',
      goal: most(DISCOVERY_CPU_SEC * MACHINES),
    },
    ...shown(`${MACHINES} switched off`, off, idle.p99),
    ...shown(`${MACHINES} switched on`, on, idle.p99),
    ...shown(`${UPDATES} updated`, updated, idle.p99),
    ...rolledOut,
    {
      name: 'machines with exactly one order to switch off',
      value: exactlyOnce(offs),
      unit: '',
      goal: least(MACHINES),
    },
    { name: 'machines with exactly one update', value: exactlyOnce(updates), unit: '', goal: least(UPDATES) },
    {
      name: 'API while a tenth of the BMCs is silent, p99 beside idle',
      value: outage.p99 / idle.p99,
      unit: 'x',
      goal: most(2),
    },
    { name: 'machines with two readings or more after ten minutes', value: polls, unit: '', goal: least(MACHINES) },
    { name: 'steady state, CPU', value: share, unit: 'cores', goal: most(0.3) },
    { ...mib('steady state, resident', steady), goal: most(400) },
    { name: 'answers 503', value: unanswered, unit: '', goal: most(0) },
    mib('the twin, resident', resident),
  ];
}

interface Phase {
  sec: number;
  cpuSec: number;
  p99: number;
}

async function measure<T>(
  name: string,
  daemon: BenchDaemon,
  twin: FleetTwin,
  work: () => Promise<T>,
): Promise<Phase & { result: T }> {
  const used = () => daemon.cpuSec + twin.usage().cpuSec;
  const [began, before] = [performance.now(), used()];
  const { p99, result } = await whileAsking(daemon, work);
  const phase = { sec: (performance.now() - began) / 1_000, cpuSec: used() - before, p99 };
  // A bench of a large fleet runs for hours: what is measured is seen when it is.
  process.stderr.write(`${name}: ${JSON.stringify(phase)}\n`);
  return { ...phase, result };
}

const shown = (name: string, { sec, p99 }: Phase, idleP99: number): Line[] => [
  { name, value: sec, unit: 's' },
  { name: `${name}, API p99 beside idle`, value: p99 / idleP99, unit: 'x', goal: most(2) },
];

/** Asks for a page of nodes repeatedly during the work. */
async function whileAsking<T>(daemon: BenchDaemon, work: () => Promise<T>): Promise<{ p99: number; result: T }> {
  const times: number[] = [];
  let isDone = false;
  const asking = (async () => {
    while (!isDone) {
      const began = performance.now();
      await json(daemon, '/nodes?$top=20');
      times.push(performance.now() - began);
      await sleep(ASK_MS);
    }
  })();
  const result = await work();
  isDone = true;
  await asking;
  return { p99: quantile(times, 0.99), result };
}

/** Answers 503 until the end of the bench. */
let unanswered = 0;

async function json<T>(daemon: BenchDaemon, path: string): Promise<T> {
  for (;;) {
    const answer = await request(`${daemon.origin}/api/current${path}`, { headers: daemon.headers });
    const text = await answer.body.text();
    if (answer.statusCode < 300) return JSON.parse(text === '' ? '[]' : text) as T;
    if (answer.statusCode !== 503) throw new Error(`GET ${path} returned ${answer.statusCode}: ${text}`);
    unanswered += 1;
    process.stderr.write(`GET ${path} returned 503: ${text}\n`);
    await sleep(LOOK_MS);
  }
}

interface Summary {
  workflows: { byStatus: Record<string, number> };
  nodes: { total: number };
}

/** Each machine is a node, its discovery has ended, and it has an obm. */
async function untilDiscovered(daemon: BenchDaemon): Promise<void> {
  for (;;) {
    const { workflows, nodes } = await json<Summary>(daemon, '/summary');
    if (nodes.total >= MACHINES && (workflows.byStatus.succeeded ?? 0) >= MACHINES) break;
    await sleep(LOOK_MS);
  }
  while ((await nodesWithObm(daemon)).length < MACHINES) await sleep(LOOK_MS);
}

async function nodesWithObm(daemon: BenchDaemon): Promise<string[]> {
  const ids: string[] = [];
  for (let skip = 0; ; skip += 1_000) {
    const page = await json<{ id: string; obms: object[] }[]>(daemon, `/nodes?$top=1000&$skip=${skip}&fields=obms`);
    ids.push(...page.flatMap(({ id, obms }) => (obms.length > 0 ? [id] : [])));
    if (page.length < 1_000) return ids;
  }
}

/** @returns the ids of the pollers, one of each machine */
async function pollAll(daemon: BenchDaemon): Promise<string[]> {
  const ids: string[] = [];
  const nodes = await nodesWithObm(daemon);
  for (let at = 0; at < nodes.length; at += IN_FLIGHT) {
    const created = nodes
      .slice(at, at + IN_FLIGHT)
      .map((node) => daemon.post('/pollers', { type: 'redfish', node, pollInterval: POLL_MS }));
    ids.push(...(await Promise.all(created)).map(({ id }) => String(id)));
  }
  return ids;
}

async function pollsOf(daemon: BenchDaemon, pollers: readonly string[]): Promise<number> {
  let count = 0;
  for (const id of pollers) if ((await json<object[]>(daemon, `/pollers/${id}/data`)).length >= 2) count += 1;
  return count;
}

const imageOf = (version: string): string => `bmc-${version}.bin`;

/** Stores the image, too. */
async function updateTo(daemon: BenchDaemon, folder: string, version: string) {
  const file = join(folder, imageOf(version));
  writeFileSync(file, 'firmware');
  await daemon.put(imageOf(version), file);
  const image = `${daemon.south}/${imageOf(version)}`;
  return { name: 'Graph.Firmware.Update', options: { update: { image, targets: ['BMC'], version } } };
}

const silent = (percent: number): string => `rate bmc silent ${percent} % for 100 h\n`;

/** @param share of the workflows that has to end */
async function runOnAll(
  daemon: BenchDaemon,
  launch: { name: string; options: object },
  count = MACHINES,
  share = 1,
): Promise<void> {
  const nodes = (await nodesWithObm(daemon)).slice(0, count);
  const before = await ended(daemon);
  for (let at = 0; at < nodes.length; at += 1_000) {
    await daemon.post('/nodes/workflows', { ...launch, nodes: nodes.slice(at, at + 1_000), concurrency: 1_000 });
  }
  while ((await ended(daemon)) - before < share * nodes.length) await sleep(LOOK_MS);
}

async function ended(daemon: BenchDaemon): Promise<number> {
  const { succeeded = 0, failed = 0, cancelled = 0 } = (await json<Summary>(daemon, '/summary')).workflows.byStatus;
  return succeeded + failed + cancelled;
}
