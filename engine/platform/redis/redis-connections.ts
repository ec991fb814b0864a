/**
 * The connections to one Redis. It owns every socket, and logs when the server goes down and when it is back.
 *
 * 1. `commands` is for operations that a caller awaits: add, remove, publish. It bridges a short interruption; an
 *    operation that takes longer than 4 s fails and is not queued: the rows record pending work, and it is retried.
 * 2. `workers()` is for background work. Its operations wait until the server is back, however long that takes; BullMQ
 *    requires this, and makes a blocking copy for each worker.
 * 3. A hanging connection is replaced by a new one; a lost one is re-established after 200 ms, then up to 5 s. The one
 *    for heartbeats, `prompt()`, waits at most half a second.
 * 4. An outage is logged once when it begins and once when it ends.
 * 5. Closing takes at most half a second, and no connection is opened afterwards.
 */
import { Redis, type RedisOptions } from 'ioredis';
import { NodewrightError } from '../../vocabulary/errors.ts';
import { withTimeout } from '../../vocabulary/with-timeout.ts';
import { DeferredCommands } from './deferred-commands.ts';
import { logFields, reason, shownError } from './redis-errors.ts';

export interface RedisLog {
  info(message: string): void;
  warn(fields: object, message: string): void;
}

/** A supervisor restarts the daemon, so there is no need to wait longer for a server that is starting. */
const START_MS = 10_000;
/** An answer takes milliseconds; a client of the API should not wait longer than this for a 503. */
const COMMAND_TIMEOUT_MS = 4_000;
/** A worker's copy blocks for up to 10 s without an answer, so only a longer silence is an error. */
const WORKER_SILENCE_MS = 15_000;
/** Timeout of an orderly disconnect. */
const FAREWELL_MS = 300;
/** Connection attempts (about 1.5 s) that an awaited command survives. */
const ATTEMPTS = 2;
const RETRY_MAX_MS = 5_000;
/** The same for awaited operations: no process takes a step on another server before all are back (`durable/live/restored.ts`). */
const AWAITED_RETRY_MAX_MS = 1_000;
/** The same for heartbeats: after an outage all processes send them again well within the time that makes one silent. */
const PROMPT_RETRY_MAX_MS = 500;
const PROMPT_CONNECT_MS = 1_000;

/** ms. A jitter of a fifth either way, so that many processes do not reconnect at the same moment. */
const retryDelay = (attempt: number, maxMs: number): number =>
  Math.min(200 * 2 ** (attempt - 1), maxMs) * (0.8 + Math.random() * 0.4);

/** The constructor's types do not accept an undefined `replyMapping`, which no connection sets. */
type ConnectionSettings = Omit<RedisOptions, 'replyMapping'>;

export class RedisConnections {
  readonly commands: Redis;
  readonly deferred: DeferredCommands;
  /** The number of replicas that launches and claims wait for. */
  readonly replicas: number;
  readonly #options: ConnectionSettings;
  readonly #log: RedisLog;
  readonly #all = new Set<Redis>();
  #workers: Redis | undefined;
  #losses = 0;
  #away = false;
  #closed = false;

