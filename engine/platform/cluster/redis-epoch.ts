/**
 * The epoch of all processes on one Redis: a random text under a key. A change deletes it and leaves a mark, in one script,
 * before it is written; a reader makes a new one when there are no marks. Later, the changing process takes its mark away.
 *
 * If the changing process dies, or loses the answer of the store,
 *
 * 1. before the script: nothing is changed.
 * 2. between the script and the write, or before its acknowledgement: the mark stays for `MARK_MS`, longer than a call of
 *    the store lasts. Until then every request reads the store, so it has the record as it is, before and after the write.
 * 3. before its mark is taken away: the same, and the epoch that follows is a new one.
 *
 * If Redis
 *
 * 4. is away for readers: they read the store.
 * 5. is away for the changing process only: the write is made, and its answer waits until all that was read before is too
 *    old to be used. The same if its mark cannot be taken away, because a Redis that was emptied or replaced may have lost it.
 * 6. has lost the deletion: processes lost their connections to it, and an epoch is valid for one connection only.
 *    Where a proxy hides the loss, the age of what is kept is the limit.
 */
import { randomUUID } from 'node:crypto';
import { setTimeout } from 'node:timers/promises';
import { withTimeout } from '../../vocabulary/with-timeout.ts';
import { batch } from '../lib/batch.ts';
import type { RedisConnections } from '../redis/redis-connections.ts';
import { RedisScripts, SERVER_NOW } from '../redis/redis-scripts.ts';
import { type Epoch, OUTDATED_MS } from './epoch.ts';

/** Three times as long as the longest call of a store. */
const MARK_MS = 15_000;
/** A request waits no longer than this for a Redis that hangs. */
const ANSWER_MS = 250;

/** KEYS: epoch, marks. ARGV: mark, ms. */
const begin = `${SERVER_NOW}
redis.call('DEL', KEYS[1])
redis.call('ZREMRANGEBYSCORE', KEYS[2], '-inf', now)
redis.call('ZADD', KEYS[2], now + ARGV[2], ARGV[1])
redis.call('PEXPIRE', KEYS[2], ARGV[2])
return 1
`;

/** KEYS: epoch, marks. ARGV: mark. Deletes the epoch too: if the mark was lost, a reader may have made one. */
const end = `
redis.call('DEL', KEYS[1])
redis.call('ZREM', KEYS[2], ARGV[1])
return 1
`;

/** KEYS: epoch, marks. ARGV: a new epoch. Returns the epoch; false: a change is being made. */
const open = `${SERVER_NOW}
if redis.call('ZCOUNT', KEYS[2], '(' .. now, '+inf') > 0 then return false end
redis.call('SET', KEYS[1], ARGV[1], 'NX')
return redis.call('GET', KEYS[1])
`;

const scripts = { begin, end, open };

export class RedisEpoch implements Epoch {
  readonly #connections: Pick<RedisConnections, 'commands' | 'within' | 'losses' | 'isAway'>;
  readonly #scripts: RedisScripts<keyof typeof scripts>;
  readonly #epoch: string;
  readonly #marks: string;
  readonly #ask: (question: undefined) => Promise<string | undefined>;

  /** @param name of the records */
  constructor(connections: Pick<RedisConnections, 'commands' | 'within' | 'losses' | 'isAway'>, name: string) {
    this.#connections = connections;
    const { commands } = connections;
    // Each may be run twice, so a lost answer leaves nothing unknown.
    this.#scripts = new RedisScripts({ commands, within: (work) => connections.within(work), losses: 0 }, scripts);
    this.#epoch = `nodewright:{${name}}:epoch`;
    this.#marks = `nodewright:{${name}}:changes`;
    this.#ask = batch(async (questions) => {
      const epoch = await this.#answer();
      return questions.map(() => epoch);
    });
  }

  read(): Promise<string | undefined> {
    return this.#ask(undefined);
  }

  async #answer(): Promise<string | undefined> {
    if (this.#connections.isAway) return undefined;
    const answer = this.#readEpoch().catch(() => undefined);
    return withTimeout(answer, ANSWER_MS, () => undefined);
  }

  async #readEpoch(): Promise<string | undefined> {
    const epoch = (await this.#connections.commands.get(this.#epoch)) ?? (await this.#run('open', randomUUID()));
    return typeof epoch === 'string' ? `${this.#connections.losses} ${epoch}` : undefined;
  }

  async change<T>(write: () => Promise<T>): Promise<T> {
    const mark = randomUUID();
    const isAnnounced = await this.#tell('begin', mark, MARK_MS);
    // If it fails, it may still be made: the mark stays.
    const result = await write();
    if (!isAnnounced || !(await this.#tell('end', mark))) await setTimeout(OUTDATED_MS);
    return result;
  }

  async #tell(script: 'begin' | 'end', ...args: (string | number)[]): Promise<boolean> {
    if (this.#connections.isAway) return false;
    return this.#run(script, ...args).then(
      () => true,
      () => false,
    );
  }

  async #run(script: keyof typeof scripts, ...args: (string | number)[]): Promise<unknown> {
    return (await this.#scripts.run([{ script, keys: [this.#epoch, this.#marks], args }]))[0];
  }
}
