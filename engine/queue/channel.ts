/**
 * What every channel does, whatever carries its messages, and the carrier for a daemon of one process.
 * It owns who listens in this process.
 *
 * 1. Messages travel as JSON text, also inside one process: what passes here passes everywhere.
 * 2. A message over the limit is refused by its sender: it would hold up all that comes behind it.
 * 3. A handler that throws harms no other handler.
 */
import { NodewrightError } from '../define/errors.ts';
import type { Channel } from './port.ts';

/** Bytes. A message says what to look at; the thing itself is in the store. */
export const MESSAGE_LIMIT = 64 * 1024;

export type Log = (message: string, error: unknown) => void;

export interface Channels {
  channel<T>(name: string): Channel<T>;
}

export function encode(name: string, message: unknown): string {
  const text = JSON.stringify(message) ?? 'null';
  const bytes = Buffer.byteLength(text);
  if (bytes <= MESSAGE_LIMIT) return text;
  throw new NodewrightError(
    'TOO_LARGE',
    `a message for ${name} has ${bytes} bytes; at most ${MESSAGE_LIMIT} may be sent`,
  );
}

interface Listener {
  hear(message: unknown): void;
}

export class Listeners {
  readonly #of = new Map<string, Set<Listener>>();
  readonly #log: Log;

  constructor(log: Log) {
    this.#log = log;
  }

  /** @returns what takes the handler away; it says whether it was the last of its channel */
  add<T>(name: string, handler: (message: T) => void): () => boolean {
    const all = this.#of.get(name) ?? new Set();
    this.#of.set(name, all);
    // An object of its own: the same function may listen twice.
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
export function localChannels(log: Log): Channels {
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
