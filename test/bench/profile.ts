/**
 * Microseconds of the main thread for a workflow of five tasks, by phase: launches over HTTP with a token, 100 in flight,
 * embedded and on services. The daemon is started from the sources, so that each sample has its file.
 *
 * 1. A sample belongs to the nearest caller that is a file of a phase: what a library does, it does for its caller,
 *    unless the library is a phase itself.
 */
import { join } from 'node:path';
import { createNodes, follow, ourContender } from './beside/ours.ts';
import { hear } from './broker.ts';
import { type BenchDaemon, startDaemon } from './daemon.ts';
import type { Figure, Line } from './figure.ts';
import { type Profile, profiled } from './inspector.ts';
import { chainFolder } from './ours.ts';
import type { Clocks } from './rounds.ts';
import { withServices } from './services.ts';
import { Watch } from './watch.ts';

const WARM_UP = 2_000;
const RUNS = 1_000;
const SOURCES = ['--inspect=127.0.0.1:0', '--import=tsx', 'api/process/main.ts'];

/** The first that matches a file or a function of V8. */
const PHASES: readonly [name: string, pattern: RegExp][] = [
  ['garbage collection', /^\(garbage collector\)/],
  ['MongoDB driver and store', /node_modules\/(mongodb|bson)\/|store\/mongo/],
  ['embedded store', /engine\/platform\/store\//],
  ['Redis client', /node_modules\/(ioredis|redis-parser|@ioredis)\/|platform\/redis\//],
  ['BullMQ', /node_modules\/bullmq\/|platform\/queue\//],
  ['AMQP and outbox', /node_modules\/amqplib\/|events\/(broker|outbox)\//],
  ['event log', /events\/event-log\//],
  ['hooks', /events\/hooks\//],
  ['live rows', /durable\/live\//],
  ['rows', /durable\/runtime\/(rows|pairs|cache)/],
  ['pure step', /durable\/(step|actors)\/|engine\/define\/|node_modules\/xstate\//],
  ['activities', /durable\/runtime\/|tasks\//],
  ['watchdog', /durable\/watchdog\//],
  ['metrics', /durable\/telemetry\/|node_modules\/prom-client\//],
  ['audit', /operations\/audit|middleware\/audit/],
  ['tokens', /api\/auth\/|node_modules\/jose\/|operations\/users/],
  ['launch', /engine\/workflows\/|engine\/library\/|engine\/inventory\//],
  ['HTTP', /\/api\//],
  ['Koa and its router', /node_modules\/(koa|@koa|koa-[^/]+|raw-body|co-body)\//],
];

const NODE = 'sockets, timers and ticks of Node';
const OTHER = 'other';

export const profile: Figure = async (place) => {
  const folder = place.folder('profile');
  const graphs = ['graphs', chainFolder(folder)];
  const embedded = await startDaemon(join(folder, 'embedded'), 100, { graphs }, SOURCES, 'log in');
  const stream = await follow(embedded, 'type=graph&action=finished');
  const lines = await measured('embedded', embedded, new Watch(stream), {});
  await stream.close();
  await embedded.stop();
  const onServices = await withServices(async ({ config, clocks }) => {
    const hearing = await hear(config.amqp, 'graph.finished.#');
    const daemon = await startDaemon(join(folder, 'services'), 100, { graphs, ...config }, SOURCES, 'log in');
    const found = await measured('services', daemon, new Watch(hearing), clocks);
    await daemon.stop();
    await hearing.close();
    return found;
  });
  return [...lines, ...onServices];
};

async function measured(name: string, daemon: BenchDaemon, watch: Watch, clocks: Clocks): Promise<Line[]> {
  const ours = ourContender({ engine: daemon }, await createNodes(daemon), watch, clocks);
  await ours.round(WARM_UP);
  const profile = await profiled(daemon.inspector, () => ours.round(RUNS));
  const phases = [...selfTimes(profile)].sort(([, a], [, b]) => b - a);
  const all = phases.reduce((sum, [, micros]) => sum + micros, 0);
  return [...phases, ['main thread', all] as const].map(([phase, micros]) => ({
    name: `${name}: ${phase}`,
    value: micros / RUNS,
    unit: 'µs/workflow',
  }));
}

/** Returns the µs of each phase. */
function selfTimes({ nodes, samples, timeDeltas }: Profile): Map<string, number> {
  const parents = new Map(nodes.flatMap(({ id, children = [] }) => children.map((child) => [child, id] as const)));
  const byId = new Map(nodes.map((node) => [node.id, node]));
  const phases = new Map<number, string>();
  const phaseOf = (id: number): string => {
    const known = phases.get(id);
    if (known !== undefined) return known;
    const { url, functionName } = byId.get(id)?.callFrame ?? { url: '', functionName: '' };
    const parent = parents.get(id);
    const above = parent === undefined ? OTHER : phaseOf(parent);
    const own = PHASES.find(([, pattern]) => pattern.test(url || functionName))?.[0];
    const phase = own ?? (above === OTHER && url.startsWith('node:') ? NODE : above);
    phases.set(id, phase);
    return phase;
  };
  const micros = new Map<string, number>();
  for (const [at, id] of samples.entries()) {
    if (byId.get(id)?.callFrame.functionName === '(idle)') continue;
    const phase = phaseOf(id);
    micros.set(phase, (micros.get(phase) ?? 0) + (timeDeltas[at + 1] ?? 0));
  }
  return micros;
}
