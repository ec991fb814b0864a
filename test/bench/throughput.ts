/** Steps per second of workflows with five sequential tasks, 100 concurrent: embedded, compared with bare BullMQ on Redis. */
import { noRedis, startRedis } from '../support/servers/redis.ts';
import { openBare } from './bare.ts';
import { besideBare } from './beside.ts';
import { type Figure, least, Skipped, under } from './figure.ts';
import { openOurs } from './ours.ts';
import { IN_FLIGHT } from './rounds.ts';
import { AOF_MODES } from './services.ts';

export const throughput: Figure = async (place) => {
  if (noRedis) throw new Skipped(noRedis);
  const ours = await openOurs(place.folder('throughput'), IN_FLIGHT);
  try {
    const lines = [];
    for (const aof of AOF_MODES) {
      const redis = await startRedis('--appendfsync', aof);
      const bare = openBare(redis.port);
      try {
        lines.push(...under(`Redis AOF ${aof}`, await besideBare(ours, bare, {}, { throughput: least(0.7) })));
      } finally {
        await bare.close();
        await redis.stop();
      }
    }
    return lines;
  } finally {
    await ours.close();
  }
};
