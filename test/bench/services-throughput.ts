/** Like `throughput`, on services: an engine in this process, and bare BullMQ on the same Redis. */
import { openBare } from './bare.ts';
import { besideBare } from './beside.ts';
import { type Figure, least, most } from './figure.ts';
import { openOurs } from './ours.ts';
import { IN_FLIGHT } from './rounds.ts';
import { inEachAofMode } from './services.ts';

const GOALS = { throughput: least(0.35), engineCpu: most(4), allCpu: most(0.4) };

export const servicesThroughput: Figure = (place) =>
  inEachAofMode(async ({ config, redis, clocks }, aof) => {
    const ours = await openOurs(place.folder(`services-throughput-${aof}`), IN_FLIGHT, config);
    const bare = openBare(redis.port);
    try {
      return await besideBare(ours, bare, clocks, GOALS);
    } finally {
      await ours.close();
      await bare.close();
    }
  });
