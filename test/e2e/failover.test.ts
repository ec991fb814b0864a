/** A replica takes the place of Redis under two working daemons, which ask for one replica. */
import { setTimeout } from 'node:timers/promises';
import { needing } from '../support/ava/needs.ts';
import { outage } from '../support/faults/outage.ts';
import { noFleet, startFleet } from '../support/servers/fleet.ts';
import { startReplicatedRedis } from '../support/servers/replicated-redis.ts';
import { shared } from '../support/servers/shared-resources.ts';

const test = needing(noFleet, 'mongodb');
const MISSING_MS = 1_500;
const AWAY_MS = 2_000;

/** After the first test, the former replica is the primary. */
const started = shared(async (file) => {
  const redis = await startReplicatedRedis(file);
  return { redis, fleet: await startFleet(file, 2, { redisUrl: redis.url, config: { redisReplicas: 1 } }) };
});

for (const [title, missingMs] of [
  ['a replica that is promoted', 0],
  ['a replica that is promoted, and lacks the steps of a second', MISSING_MS],
] as const) {
  test.serial(
    `with ${title}, every request that was answered 2xx is kept and ends, and no once activity runs twice`,
    async (t) => {
      const { redis, fleet } = await started();
      t.log(
        await outage(t, fleet, async () => {
          if (missingMs > 0) await redis.stopReplication();
          await setTimeout(missingMs);
          await redis.failOver();
          await setTimeout(AWAY_MS);
          await redis.rejoin();
          await setTimeout(AWAY_MS);
        }),
      );
    },
  );
}
