/**
 * 50 endless workflows, and a daemon that is killed 20 times at random moments. Measures the time until the last of
 * them continues (one of its steps was saved and published): when the same daemon is restarted, and when another takes
 * over. An activity takes 300 ms and is restarted, which is included in the time.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import type { EventPayload } from '../../engine/vocabulary/event.ts';
import { type Hearing, hear } from './broker.ts';
import { type BenchDaemon, startDaemon } from './daemon.ts';
import { type Figure, type Goal, type Line, median, most, type Place, quantile } from './figure.ts';
import { type Services, withServices } from './services.ts';

const WORKFLOWS = 50;
const KILLS = 20;
/** A kill comes at a random moment within this time after all workflows continued. */
const WITHIN_MS = 2_000;
const PATIENCE_MS = 60_000;
const RESTART_GOAL = 1_500;
const TAKEOVER_GOAL = 5_000;
const GRAPH = 'Graph.Bench.Rounds';

export const servicesRecovery: Figure = async (place) => [
  ...(await withServices((services) => restarts(services, place))),
  ...(await withServices((services) => takeovers(services, place))),
];

type Start = (name: string) => Promise<BenchDaemon>;

const starter = ({ config }: Services, place: Place): Start => {
  const graphs = [fileURLToPath(new URL('graphs', import.meta.url))];
  return (name) => startDaemon(place.folder(name), WORKFLOWS, { ...config, graphs });
};

async function restarts(services: Services, place: Place): Promise<Line[]> {
  const start = starter(services, place);
  const hearing = await hear(services.config.amqp);
  let daemon = await start('restarted');
  const workflows = await launch(daemon);
  const sinceSpawn: number[] = [];
  const sinceListening: number[] = [];
  for (let kill = 0; kill < KILLS; kill++) {
    await inTheirMidst(hearing, workflows);
    await daemon.stop('SIGKILL');
    const goOn = goingOn(hearing, workflows);
    const spawned = performance.now();
    daemon = await start('restarted');
    const last = await goOn;
    sinceSpawn.push(last - spawned);
    sinceListening.push(last - spawned - daemon.startMs);
  }
  await daemon.stop('SIGKILL');
  await hearing.close();
  return [
    ...told('restarted, from spawn', sinceSpawn),
    ...told('restarted, from listening', sinceListening, most(RESTART_GOAL)),
  ];
}

/** The daemons alternate: the one that took over is killed next, when the other has restarted. */
async function takeovers(services: Services, place: Place): Promise<Line[]> {
  const start = starter(services, place);
  const hearing = await hear(services.config.amqp);
  let [busy, other] = [await start('one'), await start('two')];
  const workflows = await launch(busy);
  const millis: number[] = [];
  for (let kill = 0; kill < KILLS; kill++) {
    await inTheirMidst(hearing, workflows);
    const killed = performance.now();
    await busy.stop('SIGKILL');
    millis.push((await goingOn(hearing, workflows)) - killed);
    [busy, other] = [other, await start(kill % 2 === 0 ? 'one' : 'two')];
  }
  await Promise.all([busy.stop('SIGKILL'), other.stop('SIGKILL')]);
  await hearing.close();
  return told('taken over, from the kill', millis, most(TAKEOVER_GOAL));
}

async function launch(daemon: BenchDaemon): Promise<string[]> {
  const all = Array.from({ length: WORKFLOWS }, () => daemon.post('/workflows', { name: GRAPH }));
  return (await Promise.all(all)).map(({ id }) => id as string);
}

async function inTheirMidst(hearing: Hearing, workflows: readonly string[]): Promise<void> {
  await goingOn(hearing, workflows);
  await sleep(Math.random() * WITHIN_MS);
}

/** Returns the time when the last of them had taken a new step, on performance's clock. */
async function goingOn(hearing: Hearing, workflows: readonly string[]): Promise<number> {
  const since = new Date().toISOString();
  const left = new Set(workflows);
  const limit = AbortSignal.timeout(PATIENCE_MS);
  return new Promise((resolve, reject) => {
    limit.onabort = () => reject(new Error(`${left.size} workflows did not continue within ${PATIENCE_MS} ms`));
    const deaf = hearing.listen(({ body }) => {
      const { typeId, createdAt } = body as EventPayload;
      // The event of an earlier step may still arrive.
      if (createdAt > since) left.delete(typeId);
      if (left.size > 0) return;
      deaf();
      limit.onabort = null;
      resolve(performance.now());
    });
  });
}

function told(name: string, millis: readonly number[], goal?: Goal): Line[] {
  const line = (share: string, value: number): Line => ({ name: `${name}, ${share}`, value, unit: 'ms' });
  return [
    line('p50', median(millis)),
    { ...line('p99', quantile(millis, 0.99)), ...(goal && { goal }) },
    line('max', Math.max(...millis)),
  ];
}
