/** Runs the scripts of live rows, many in one round trip. A server that does not have a script gets it. */
import { createHash } from 'node:crypto';
import type { Redis } from 'ioredis';
import type { RedisConnections } from '../queue/redis-connections.ts';
import { shownError } from '../queue/redis-errors.ts';
import { type ScriptName, scripts } from './scripts.ts';

export interface ScriptCall {
  script: ScriptName;
  keys: readonly string[];
  args: readonly (string | number)[];
}

const hashes = Object.fromEntries(
  Object.entries(scripts).map(([name, text]) => [name, createHash('sha1').update(text).digest('hex')]),
) as Record<ScriptName, string>;

export class RedisScripts {
  readonly #connections: Pick<RedisConnections, 'commands' | 'within'>;

  constructor(connections: Pick<RedisConnections, 'commands' | 'within'>) {
    this.#connections = connections;
  }

  /** @throws NodewrightError UNAVAILABLE, and the first error of a script */
  async run(calls: readonly ScriptCall[]): Promise<unknown[]> {
    if (calls.length === 0) return [];
    const replies = await this.#all(calls, (pipeline, { script, keys, args }) =>
      pipeline.evalsha(hashes[script], keys.length, ...keys, ...args),
    );
    // Scripts that were unknown have changed nothing.
    const unknown = replies.flatMap(([error], at) => (error?.message.startsWith('NOSCRIPT') ? [at] : []));
    const again = await this.#all(
      unknown.map((at) => calls[at] as ScriptCall),
      (pipeline, { script, keys, args }) => pipeline.eval(scripts[script], keys.length, ...keys, ...args),
    );
    for (const [index, at] of unknown.entries()) replies[at] = again[index] as Reply;
    return replies.map(([error, result]) => {
      if (error !== null) throw shownError(error);
      return result;
    });
  }

  async #all(calls: readonly ScriptCall[], add: (pipeline: Pipeline, call: ScriptCall) => void): Promise<Reply[]> {
    if (calls.length === 0) return [];
    const pipeline = this.#connections.commands.pipeline();
    for (const call of calls) add(pipeline, call);
    return (await this.#connections.within(pipeline.exec())) as Reply[];
  }
}

type Pipeline = ReturnType<Redis['pipeline']>;
type Reply = [error: Error | null, result: unknown];
