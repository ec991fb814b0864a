/** Runs scripts on Redis, many in one round trip. A server that does not have a script gets it. */
import { createHash } from 'node:crypto';
import { NodewrightError } from '../../vocabulary/errors.ts';
import type { CommandReply, Pipeline } from './deferred-commands.ts';
import type { RedisConnections } from './redis-connections.ts';
import { shownError } from './redis-errors.ts';

/** The beginning of a script that sets `now` to the time of the server in ms. */
export const SERVER_NOW = "local t = redis.call('TIME') local now = t[1] * 1000 + math.floor(t[2] / 1000)";

export interface ScriptCall<Name extends string> {
  script: Name;
  keys: readonly string[];
  args: readonly (string | number)[];
}

type Connections = Pick<RedisConnections, 'commands' | 'within' | 'losses'> &
  Partial<Pick<RedisConnections, 'deferred'>>;

/** The acknowledgements that a connection waits for after scripts, before they count as done. */
export interface Acknowledgements extends Connections {
  /** Returns the commands that wait. */
  waits(): Promise<readonly [string, ...number[]][]>;
  /** @param reply to the last of them. @throws NodewrightError UNAVAILABLE: the outcome is unknown */
  check(reply: CommandReply): void;
}

/** Whether a script made its change, or all of its changes; only the first of two can. It returns 1, or a new version. */
const isDone = (result: unknown): boolean =>
  Array.isArray(result) ? result.every(isDone) : typeof result === 'number' && result > 0;

export class RedisScripts<Name extends string> {
  readonly #connections: Connections;
  readonly #acknowledgements: Acknowledgements | undefined;
  readonly #texts: Readonly<Record<Name, string>>;
  readonly #hashes: ReadonlyMap<Name, string>;

  constructor(connections: Connections | Acknowledgements, texts: Readonly<Record<Name, string>>) {
    this.#connections = connections;
    this.#acknowledgements = 'check' in connections ? connections : undefined;
    this.#texts = texts;
    const names = Object.keys(texts) as Name[];
    this.#hashes = new Map(names.map((name) => [name, createHash('sha1').update(texts[name]).digest('hex')]));
  }

  /**
   * @throws NodewrightError UNAVAILABLE also when scripts may have been run twice, because the connection was lost
   * in the meantime: the second one finds what the first has changed, and its answer is that another process was first
   */
  async run(calls: readonly ScriptCall<Name>[]): Promise<unknown[]> {
    if (calls.length === 0) return [];
    const { losses } = this.#connections;
    const replies = await this.#all(calls, (pipeline, { script, keys, args }) =>
      pipeline.evalsha(this.#hashes.get(script) as string, keys.length, ...keys, ...args),
    );
    // Scripts that were unknown have changed nothing.
    const unknown = replies.flatMap(([error], at) => (error?.message.startsWith('NOSCRIPT') ? [at] : []));
    const again = await this.#all(
      unknown.map((at) => calls[at] as ScriptCall<Name>),
      (pipeline, { script, keys, args }) => pipeline.eval(this.#texts[script], keys.length, ...keys, ...args),
    );
    for (const [index, at] of unknown.entries()) replies[at] = again[index] as CommandReply;
    const results = replies.map(([error, result]) => {
      if (error !== null) throw shownError(error);
      return result;
    });
    if (this.#connections.losses !== losses && !results.every(isDone)) throw unknownOutcome();
    return results;
  }

  /** Like `run` for one script, with the next scripts of the connection, or a moment later. */
  async runSoon(call: ScriptCall<Name>): Promise<unknown> {
    const { deferred, losses } = this.#connections;
    if (deferred === undefined) return (await this.run([call]))[0];
    const { script, keys, args } = call;
    const hash = this.#hashes.get(script) as string;
    const sent = deferred.run((pipeline) => void pipeline.evalsha(hash, keys.length, ...keys, ...args));
    const [error, result] = await this.#connections.within(sent);
    if (error?.message.startsWith('NOSCRIPT')) return (await this.run([call]))[0];
    if (error !== null) throw shownError(error);
    if (this.#connections.losses !== losses && !isDone(result)) throw unknownOutcome();
    return result;
  }

  async #all(
    calls: readonly ScriptCall<Name>[],
    add: (pipeline: Pipeline, call: ScriptCall<Name>) => void,
  ): Promise<CommandReply[]> {
    if (calls.length === 0) return [];
    const waits = await this.#acknowledgements?.waits();
    const pipeline = this.#connections.commands.pipeline();
    for (const call of calls) add(pipeline, call);
    for (const wait of waits ?? []) pipeline.call(...wait);
    const count = calls.length + (waits?.length ?? 0);
    const { deferred } = this.#connections;
    const sent = deferred?.exec(pipeline, count) ?? (pipeline.exec() as Promise<CommandReply[]>);
    const replies = await this.#connections.within(sent);
    if (waits !== undefined) this.#acknowledgements?.check(replies.at(-1) as CommandReply);
    return replies.slice(0, calls.length);
  }
}

const unknownOutcome = () =>
  new NodewrightError(
    'UNAVAILABLE',
    'the connection to Redis was lost before its answer; look at the result, or try again',
  );
