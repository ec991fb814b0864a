/**
 * The processes that have restored their rows on the server that is Redis now. Until all have, a row there may lack its
 * last steps, and a step on it would take the place of one that was answered.
 *
 * A hash has a field for each process: the server on which it has restored its rows. A process that does not restore them
 * in time is removed: it is dead, or blocked. It then restores none, because others may have gone on without them.
 */
import { setTimeout as pause } from 'node:timers/promises';
import { withTimeout } from '../define/with-timeout.ts';
import type { RedisConnections } from '../queue/redis-connections.ts';

/** Longer than a process takes to notice that Redis is back, and to restore its rows. */
const LATE_MS = 3_000;
const LOOK_MS = 50;
/** A daemon has to stop in time, also while Redis hangs. */
const LEAVE_MS = 500;

export class Restored {
  readonly #connections: RedisConnections;
  readonly #key: string;
  readonly #id: string;
  #isKnown = false;

  constructor(connections: RedisConnections, key: string, id: string) {
    this.#connections = connections;
    this.#key = key;
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

  /** Notes that this process has restored its rows, and waits for the others. */
  async on(server: string, signal: AbortSignal): Promise<void> {
    await this.#run((redis) => redis.hset(this.#key, this.#id, server));
    this.#isKnown = true;
    for (const until = performance.now() + LATE_MS; ; await pause(LOOK_MS, undefined, { signal })) {
      const all = Object.entries(await this.#run((redis) => redis.hgetall(this.#key)));
      const missing = all.flatMap(([id, restored]) => (restored === server ? [] : [id]));
      if (missing.length === 0) return;
      if (performance.now() < until) continue;
      await this.#run((redis) => redis.hdel(this.#key, ...missing));
      return;
    }
  }

  async leave(): Promise<void> {
    const left = this.#connections.commands.hdel(this.#key, this.#id);
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
