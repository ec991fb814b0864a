/** The events of all daemons as a listener on the broker receives them, for `Watch` and for counting. */
import { connect } from 'amqplib';
import type { Publication } from '../../engine/vocabulary/event.ts';
import type { Told } from './watch.ts';

const EXCHANGE = 'on.events';

export interface Hearing extends Told {
  close(): Promise<void>;
}

/** @param keys of the events, as a pattern of AMQP */
export async function hear(amqp: string, keys = '#'): Promise<Hearing> {
  const model = await connect(amqp, { noDelay: true });
  // When a figure fails, the broker stops before its listener.
  model.on('error', () => {});
  const channel = await model.createChannel();
  await channel.assertExchange(EXCHANGE, 'topic', { durable: true });
  const { queue } = await channel.assertQueue('', { exclusive: true });
  await channel.bindQueue(queue, EXCHANGE, keys);
  const listeners = new Set<(publication: Publication) => void>();
  await channel.consume(
    queue,
    (message) => {
      if (message === null) return;
      const body = JSON.parse(message.content.toString());
      const publication = { id: message.properties.messageId, key: message.fields.routingKey, body };
      for (const listener of listeners) listener(publication);
    },
    { noAck: true },
  );
  return {
    listen(listener) {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    close: () => model.close(),
  };
}
