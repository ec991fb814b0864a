/**
 * The common part of all channels, whatever transports their messages, and the local channel of a single process.
 * It owns the subscriptions of this process.
 *
 * 1. Messages are sent as JSON text, also within one process, so that a message valid here is valid everywhere.
 * 2. A message over the limit is rejected when it is sent: it would block all messages behind it.
 * 3. A handler that throws affects no other handler.
 */
import { NodewrightError } from '../../vocabulary/errors.ts';
import type { Channel } from './port.ts';

/** Bytes. A message only names the data to look at, which is in the store. */
const MESSAGE_LIMIT = 64 * 1024;

export type ChannelLog = (message: string, error: unknown) => void;

export interface Channels {
  channel<T>(name: string): Channel<T>;
}

export function encode(name: string, message: unknown): string {
  const text = JSON.stringify(message) ?? 'null';
  const bytes = Buffer.byteLength(text);
  if (bytes <= MESSAGE_LIMIT) return text;
  throw new NodewrightError('TOO_LARGE', `a message for ${name} has ${bytes} bytes, expected at most ${MESSAGE_LIMIT}`);
}

interface Listener {
  hear(message: unknown): void;
}

export class Listeners {
  readonly #of = new Map<string, Set<Listener>>();
  readonly #log: ChannelLog;

  constructor(log: ChannelLog) {
    this.#log = log;
  }

  /** @returns removes the handler, and returns whether it was the last of its channel */
  add<T>(name: string, handler: (message: T) => void): () => boolean {
    const all = this.#of.get(name) ?? new Set();
    this.#of.set(name, all);
    // A new object, because the same function may subscribe twice.
    const listener = { hear: handler as (message: unknown) => void };
    all.add(listener);
    return () => {
      const last = all.delete(listener) && all.size === 0;
      if (last && this.#of.get(name) === all) this.#of.delete(name);
      return last;
    };
  }

  deliver(name: string, text: string): void {
    for (const { hear } of [...(this.#of.get(name) ?? [])]) {
      try {
        hear(JSON.parse(text));
      } catch (error) {
        this.#log(`channel ${name}: a handler failed`, error);
      }
    }
  }
}

/** Channels inside one process. */
export function localChannels(log: ChannelLog): Channels {
  const listeners = new Listeners(log);
  return {
    channel: <T>(name: string): Channel<T> => ({
      async publish(message) {
        const text = encode(name, message);
        setImmediate(() => listeners.deliver(name, text));
      },
      async subscribe(handler) {
        const remove = listeners.add(name, handler);
        return async () => {
          remove();
        };
      },
    }),
  };
}
