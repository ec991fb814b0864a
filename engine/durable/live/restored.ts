/**
 * The processes that have restored their rows on the server that is Redis now. Until all have, a row there may lack its
 * last steps, and a step on it would take the place of one that was answered.
 *
 * One hash has a field for each process: the server on which it has restored its rows. Another has the time when it was
 * last seen. A process that was not seen for a while before the failover is dead: none waits for it. One that was, and
 * does not restore its rows in time, is removed from both: it has died in the meantime, or is blocked. It then restores
 * none, because others may have gone on without them.
 */
import { setTimeout as pause } from 'node:timers/promises';
import { now } from '../../platform/lib/clock.ts';
import type { RedisConnections } from '../../platform/redis/redis-connections.ts';
import { withTimeout } from '../../vocabulary/with-timeout.ts';

/** More than a process takes on a busy machine to notice that Redis is back, and to restore its rows. */
const LATE_MS = 10_000;
/** The same for a process that begins: most often all begin after a power failure, and those before them are dead. */
const FIRST_LATE_MS = 3_000;
/** Three times the period of `noteWorking`. */
const DEAD_MS = 15_000;
const CHECK_INTERVAL_MS = 50;
/** A daemon has to stop in time, also while Redis hangs. */
const LEAVE_MS = 500;

export class RestoredStore {
  readonly #connections: RedisConnections;
  readonly #key: string;
  readonly #seenKey: string;
  readonly #id: string;
  /** When this process was last seen; ms since the epoch. */
  #seenAt: number | undefined;
  #isKnown = false;

  constructor(connections: RedisConnections, key: string, id: string) {
    this.#connections = connections;
    this.#key = key;
    this.#seenKey = `${key}:seen`;
    this.#id = id;
  }

  /** Whether others wait for this process, or it has none to restore yet. */
  async isExpected(): Promise<boolean> {
    return !this.#isKnown || (await this.#run((redis) => redis.hexists(this.#key, this.#id))) === 1;
  }

  /** Whether another process has restored its rows on that server. */
  async isBegun(server: string): Promise<boolean> {
    return (await this.#run((redis) => redis.hvals(this.#key))).includes(server);
  }

  /** Notes that this process works. Every five seconds. */
  async noteWorking(): Promise<void> {
    const at = now();
    await this.#run((redis) => redis.hset(this.#seenKey, this.#id, at));
    this.#seenAt = at;
  }

  /** Notes that this process has restored its rows, and waits for the others. */
  async on(server: string, signal: AbortSignal): Promise<void> {
    await this.#run((redis) => redis.hset(this.#key, this.#id, server));
    this.#isKnown = true;
    const dead = await this.#deadProcesses();
    const lateMs = this.#seenAt === undefined ? FIRST_LATE_MS : LATE_MS;
    for (const until = performance.now() + lateMs; ; await pause(CHECK_INTERVAL_MS, undefined, { signal })) {
      const all = Object.entries(await this.#run((redis) => redis.hgetall(this.#key)));
      const missing = all.flatMap(([id, restored]) => (restored === server ? [] : [id]));
      if (missing.some((id) => !dead.has(id)) && performance.now() < until) continue;
      if (missing.length === 0) return;
      await this.#run((redis) =>
        redis
          .multi()
          .hdel(this.#key, ...missing)
          .hdel(this.#seenKey, ...missing)
          .exec(),
      );
      return;
    }
  }

  /** Compared with the time before the failover at which this process was last seen, so that no outage makes one dead. */
  async #deadProcesses(): Promise<ReadonlySet<string>> {
    const seen = Object.entries(await this.#run((redis) => redis.hgetall(this.#seenKey)));
    const oldest = (this.#seenAt ?? 0) - DEAD_MS;
    return new Set(seen.flatMap(([id, at]) => (Number(at) < oldest ? [id] : [])));
  }

  async leave(): Promise<void> {
    const left = this.#connections.commands.multi().hdel(this.#key, this.#id).hdel(this.#seenKey, this.#id).exec();
    // The others wait for it in vain, once.
    await withTimeout(
      left.catch(() => {}),
      LEAVE_MS,
      () => {},
    );
  }

  #run<T>(call: (redis: RedisConnections['commands']) => Promise<T>): Promise<T> {
    return this.#connections.within(call(this.#connections.commands));
  }
}
