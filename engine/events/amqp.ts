/**
 * Events on RabbitMQ: the durable topic exchange `on.events`, persistent messages, publisher confirms.
 *
 * Owns one connection and the line on it, and brings both back when they are lost. Relies on the outbox to keep what
 * could not be sent.
 *
 * 1. `send` resolves only with the broker's confirm. It rejects when the connection is lost, and when the broker
 *    confirms nothing for 5 s: a connection that hangs is as good as none, and is given up for a new one.
 * 2. A broker that blocks publishers (memory or disk low) counts as away until it says otherwise.
 * 3. A channel that the broker closed comes back with a new connection: the library brings back connections only.
 * 4. The URL holds a password: no log line and no error shows it.
 */
import { getEventListeners } from 'node:events';
import { type ChannelModel, connect, type RecoveringChannelModel } from 'amqplib';
import { NodewrightError } from '../define/errors.ts';
import type { Publication } from '../define/event.ts';
import { within } from '../define/within.ts';
import { EXCHANGE, Line, STALL_MS } from './line.ts';
import type { Broker } from './port.ts';

const CONNECT_MS = 5_000;
/** The farewell that lets the broker confirm what is under way; one that hangs is left without. */
const CLOSE_MS = 500;
/** A connection that is idle and hangs is noticed after two to three of these. */
const HEARTBEAT_SEC = 5;
/** A broker that refuses what we send (no right to write, say) refuses it again: no storm of connections. */
const REFUSED_MS = 1_000;
const RECOVERY = { initialDelay: 200, maxDelay: 5_000, factor: 2, jitter: 0.2 };

export interface BrokerLog {
  info(message: string): void;
  warn(fields: object, message: string): void;
}

/**
 * Does not wait for the broker.
 * @param url amqp or amqps, with credentials
 * @throws NodewrightError CONFIG_INVALID
 */
export async function openBroker(url: string, log: BrokerLog): Promise<Broker> {
  const broker = new Amqp(log);
  await broker.open(target(url));
  return broker;
}

/** Node's own error for a bad URL carries it whole. */
function target(text: string): string {
  if (!URL.canParse(text)) {
    throw new NodewrightError('CONFIG_INVALID', 'amqp is not a URL; expected amqp://user:password@host:port/vhost');
  }
  const url = new URL(text);
  if (!url.searchParams.has('heartbeat')) url.searchParams.set('heartbeat', String(HEARTBEAT_SEC));
  return url.href;
}

/** amqplib's connection stands on a socket that its types do not show. */
const hangUp = (model: ChannelModel, reason: string): void => {
  const { stream } = model.connection as unknown as { stream: { destroy(error: Error): void } };
  stream.destroy(new Error(reason));
};

class Amqp implements Broker {
  readonly #log: BrokerLog;
  readonly #listeners: (() => void)[] = [];
  /** Destroys every socket, also of connections that are only being made. */
  readonly #sockets = new AbortController();
  #model: RecoveringChannelModel | undefined;
  #line: Line | undefined;
  #blocked = false;
  #told: string | undefined;
  #refused: NodeJS.Timeout | undefined;
  #closed = false;

  constructor(log: BrokerLog) {
    this.#log = log;
  }

  get up(): boolean {
    return this.#line !== undefined && !this.#blocked;
  }

  onUp(listener: () => void): void {
    this.#listeners.push(listener);
  }

  async open(url: string): Promise<void> {
    this.#model = await connect(url, {
      noDelay: true,
      timeout: CONNECT_MS,
      // Not in amqplib's types, which stop short of the socket's own options.
      ...({ signal: this.#sockets.signal } as object),
      recovery: { ...RECOVERY, waitForConnect: false, setup: (model: ChannelModel) => this.#opened(model) },
    });
    this.#model.on('disconnect', (error) => this.#disconnected(error));
    this.#model.on('connect-failed', (error) => this.#disconnected(error));
    this.#model.on('error', (error) => this.#lost(error));
  }

  /** The library listens to a connection only when this is through; until then an error would have no listener. */
  async #opened(model: ChannelModel): Promise<void> {
    model.on('error', () => {});
    model.on('blocked', (why) => this.#block(why));
    model.on('unblocked', () => this.#unblock());
    const channel = await model.createConfirmChannel();
    channel.on('error', (error) => this.#lost(error));
    await channel.assertExchange(EXCHANGE, 'topic', { durable: true });
    const line = new Line(channel, () => hangUp(model, `nothing was confirmed for ${STALL_MS} ms`));
    channel.on('close', () => this.#ended(line, model));
    this.#blocked = false;
    this.#told = undefined;
    this.#line = line;
    this.#log.info('the AMQP broker is up');
    this.#tellUp();
  }

  /** Harmless when the connection itself has gone: a socket that is destroyed stays so. */
  #ended(line: Line, model: ChannelModel): void {
    if (this.#line === line) this.#line = undefined;
    clearTimeout(this.#refused);
    if (this.#closed) return;
    this.#refused = setTimeout(() => hangUp(model, 'the broker closed the channel'), REFUSED_MS);
  }

  #block(why: string): void {
    this.#blocked = true;
    this.#line?.block(new Error('the AMQP broker blocks publishers'));
    this.#log.warn({ reason: why }, 'the AMQP broker takes nothing; events wait');
  }

  #unblock(): void {
    this.#blocked = false;
    this.#line?.unblock();
    this.#log.info('the AMQP broker takes messages again');
    this.#tellUp();
  }

  #tellUp(): void {
    if (this.up) for (const listener of this.#listeners) listener();
  }

  /** Node leaves the listener of each socket on the signal: an outage would pile them up, and the sockets with them. */
  #disconnected(error: Error): void {
    const { signal } = this.#sockets;
    for (const left of getEventListeners(signal, 'abort')) signal.removeEventListener('abort', left as () => void);
    this.#lost(error);
  }

  /** Told once for each reason, not for each try. */
  #lost(error: Error): void {
    this.#line = undefined;
    const why = reason(error);
    if (why === this.#told || this.#closed) return;
    this.#told = why;
    this.#log.warn({ reason: why }, 'the AMQP broker is away; events wait');
  }

  async send(publications: readonly Publication[]): Promise<void> {
    if (this.#line === undefined) throw new Error('the AMQP broker is away');
    await this.#line.send(publications);
  }

  async close(): Promise<void> {
    this.#closed = true;
    clearTimeout(this.#refused);
    const line = this.#line;
    this.#line = undefined;
    if (this.#model) await within(this.#model.close(), CLOSE_MS, () => {});
    this.#sockets.abort();
    line?.block(new Error('the AMQP connection is closed'));
  }
}

/** The library's messages may name the URL; its own text says enough. */
const reason = (error: Error & { code?: string | number }): string =>
  String(error?.message || error?.code || error).replace(/amqps?:\/\/\S*/g, 'amqp://…');
