/**
 * BullMQ on Redis: the adapter for any number of processes. Imported only when a URL is
 * configured, because it loads the Redis client.
 *
 * 1. Every key begins with `nodewright`; several installations may share a server by using different database numbers.
 * 2. Operations that a caller awaits reject with UNAVAILABLE within 4 s while Redis is down or hangs.
 *    Consumers wait, and resume when it is back.
 * 3. A server that may lose what it has acknowledged is rejected, unless the configuration accepts it.
 * 4. The URL, passwords and data of jobs appear in no log line and no error.
 */
import { type ConnectionOptions, createRedisBackend } from 'bullmq';
import { RedisConnections, type RedisLog } from '../redis/redis-connections.ts';
import { checkedDurability, type RedisDurability } from '../redis/redis-durability.ts';
import { isAway } from '../redis/redis-errors.ts';
import { checkedReplicas } from '../redis/redis-replicas.ts';
import { optionsOf } from '../redis/redis-url.ts';
import { createQueues } from './bullmq.ts';
import type { Queues } from './port.ts';
import { redisChannels } from './redis-channels.ts';
import { removeWaiting } from './redis-remove.ts';

const KEY_PREFIX = 'nodewright';

/** BullMQ stores a job beside its own lists, under the job's id: a job named `wait` would break its queue. */
const ID_PREFIX = 'job-';

/** A round trip costs as much as ten jobs, so a bulk add pays off from two. */
const BULK_FROM = 2;

/**
 * Jobs of a silent process are released immediately (`release`). This is for a live process that only lost its
 * connection to Redis; longer than most restarts of a Redis, which would otherwise cost every lock.
 */
const LOCK_MS = 10_000;
const STALLED_MS = 5_000;

/** About one second in total, with the half second of the connections. */
const WORKER_CLOSE_MS = 500;

/**
 * @param url redis or rediss, with credentials (`redis-url.ts`)
 * @param durability which the configuration accepts; absent: only a server that loses nothing
 * @param replicas that launches and claims wait for
 * @throws NodewrightError CONFIG_INVALID, UNAVAILABLE
 */
export async function openRedis(
  url: string,
  log: RedisLog,
  durability?: RedisDurability,
  replicas = 0,
): Promise<RedisConnections> {
  const connections = new RedisConnections(optionsOf(url), log, replicas);
  try {
    await connections.checkReady();
    const { commands } = connections;
    const warnings = [
      ...(await connections.within(checkedDurability(commands, durability))),
      ...(await connections.within(checkedReplicas(commands, replicas))),
    ];
    for (const { message, ...fields } of warnings) log.warn(fields, message);
  } catch (error) {
    await connections.close();
    throw error;
  }
  return connections;
}

/** Closing the queues closes the connections. @param process name of this process in `release` */
export function redisQueues(connections: RedisConnections, process: string): Queues {
  const channels = redisChannels(connections, KEY_PREFIX);
  return createQueues(
    {
      connection: connections.commands as ConnectionOptions,
      workerConnection: () => connections.workers() as ConnectionOptions,
      factory: createRedisBackend,
      prefix: KEY_PREFIX,
      idPrefix: ID_PREFIX,
      remove: (queue, id) => removeWaiting(connections.commands, `${KEY_PREFIX}:${queue}`, id),
      process,
      lockOf: async (queue, id) => (await connections.commands.get(`${KEY_PREFIX}:${queue}:${id}:lock`)) ?? undefined,
      lockMs: LOCK_MS,
      stalledMs: STALLED_MS,
      bulkFrom: BULK_FROM,
      channels,
      within: (work) => connections.within(work),
      quiet: (error) => connections.isAway || isAway(error),
      closeMs: WORKER_CLOSE_MS,
      async ping() {
        await connections.within(connections.commands.ping());
      },
      async close() {
        channels.close();
        await connections.close();
      },
    },
    connections.tell,
  );
}
