/**
 * Events on RabbitMQ: the durable topic exchange `on.events`, persistent messages, publisher confirms.
 *
 * Owns one connection and one confirm channel, and brings both back when they are lost. Relies on the outbox to keep
 * what could not be sent.
 *
 * 1. `send` resolves only with the broker's confirm, and rejects when none comes within `CONFIRM_MS`: a connection
 *    that hangs is as good as none.
 * 2. What the socket cannot take yet is waited for (`drain`), never piled up.
 */
import { once } from 'node:events';
import { type ChannelModel, type ConfirmChannel, connect, type RecoveringChannelModel } from 'amqplib';
import type { Publication } from '../define/event.ts';
import type { Broker } from './port.ts';

export const EXCHANGE = 'on.events';
const CONNECT_MS = 5_000;
const CONFIRM_MS = 5_000;
/** Two missed heartbeats end the connection: a broker that hangs is noticed within this many seconds. */
const HEARTBEAT_SEC = 5;
const RECOVERY = { initialDelay: 200, maxDelay: 5_000, factor: 2, jitter: 0.2 };

export interface BrokerLog {
  info(message: string): void;
  warn(fields: object, message: string): void;
}

/** @param url amqp or amqps, with credentials; never logged */
export async function openBroker(url: string, log: BrokerLog): Promise<Broker> {
  const broker = new Amqp(log);
  await broker.open(url);
  return broker;
}

class Amqp implements Broker {
  readonly #log: BrokerLog;
  readonly #listeners: (() => void)[] = [];
  #model: RecoveringChannelModel | undefined;
  #channel: ConfirmChannel | undefined;

  constructor(log: BrokerLog) {
    this.#log = log;
  }

  get up(): boolean {
    return this.#channel !== undefined;
  }

  onUp(listener: () => void): void {
    this.#listeners.push(listener);
  }

  async open(url: string): Promise<void> {
    const target = new URL(url);
    target.searchParams.set('heartbeat', String(HEARTBEAT_SEC));
    this.#model = await connect(target.href, {
      noDelay: true,
      timeout: CONNECT_MS,
      recovery: { ...RECOVERY, waitForConnect: false, setup: (model: ChannelModel) => this.#opened(model) },
    });
    this.#model.on('disconnect', (error) => this.#lost(error));
    this.#model.on('connect-failed', (error) => this.#lost(error));
    this.#model.on('error', (error) => this.#lost(error));
  }

  async #opened(model: ChannelModel): Promise<void> {
    const channel = await model.createConfirmChannel();
    channel.on('error', (error) => this.#lost(error));
    channel.on('close', () => {
      if (this.#channel === channel) this.#channel = undefined;
    });
    await channel.assertExchange(EXCHANGE, 'topic', { durable: true });
    this.#channel = channel;
    this.#log.info('the AMQP broker is up');
    for (const listener of this.#listeners) listener();
  }

  #lost(error: Error): void {
    this.#channel = undefined;
    this.#log.warn({ reason: reason(error) }, 'the AMQP broker is away; events wait');
  }

  async send(publications: readonly Publication[]): Promise<void> {
    const channel = this.#channel;
    if (channel === undefined) throw new Error('the AMQP broker is away');
    const confirms: Promise<void>[] = [];
    for (const publication of publications) {
      const { confirmed, drained } = publish(channel, publication);
      confirms.push(confirmed);
      if (!drained) await within(once(channel, 'drain'));
    }
    await within(Promise.all(confirms));
  }

  async close(): Promise<void> {
    this.#channel = undefined;
    await this.#model?.close();
  }
}

function publish(channel: ConfirmChannel, { id, key, body }: Publication) {
  let drained = false;
  const confirmed = new Promise<void>((resolve, reject) => {
    const content = Buffer.from(JSON.stringify(body));
    const options = { persistent: true, contentType: 'application/json', messageId: id };
    drained = channel.publish(EXCHANGE, key, content, options, (error: unknown) =>
      error === null || error === undefined ? resolve() : reject(error as Error),
    );
  });
  // Whoever sends several waits for them together; one that fails early must not be called unhandled.
  confirmed.catch(() => {});
  return { confirmed, drained };
}

async function within<T>(promise: Promise<T>): Promise<T> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new Error(`no confirm within ${CONFIRM_MS} ms`)), CONFIRM_MS);
  });
  try {
    return await Promise.race([promise, late]);
  } finally {
    clearTimeout(timer);
  }
}

/** The library's messages may name the URL; its code or first word says enough. */
const reason = (error: Error & { code?: string }): string =>
  error?.code ?? String(error?.message ?? error).replace(/amqps?:\/\/\S*/g, 'amqp://…');
