/**
 * BullMQ on Redis: the adapter for any number of processes. Imported only when a URL is configured, because it brings
 * the Redis client with it.
 *
 * 1. Every key begins with `nodewright`: several may share a server, by the number of a database.
 * 2. What somebody waits for rejects with UNAVAILABLE within 4 s while Redis is away or hangs. Consumers wait, and go
 *    on by themselves when it is back.
 * 3. A job survives the server's death as far as its append-only file does (a second, with the usual `everysec`).
 *    A server without one is told of in a warning at the start, and used.
 * 4. `clear` is for the only process on this Redis: it takes the jobs that others have in hand.
 * 5. No log line and no error shows the URL, a password or the data of a job.
 */
import { type ConnectionOptions, createRedisBackend } from 'bullmq';
import { createQueues } from './bullmq.ts';
import type { Queues } from './port.ts';
import { redisChannels } from './redis-channels.ts';
import { RedisConnections, type RedisLog } from './redis-connections.ts';
import { durabilityWarnings } from './redis-durability.ts';
import { isAway } from './redis-errors.ts';
import { removeWaiting } from './redis-remove.ts';
import { optionsOf } from './redis-url.ts';

const PREFIX = 'nodewright';

/** BullMQ keeps a job beside its own lists, under the job's id: one that is called `wait` would break its queue. */
const ID_PREFIX = 'job-';

/** A round trip costs as much as ten jobs, so two already share one. */
const BULK_FROM = 2;

/**
 * Who falls silent loses its jobs at once (`release`). This is for one that lives and lost touch with Redis alone; longer
 * than most restarts of a Redis, which would cost every lock.
 */
const LOCK_MS = 10_000;
const STALLED_MS = 5_000;

/** Together with the connections' own half second: about one for everything. */
const WORKER_CLOSE_MS = 500;

/**
 * @param url redis or rediss, with credentials (`redis-url.ts`)
 * @param process what this process is called in `release`
 * @throws NodewrightError CONFIG_INVALID, UNAVAILABLE
 */
export async function openRedisQueues(url: string, process: string, log: RedisLog): Promise<Queues> {
  const connections = new RedisConnections(optionsOf(url), log);
  try {
    await connections.ready();
    const warnings = await connections.within(durabilityWarnings(connections.commands));
    for (const { message, ...fields } of warnings) log.warn(fields, message);
  } catch (error) {
    await connections.close();
    throw error;
  }
  const channels = redisChannels(connections, PREFIX);
  return createQueues(
    {
      connection: connections.commands as ConnectionOptions,
      workerConnection: () => connections.workers() as ConnectionOptions,
      factory: createRedisBackend,
      prefix: PREFIX,
      idPrefix: ID_PREFIX,
      remove: (queue, id) => removeWaiting(connections.commands, `${PREFIX}:${queue}`, id),
      process,
      lockOf: async (queue, id) => (await connections.commands.get(`${PREFIX}:${queue}:${id}:lock`)) ?? undefined,
      lockMs: LOCK_MS,
      stalledMs: STALLED_MS,
      bulkFrom: BULK_FROM,
      channels,
      within: (work) => connections.within(work),
      quiet: (error) => connections.away || isAway(error),
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