  constructor(target: ConnectionSettings, log: RedisLog, replicas = 0) {
    this.#log = log;
    this.replicas = replicas;
    this.#options = {
      ...target,
      retryStrategy: (attempt) => (this.#closed ? null : retryDelay(attempt, RETRY_MAX_MS)),
      disconnectTimeout: FAREWELL_MS,
      connectTimeout: COMMAND_TIMEOUT_MS,
      // A server that became a replica keeps its connections; the address may lead to the new one.
      reconnectOnError: (error) => error.message.startsWith('READONLY'),
      // The version that BullMQ is tested with; the newer one has no feature that is used here.
      protocol: 2,
    };
    this.commands = this.awaitedClient();
    this.deferred = new DeferredCommands(this.commands);
    this.commands.on('ready', () => this.#markBack());
    this.commands.on('error', (error) => this.#onLost(error));
    this.commands.on('close', () => {
      this.#losses += 1;
      this.#onLost(new Error('the connection was lost'));
    });
  }

  /** Opens another connection. */
  connect(options: ConnectionSettings): Redis {
    return this.#keepClient(new Redis({ ...this.#options, ...options }));
  }

  /** Opens another connection for operations that a caller awaits. */
  awaitedClient(): Redis {
    return this.connect({
      socketTimeout: COMMAND_TIMEOUT_MS,
      maxRetriesPerRequest: ATTEMPTS,
      retryStrategy: (attempt) => (this.#closed ? null : retryDelay(attempt, AWAITED_RETRY_MAX_MS)),
    });
  }

  /** Opens a connection for heartbeats, which is re-established soon after an outage. */
  prompt(): Redis {
    return this.connect({
      socketTimeout: COMMAND_TIMEOUT_MS,
      connectTimeout: PROMPT_CONNECT_MS,
      maxRetriesPerRequest: ATTEMPTS,
      retryStrategy: (attempt) => (this.#closed ? null : retryDelay(attempt, PROMPT_RETRY_MAX_MS)),
    });
  }

  /** Closes one connection; its pending commands fail. */
  disconnect(client: Redis): void {
    this.#all.delete(client);
    end(client);
  }

  workers(): Redis {
    this.#workers ??= this.#copyClient(this.connect({ socketTimeout: WORKER_SILENCE_MS, maxRetriesPerRequest: null }));
    return this.#workers;
  }

  /** Tracks the copies of the client: BullMQ makes and closes them, except when the server hangs. */
  #copyClient(client: Redis): Redis {
    const duplicate = client.duplicate.bind(client);
    client.duplicate = (override) => this.#keepClient(duplicate(override));
    return client;
  }

  #keepClient(client: Redis): Redis {
    // Without a listener, the client prints its errors to the console.
    client.on('error', () => {});
    this.#all.add(client);
    if (this.#closed) end(client);
    return client;
  }

  /** @throws NodewrightError UNAVAILABLE when the connection is not ready within 10 s */
  async checkReady(): Promise<void> {
    let last: unknown = new Error('it does not answer');
    this.commands.on('error', (error) => {
      last = error;
    });
    const ready = new Promise<void>((resolve) => this.commands.once('ready', resolve));
    await withTimeout(ready, START_MS, () => {
      const { host, port } = this.#options;
      throw new NodewrightError(
        'UNAVAILABLE',
        `Redis at ${host}:${port} is away: ${reason(last)}; start it, or correct redis in the configuration`,
      );
    });
  }

  #onLost(error: Error): void {
    if (this.#away || this.#closed) return;
    this.#away = true;
    this.#log.warn({ reason: reason(error) }, 'Redis is away; jobs wait');
  }

  #markBack(): void {
    if (this.#away) this.#log.info('Redis is back');
    this.#away = false;
  }

  /** How often `commands` lost its connection. The client then sends commands again that have no answer yet. */
  get losses(): number {
    return this.#losses;
  }

  get isAway(): boolean {
    return this.#away;
  }

  async within<T>(work: Promise<T>): Promise<T> {
    try {
      return await withTimeout(work, COMMAND_TIMEOUT_MS, onTimeout);
    } catch (error) {
      throw shownError(error);
    }
  }

  readonly tell = (message: string, error: unknown): void => this.#log.warn(logFields(error), message);

  async close(): Promise<void> {
    this.#closed = true;
    const open = [...this.#all].filter(({ status }) => status !== 'end');
    const ended = open.map((client) => new Promise((resolve) => client.once('end', resolve)));
    for (const client of open) end(client);
    await withTimeout(Promise.all(ended), FAREWELL_MS + 200, () => {});
  }
}

/** Ends a client and its pending commands, which the client itself does not while it waits to reconnect. */
function end(client: Redis): void {
  const waiting = client.status === 'reconnecting';
  client.disconnect();
  if (!waiting) return;
  client.connect().catch(() => {});
  client.disconnect();
}

const onTimeout = (): never => {
  throw new NodewrightError('UNAVAILABLE', `Redis does not answer within ${COMMAND_TIMEOUT_MS} ms`);
};
