/**
 * Writes that replicas have before they are answered (`redisReplicas`), so that they are there after a failover.
 *
 * 1. They have a connection of their own, because WAIT blocks its connection for all other writes.
 * 2. WAITAOF, where the server has it and an append-only file: a write is then on the disks of the server and of the
 *    replicas. Otherwise WAIT: it is in the memory of the replicas. WAIT also precedes WAITAOF: the first acknowledgement
 *    of a replica comes before its sync, and the next a second later, unless another command requests one.
 * 3. A replica that has a write has all earlier writes to the server, of every connection.
 * 4. On a new connection WAIT ignores earlier writes. After a loss of the connection, the client therefore sends
 *    WAIT again with the writes before it, or not at all: it aborts pipelines of which it has some answers.
 */
import type { Redis } from 'ioredis';
import { NodewrightError } from '../../vocabulary/errors.ts';
import type { RedisConnections } from './redis-connections.ts';
import type { Warning } from './redis-durability.ts';
import { isAway, reason, shownError } from './redis-errors.ts';
import type { Acknowledgements } from './redis-scripts.ts';

/** Together shorter than the time in which an awaited operation is answered. */
const REPLICATION_TIMEOUT_MS = 1_000;
const WAITAOF_MS = 2_500;
const PROBE_MS = 100;

export class Replicas implements Acknowledgements {
  readonly commands: Redis;
  readonly #connections: Pick<RedisConnections, 'within'>;
  readonly #count: number;
  #losses = 0;
  /** Cached for this connection only, because another server may have another version. */
  #usesFiles: Promise<boolean> | undefined;

  constructor(connections: Pick<RedisConnections, 'awaitedClient' | 'within'>, count: number) {
    this.#connections = connections;
    this.#count = count;
    this.commands = connections.awaitedClient();
    this.commands.on('close', () => {
      this.#losses += 1;
      this.#usesFiles = undefined;
    });
  }

  get losses(): number {
    return this.#losses;
  }

  within<T>(work: Promise<T>): Promise<T> {
    return this.#connections.within(work);
  }

  async waits(): Promise<[string, ...number[]][]> {
    const wait: [string, ...number[]] = ['WAIT', this.#count, REPLICATION_TIMEOUT_MS];
    this.#usesFiles ??= this.within(hasWaitAof(this.commands));
    return (await this.#usesFiles.catch((error) => {
      this.#usesFiles = undefined;
      throw error;
    }))
      ? [wait, ['WAITAOF', 1, this.#count, WAITAOF_MS]]
      : [['WAIT', this.#count, REPLICATION_TIMEOUT_MS + WAITAOF_MS]];
  }

  /** @throws NodewrightError UNAVAILABLE */
  check([error, result]: [error: Error | null, result: unknown]): void {
    if (error !== null) throw shownError(error);
    const [local, replicas] = Array.isArray(result) ? result.map(Number) : [1, Number(result)];
    if (local === 1 && (replicas ?? 0) >= this.#count) return;
    const actual = `${local === 1 ? '' : 'a file of Redis that is not synced, and '}${replicas} replicas with the write`;
    throw new NodewrightError(
      'UNAVAILABLE',
      `Redis: found ${actual} after ${REPLICATION_TIMEOUT_MS + WAITAOF_MS} ms, expected ${this.#count} (redisReplicas); look at the replicas, and try again`,
    );
  }
}

/** False: Redis before 7.2, or a server without an append-only file. */
async function hasWaitAof(redis: Redis): Promise<boolean> {
  try {
    await redis.call('WAITAOF', 1, 0, PROBE_MS);
    return true;
  } catch (error) {
    if (isAway(error)) throw error;
    return false;
  }
}

/**
 * Checks once, at the start, that the server lets this process wait, and how many replicas it has. Too few of them are
 * no reason to end: a replica that was promoted a moment ago may have none yet.
 *
 * @returns what is missing, to be logged
 * @throws NodewrightError CONFIG_INVALID when the server rejects WAIT
 */
export async function checkedReplicas(redis: Redis, expected: number): Promise<Warning[]> {
  if (expected === 0) return [];
  await redis.wait(0, PROBE_MS).catch((error: unknown) => {
    if (isAway(error)) throw error;
    throw new NodewrightError(
      'CONFIG_INVALID',
      `redis: found WAIT rejected (${reason(error)}), expected it to be allowed, because redisReplicas is ${expected}; allow it, or remove redisReplicas`,
    );
  });
  const info = await redis.info('replication').catch((error: unknown) => {
    if (isAway(error)) throw error;
    return '';
  });
  const countText = /^connected_slaves:(\d+)/m.exec(info)?.[1];
  if (Number(countText) >= expected) return [];
  return [
    {
      message: 'Redis has fewer replicas than redisReplicas: launches get 503, and tasks that must not run twice wait',
      found: `${countText ?? 'an unknown number of'} connected replicas`,
      expected: `${expected}`,
      action: 'connect replicas, or lower redisReplicas in the configuration',
    },
  ];
}
