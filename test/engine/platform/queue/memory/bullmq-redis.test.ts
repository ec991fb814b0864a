/** The same rules on BullMQ's own backend, so that they are known to be BullMQ's. */
import test, { type TestFn } from 'ava';
import { bullConformance } from '../../../../conformance/bullmq.ts';
import { needing } from '../../../../support/ava/needs.ts';
import { bullOnRedis } from '../../../../support/engine/bullmq.ts';
import { noRedis, type RedisServer, startRedis } from '../../../../support/servers/redis.ts';

let server: RedisServer;
test.before(async () => {
  if (!noRedis) server = await startRedis('--appendonly', 'no');
});
test.after.always(() => server?.stop());

bullConformance(needing(noRedis).serial as unknown as TestFn, () => bullOnRedis(server));
