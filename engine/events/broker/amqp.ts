/**
 * Events on RabbitMQ: the durable topic exchange `on.events`, persistent messages, publisher confirms.
 *
 * Owns one connection and the publisher on it, and re-establishes both after a loss.
 * Relies on the outbox to keep unsent events.
 *
 * 1. `send` resolves only with the broker's confirm. It rejects when the connection is lost, and when the broker
 *    confirms nothing for 5 s: a hanging connection is replaced by a new one.
 * 2. A broker that blocks publishers (memory or disk low) is treated as down until it unblocks them.
 * 3. A channel that the broker closed is replaced with its connection: the library recovers connections only.
 * 4. The URL contains a password: it appears in no log line and no error.
 */
import { getEventListeners } from 'node:events';
import { type ChannelModel, connect, type RecoveringChannelModel } from 'amqplib';
import type { Publication } from '../../vocabulary/event.ts';
import { withTimeout } from '../../vocabulary/with-timeout.ts';
import { brokerTargetOf, type Target } from './amqp-url.ts';
import { type ConfirmLink, confirmLink } from './confirm-link.ts';
import type { Broker } from './port.ts';
import { CONFIRM_TIMEOUT_MS, EXCHANGE, Publisher } from './publisher.ts';

const CONNECT_MS = 5_000;
/** Timeout of an orderly close, in which the broker confirms pending messages; after it the connection is dropped. */
const CLOSE_MS = 500;
/** Delay after the broker closed the channel (missing write access, say): prevents a storm of connections. */
const REJECTED_MS = 1_000;
const RECOVERY = { initialDelay: 200, maxDelay: 5_000, factor: 2, jitter: 0.2 };

export interface BrokerLog {
  info(message: string): void;
  warn(fields: object, message: string): void;
}

/**
 * Opens the connection in the background.
 * @param url amqp or amqps, with credentials
 * @throws NodewrightError CONFIG_INVALID
 */
export async function openBroker(url: string, log: BrokerLog): Promise<Broker> {
  const broker = new Amqp(log);
  await broker.open(brokerTargetOf(url));
  return broker;
}

class Amqp implements Broker {
  readonly #log: BrokerLog;
  readonly #listeners: (() => void)[] = [];
  /** Destroys every socket, including those of connections that are being established. */
  readonly #sockets = new AbortController();
  #model: RecoveringChannelModel | undefined;
  #publisher: Publisher | undefined;
  #blocked = false;
  #reported: string | undefined;
  #rejected: NodeJS.Timeout | undefined;
  #closed = false;

  constructor(log: BrokerLog) {
    this.#log = log;
  }

  get up(): boolean {
    return this.#publisher !== undefined && !this.#blocked;
  }

  onUp(listener: () => void): void {
    this.#listeners.push(listener);
  }

  async open({ url, socket }: Target): Promise<void> {
    this.#model = await connect(url, {
      noDelay: true,
      timeout: CONNECT_MS,
      // Missing in amqplib's types, which do not include the options of the socket.
      ...({ ...socket, signal: this.#sockets.signal } as object),
      recovery: { ...RECOVERY, waitForConnect: false, setup: (model: ChannelModel) => this.#onOpen(model) },
    });
    this.#model.on('disconnect', (error) => this.#onDisconnect(error));
    this.#model.on('connect-failed', (error) => this.#onDisconnect(error));
    this.#model.on('error', (error) => this.#onLost(error));
  }

  /** The library adds its error listener to a connection only after this, so this adds one. */
  async #onOpen(model: ChannelModel): Promise<void> {
    model.on('error', () => {});
    model.on('blocked', (why) => this.#block(why));
    model.on('unblocked', () => this.#unblock());
    const channel = await model.createConfirmChannel();
    channel.on('error', (error) => this.#onLost(error));
    await channel.assertExchange(EXCHANGE, 'topic', { durable: true });
    const link = confirmLink(channel, EXCHANGE);
    const publisher = new Publisher(link, () => link.hangUp(`nothing was confirmed for ${CONFIRM_TIMEOUT_MS} ms`));
    link.onClose(() => this.#onEnd(publisher, link));
    this.#blocked = false;
    this.#reported = undefined;
    this.#publisher = publisher;
    this.#log.info('the AMQP broker is up');
    this.#tellUp();
  }

  /** Harmless if the connection itself is gone: destroying a socket twice has no effect. */
  #onEnd(publisher: Publisher, link: ConfirmLink): void {
    if (this.#publisher === publisher) this.#publisher = undefined;
    clearTimeout(this.#rejected);
    if (this.#closed) return;
    this.#rejected = setTimeout(() => link.hangUp('the broker closed the channel'), REJECTED_MS);
  }

  #block(why: string): void {
    this.#blocked = true;
    this.#publisher?.block(new Error('the AMQP broker blocks publishers'));
    this.#log.warn({ reason: why }, 'the AMQP broker blocks publishers; events wait');
  }

  #unblock(): void {
    this.#blocked = false;
    this.#publisher?.unblock();
    this.#log.info('the AMQP broker accepts messages again');
    this.#tellUp();
  }

  #tellUp(): void {
    if (this.up) for (const listener of this.#listeners) listener();
  }

  /** Removes the listeners that Node leaves on the signal for each socket: they would accumulate during an outage. */
  #onDisconnect(error: Error): void {
    const { signal } = this.#sockets;
    for (const left of getEventListeners(signal, 'abort')) signal.removeEventListener('abort', left as () => void);
    this.#onLost(error);
  }

  /** Logs each reason once, not for each attempt. */
  #onLost(error: Error): void {
    this.#publisher = undefined;
    const why = reason(error);
    if (why === this.#reported || this.#closed) return;
    this.#reported = why;
    this.#log.warn({ reason: why }, 'the AMQP broker is away; events wait');
  }

  async send(publications: readonly Publication[]): Promise<void> {
    if (this.#publisher === undefined) throw new Error('the AMQP broker is away');
    await this.#publisher.send(publications);
  }

  async close(): Promise<void> {
    this.#closed = true;
    clearTimeout(this.#rejected);
    const publisher = this.#publisher;
    this.#publisher = undefined;
    if (this.#model) await withTimeout(this.#model.close(), CLOSE_MS, () => {});
    this.#sockets.abort();
    publisher?.block(new Error('the AMQP connection is closed'));
  }
}

/** Returns the error's message without the URL, which the library's messages may contain. */
const reason = (error: Error & { code?: string | number }): string =>
  String(error?.message || error?.code || error).replace(/amqps?:\/\/\S*/g, 'amqp://…');
