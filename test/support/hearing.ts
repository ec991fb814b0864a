/** Listens on `on.events` through a durable queue that holds what comes while the listener or the broker is away. */
import { type ChannelModel, type ConsumeMessage, connect } from 'amqplib';
import type { ExecutionContext } from 'ava';
import type { Scope } from './scope.ts';

export interface Heard {
  id: string;
  key: string;
  body: Record<string, unknown>;
  message: ConsumeMessage;
}

/** Grows; whoever waits for something in it is told. */
export class Hearing<T> {
  readonly all: T[] = [];
  readonly #waiting = new Set<() => void>();

  add(item: T): void {
    this.all.push(item);
    for (const look of this.#waiting) look();
  }

  /** Resolves as soon as `done` holds; the test's own time limit ends the wait. */
  until(done: (all: readonly T[]) => boolean): Promise<readonly T[]> {
    return new Promise((resolve) => {
      const look = () => {
        if (!done(this.all)) return;
        this.#waiting.delete(look);
        resolve(this.all);
      };
      this.#waiting.add(look);
      look();
    });
  }
}

/** Stopped when the test ends. One queue for each test: what an earlier test left does not disturb. */
export async function listenOn(t: ExecutionContext, url: string): Promise<Hearing<Heard>> {
  const hearing = new Hearing<Heard>();
  await listen(t, url, t.title.slice(0, 200), (heard) => hearing.add(heard));
  return hearing;
}

/** Comes back whenever the broker does. @param hear given each message, repeats too */
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

/** What a listener makes of it: each id once, in the order in which it came first. */
export function once<T extends { id: string }>(heard: readonly T[]): T[] {
  const first = new Map<string, T>();
  for (const one of heard) if (!first.has(one.id)) first.set(one.id, one);
  return [...first.values()];
}

/** @returns what is wrong with the starts and ends that were heard of these workflows: lost, or copied under another id */
export function wronglyTold(heard: readonly Heard[], workflows: readonly string[]): string[] {
  return workflows.flatMap((workflow) =>
    ['started', 'finished'].flatMap((action) => {
      const told = heard.filter(({ key }) => key === `graph.${action}.information.${workflow}`);
      const ids = new Set(told.map(({ id }) => id));
      return ids.size === 1 ? [] : [`${workflow} ${action}: ${told.length} times, ${ids.size} ids`];
    }),
  );
}
