import test, { type TestFn } from 'ava';
import type { Queues } from '../../../engine/queue/port.ts';
import { openRedisQueues } from '../../../engine/queue/redis.ts';
import { channelConformance } from '../../conformance/channel.ts';
import { type Logged, queueConformance } from '../../conformance/queue.ts';
import { needing } from '../../support/needing.ts';
import { noRedis, type RedisServer, startRedis } from '../../support/redis.ts';

const needed = needing(noRedis);
let server: RedisServer | undefined;
let queues: Queues;
const logged: Logged[] = [];

test.before(async () => {
  if (noRedis) return;
  server = await startRedis();
  const warn = (fields: { err?: unknown }, message: string) => logged.push({ message, error: fields.err });
  queues = await openRedisQueues(server.url, { info() {}, warn });
});
test.after.always(async () => {
  await queues?.close();
  await server?.stop();
});

queueConformance(needed.serial as unknown as TestFn, () => queues, logged);
channelConformance(needed.serial as unknown as TestFn, () => queues, logged);
