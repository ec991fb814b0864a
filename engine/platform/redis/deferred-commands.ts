/**
 * Commands that go with the next ones of their connection, or by themselves a moment later: the server syncs its
 * append-only file once for both.
 */
import type { Redis } from 'ioredis';

const DELAY_MS = 2;

export type Pipeline = ReturnType<Redis['pipeline']>;
export type CommandReply = [error: Error | null, result: unknown];

interface DeferredCommand {
  add(pipeline: Pipeline): void;
  resolve(reply: CommandReply): void;
  reject(error: unknown): void;
}

export class DeferredCommands {
  readonly #client: Redis;
  #waiting: DeferredCommand[] = [];

  constructor(client: Redis) {
    this.#client = client;
  }

  /** @param add one command to a pipeline @returns its reply */
  run(add: (pipeline: Pipeline) => void): Promise<CommandReply> {
    return new Promise((resolve, reject) => {
      this.#waiting.push({ add, resolve, reject });
      if (this.#waiting.length === 1) setTimeout(() => this.#flush(), DELAY_MS);
    });
  }

  #flush(): void {
    if (this.#waiting.length > 0) this.exec(this.#client.pipeline(), 0).catch(() => {});
  }

  /** Sends a pipeline of this many commands, with those that wait. @returns the replies of its own commands */
  async exec(pipeline: Pipeline, count: number): Promise<CommandReply[]> {
    const deferred = this.#waiting;
    this.#waiting = [];
    for (const { add } of deferred) add(pipeline);
    try {
      const replies = (await pipeline.exec()) as CommandReply[];
      for (const [at, { resolve }] of deferred.entries()) resolve(replies[count + at] as CommandReply);
      return replies.slice(0, count);
    } catch (error) {
      for (const { reject } of deferred) reject(error);
      throw error;
    }
  }
}
