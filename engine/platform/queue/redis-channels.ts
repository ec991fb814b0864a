/**
 * Channels on Redis pub/sub. It owns one connection for receiving, opened by the first subscription.
 *
 * 1. A subscription survives an outage; messages published in the meantime are lost.
 * 2. A connection that only receives would not notice that it is dead, so it sends a ping every 5 s.
 */
import type { Redis } from 'ioredis';
import type { RedisConnections } from '../redis/redis-connections.ts';
import { type Channels, encode, Listeners } from './channel.ts';

const ALIVE_MS = 5_000;
const SILENCE_MS = 4_000;

export interface RedisChannels extends Channels {
  close(): void;
}

export function redisChannels(connections: RedisConnections, prefix: string): RedisChannels {
  const listeners = new Listeners(connections.tell);
  let listening: Redis | undefined;
  let alive: NodeJS.Timeout | undefined;
  const key = (name: string) => `${prefix}:channel:${name}`;

  const listener = (): Redis => {
    if (listening !== undefined) return listening;
    const client = connections.connect({ socketTimeout: SILENCE_MS, maxRetriesPerRequest: null });
    client.on('message', (channel, text) => listeners.deliver(channel, text));
    alive = setInterval(() => {
      if (client.status === 'ready') client.ping().catch(() => {});
    }, ALIVE_MS);
    listening = client;
    return client;
  };

  return {
    channel: <T>(name: string) => ({
      async publish(message: T) {
        await connections.within(connections.commands.publish(key(name), encode(name, message)));
      },
      async subscribe(handler: (message: T) => void) {
        const remove = listeners.add(key(name), handler);
        const subscribed = connections.within(listener().subscribe(key(name)));
        await subscribed.catch((error) => {
          remove();
          throw error;
        });
        return async () => {
          if (!remove()) return;
          // If this fails, no handler is registered any more and messages are ignored.
          await connections.within(listener().unsubscribe(key(name))).catch(() => {});
        };
      },
    }),
    close() {
      clearInterval(alive);
    },
  };
}
