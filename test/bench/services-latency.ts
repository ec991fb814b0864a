/**
 * Like `latency`, on services: launch to end of five steps on an idle daemon, compared with five jobs in sequence and
 * with the store alone.
 */
import { openBareOnRedis } from './bare.ts';
import { type Figure, median, spread } from './figure.ts';
import { measure } from './latency.ts';
import { chainOf, openOurs } from './ours.ts';
import { withServices } from './services.ts';
import { openStoreAlone } from './store-alone.ts';

const RATIO_GOAL = 2;

export const servicesLatency: Figure = (place) =>
  withServices(async ({ config, redis, mongodb }) => {
    const ours = await openOurs(place.folder('services-latency'), 1, config);
    const bare = openBareOnRedis(redis.port);
    const alone = await openStoreAlone(mongodb.url);
    try {
      const node = ours.nodes[0] as string;
      const one = await measure(() => ours.run(chainOf(1), node));
      const five = await measure(() => ours.run(chainOf(5), node));
      const bareFive = await measure(() => bare.run(5));
      const written = await measure(() => alone.run(5));
      return [
        ...spread('one task', one),
        ...spread('five tasks', five),
        ...spread('bare BullMQ, five jobs', bareFive),
        ...spread('the store alone, five steps', written),
        {
          name: 'ratio of the medians',
          value: median(five) / median(bareFive),
          unit: 'x',
          goal: { kind: 'most', value: RATIO_GOAL },
        },
      ];
    } finally {
      await ours.close();
      await bare.close();
      await alone.close();
    }
  });
