/** Listens on `on.events` through a durable queue that keeps messages while the listener or the broker is down. */
import { randomUUID } from 'node:crypto';
import { type ChannelModel, type ConsumeMessage, connect } from 'amqplib';
import { WAIT_MS } from '../ava/patience.ts';
import type { Scope } from '../ava/scope.ts';

export interface Heard {
  id: string;
  key: string;
  body: Record<string, unknown>;
  message: ConsumeMessage;
}

/** A growing list; waiting callers are notified of each item. */
export class Hearing<T> {
  readonly all: T[] = [];
  readonly #waiting = new Set<() => void>();
  readonly #listeners: ((item: T) => void)[] = [];

  add(item: T): void {
    this.all.push(item);
    for (const listener of this.#listeners) listener(item);
    for (const look of this.#waiting) look();
  }

  /** Calls it with each item, also with those that are there. */
  each(listener: (item: T) => void): void {
    this.all.forEach(listener);
    this.#listeners.push(listener);
  }

  /** Resolves as soon as `done` returns true. */
  until(done: (all: readonly T[]) => boolean): Promise<readonly T[]> {
    return new Promise((resolve, reject) => {
      const end = setTimeout(() => reject(new Error(`nothing that was awaited came within ${WAIT_MS} ms`)), WAIT_MS);
      // An abandoned wait keeps no process alive.
      end.unref();
      const look = () => {
        if (!done(this.all)) return;
        clearTimeout(end);
        this.#waiting.delete(look);
        resolve(this.all);
      };
      this.#waiting.add(look);
      look();
    });
  }
}

/** Stopped when its owner `t` ends. Each has its own queue, so that messages of earlier tests do not interfere. */
export async function listenOn(t: Scope, url: string): Promise<Hearing<Heard>> {
  const hearing = new Hearing<Heard>();
  await listen(t, url, randomUUID(), (heard) => hearing.add(heard));
  return hearing;
}

/** Reconnects whenever the broker returns. @param hear called with each message, including repeats */
export async function listen(t: Scope, url: string, queue: string, hear: (heard: Heard) => void): Promise<void> {
  const setup = async (model: ChannelModel) => {
    model.on('error', () => {});
    const channel = await model.createChannel();
    channel.on('error', () => {});
    await channel.assertExchange('on.events', 'topic', { durable: true });
    await channel.assertQueue(queue, { durable: true });
    await channel.bindQueue(queue, 'on.events', '#');
    await channel.consume(queue, (message) => {
      if (message === null) return;
      const body = JSON.parse(message.content.toString()) as Record<string, unknown>;
      channel.ack(message);
      hear({ id: message.properties.messageId, key: message.fields.routingKey, body, message });
    });
  };
  const model = await connect(url, { recovery: { initialDelay: 100, maxDelay: 500, setup } });
  model.on('error', () => {});
  t.teardown(() => model.close());
}

/** Removes repeats: each id once, in the order of first arrival. */
export function once<T extends { id: string }>(heard: readonly T[]): T[] {
  const first = new Map<string, T>();
  for (const one of heard) if (!first.has(one.id)) first.set(one.id, one);
  return [...first.values()];
}

/** Returns errors in the starts and ends received of these workflows: missing, or duplicated under another id. */
export function wronglyTold(heard: readonly Heard[], workflows: readonly string[]): string[] {
  return workflows.flatMap((workflow) =>
    ['started', 'finished'].flatMap((action) => {
      const told = heard.filter(({ key, body }) => key.startsWith(`graph.${action}.`) && body.typeId === workflow);
      const ids = new Set(told.map(({ id }) => id));
      return ids.size === 1 ? [] : [`${workflow} ${action}: ${told.length} times, ${ids.size} ids`];
    }),
  );
}
