/**
 * Throughput of an engine that has 100,000 stored workflows, with their histories, and of one that has 100, in
 * alternation: embedded, and on services. Each round adds its own workflows to both. Number: `BENCH_STORED`.
 */
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { pino } from 'pino';
import { recordSpec, workflowSpec } from '../../engine/durable/live/specs.ts';
import type { ConfigFile } from '../../engine/platform/config/config.ts';
import { openEmbeddedStore } from '../../engine/platform/store/embedded.ts';
import { openMongoStore } from '../../engine/platform/store/mongodb.ts';
import type { CollectionSpec, Store } from '../../engine/platform/store/port.ts';
import { type RedisServer, startRedis } from '../support/servers/redis.ts';
import { copyWorkflow } from './copies.ts';
import { type Figure, type Line, least, under } from './figure.ts';
import { chainOf, type Ours, openOurs } from './ours.ts';
import { type Clocks, IN_FLIGHT, ownCpuSec, rate, ratio, rounds, STEPS, settled } from './rounds.ts';
import { withServices } from './services.ts';

const FEW = 100;
const MANY = Number(process.env.BENCH_STORED ?? 100_000);
/** Few, because they are stored as well. */
const RUNS = 1_000;
/** Time for the record and the history of the first workflow. */
const RECORDED_MS = 2_000;

export const stored: Figure = async (place) => {
  const filled = (count: number) => {
    const folder = place.folder(`stored-${count}`);
    const open = () => openEmbeddedStore({ dataDir: join(folder, 'data') });
    return fill({ folder, services: {}, clocks: {}, open, spec: workflowSpec }, count);
  };
  return compared(await filled(FEW), await filled(MANY), {});
};

export const servicesStored: Figure = (place) =>
  withServices(async ({ config, redis, clocks }) => {
    const second = await startRedis();
    const filled = (count: number, { url }: RedisServer) => {
      const mongodb = Object.assign(new URL(config.mongodb), { pathname: `stored-${count}` }).href;
      const open = () => openMongoStore(mongodb, pino({ level: 'warn' }));
      const services = { ...config, mongodb, redis: url };
      return fill({ folder: place.folder(`services-stored-${count}`), services, clocks, open, spec }, count);
    };
    const spec = recordSpec(workflowSpec);
    try {
      return under('AOF always', await compared(await filled(FEW, redis), await filled(MANY, second), clocks));
    } finally {
      await second.stop();
    }
  });

interface Ground {
  folder: string;
  services: ConfigFile;
  clocks: Clocks;
  open(): Promise<Store>;
  spec: CollectionSpec;
}

/** Runs a workflow, copies it, and opens the engine again. */
async function fill({ folder, services, clocks, open, spec }: Ground, count: number): Promise<Ours> {
  const first = await openOurs(folder, 1, services);
  const nodeId = first.nodes[0] as string;
  const { id } = await first.engine.launches.launch({ name: chainOf(STEPS), options: {}, nodeId });
  await first.watch.succeeded(id);
  await sleep(RECORDED_MS);
  await first.close();
  const store = await open();
  await copyWorkflow(store, spec, id, count - 1).finally(() => store.close());
  // A server may still write to its disk what it was given.
  await settled(clocks);
  return openOurs(folder, IN_FLIGHT, services);
}

/** Closes both. */
async function compared(few: Ours, many: Ours, services: Clocks): Promise<Line[]> {
  const side = (ours: Ours) => ({
    run: (lane: number) => ours.run(chainOf(STEPS), ours.nodes[lane] as string),
    clocks: { engines: ownCpuSec, ...services },
    runs: RUNS,
  });
  try {
    const taken = await rounds({ few: side(few), many: side(many) });

    return [
      rate(`${FEW} stored workflows`, taken.few),
      rate(`${MANY} stored workflows`, taken.many),
      ratio(`${MANY} beside ${FEW}`, [taken.many, taken.few], ({ stepsPerSec }) => stepsPerSec, least(0.95)),
    ];
  } finally {
    await few.close();
    await many.close();
  }
}
