/** Runs the scripts of live rows, many in one round trip. A server that does not have a script gets it. */
import { createHash } from 'node:crypto';
import type { Redis } from 'ioredis';
import { NodewrightError } from '../define/errors.ts';
import type { RedisConnections } from '../queue/redis-connections.ts';
import { shownError } from '../queue/redis-errors.ts';
import { type ScriptName, scripts } from './scripts.ts';

export interface Call {
  script: ScriptName;
  keys: readonly string[];
  args: readonly (string | number)[];
}

const hashes = Object.fromEntries(
  Object.entries(scripts).map(([name, text]) => [name, createHash('sha1').update(text).digest('hex')]),
) as Record<ScriptName, string>;

/** A script that made its change; only the first of two can. */
const DONE = 1;

export class RedisScripts {
  readonly #connections: Pick<RedisConnections, 'commands' | 'within' | 'losses'>;

  constructor(connections: Pick<RedisConnections, 'commands' | 'within' | 'losses'>) {
    this.#connections = connections;
  }

  /**
   * @throws NodewrightError UNAVAILABLE also when scripts may have been run twice, because the connection was lost
   * meanwhile: the second one finds what the first has changed, and its answer is that another process was first
   */
  async run(calls: readonly Call[]): Promise<unknown[]> {
    if (calls.length === 0) return [];
    const { losses } = this.#connections;
    const replies = await this.#all(calls, (pipeline, { script, keys, args }) =>
      pipeline.evalsha(hashes[script], keys.length, ...keys, ...args),
    );
    // Scripts that were unknown have changed nothing.
    const unknown = replies.flatMap(([error], at) => (error?.message.startsWith('NOSCRIPT') ? [at] : []));
    const again = await this.#all(
      unknown.map((at) => calls[at] as Call),
      (pipeline, { script, keys, args }) => pipeline.eval(scripts[script], keys.length, ...keys, ...args),
    );
    for (const [index, at] of unknown.entries()) replies[at] = again[index] as Reply;
    const results = replies.map(([error, result]) => {
      if (error !== null) throw shownError(error);
      return result;
    });
    if (this.#connections.losses !== losses && results.some((result) => result !== DONE)) throw unknownOutcome();
    return results;
  }

  async #all(calls: readonly Call[], add: (pipeline: Pipeline, call: Call) => void): Promise<Reply[]> {
    if (calls.length === 0) return [];
    const pipeline = this.#connections.commands.pipeline();
    for (const call of calls) add(pipeline, call);
    return (await this.#connections.within(pipeline.exec())) as Reply[];
  }
}

const unknownOutcome = () =>
  new NodewrightError(
    'UNAVAILABLE',
    'the connection to Redis was lost before its answer; look at the result, or try again',
  );

type Pipeline = ReturnType<Redis['pipeline']>;
type Reply = [error: Error | null, result: unknown];
