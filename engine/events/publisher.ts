/**
 * A publisher on one confirm channel: tracks messages that are sent and not yet confirmed.
 *
 * Relies on the channel to fail every pending confirm when it closes; that is how a `send` without confirmation ends.
 *
 * 1. At most `WINDOW` messages and `WINDOW_BYTES` bytes are unconfirmed; further sends wait for room. A slow or blocked
 *    broker thus costs no more memory than that.
 * 2. If messages are unconfirmed and no confirm arrives for `STALL_MS`, `stalled` is called.
 * 3. Between `block` and `unblock` nothing is sent. Messages sent before stay
 *    unconfirmed, and late confirms are ignored.
 */
import type { ConfirmChannel } from 'amqplib';
import { shownText } from '../define/conceal.ts';
import type { Publication } from '../define/event.ts';

export const EXCHANGE = 'on.events';
export const STALL_MS = 5_000;
const WINDOW = 1_000;
const WINDOW_BYTES = 16 * 1024 * 1024;
/** AMQP's limit for short strings, routing keys among them. */
const KEY_BYTES = 255;

type Reject = (error: Error) => void;

export class Publisher {
  readonly #channel: ConfirmChannel;
  readonly #stalled: () => void;
  readonly #open = new Set<Reject>();
  readonly #waiting: { resolve(): void; reject: Reject }[] = [];
  #messages = 0;
  #bytes = 0;
  #watch: NodeJS.Timeout | undefined;
  #barred: Error | undefined;

  constructor(channel: ConfirmChannel, stalled: () => void) {
    this.#channel = channel;
    this.#stalled = stalled;
    channel.on('close', () => this.block(new Error('the AMQP channel is closed')));
  }

  /** Resolves when the broker has confirmed all; rejects when one of them may be lost. */
  async send(publications: readonly Publication[]): Promise<void> {
    const confirms: Promise<void>[] = [];
    for (const publication of publications) {
      if (this.#full) await this.#room();
      confirms.push(this.#publish(publication));
    }
    await Promise.all(confirms);
  }

  /** Rejects all pending and future sends with this reason. */
  block(reason: Error): void {
    this.#barred = reason;
    this.#unwatch();
    for (const reject of this.#open) reject(reason);
    this.#open.clear();
    for (const { reject } of this.#waiting.splice(0)) reject(reason);
  }

  unblock(): void {
    this.#barred = undefined;
    if (this.#messages > 0) this.#rewatch();
  }

  get #full(): boolean {
    return this.#waiting.length > 0 || this.#messages >= WINDOW || this.#bytes >= WINDOW_BYTES;
  }

  #room(): Promise<void> {
    if (this.#barred) return Promise.reject(this.#barred);
    return new Promise((resolve, reject) => this.#waiting.push({ resolve, reject }));
  }

  #publish(publication: Publication): Promise<void> {
    const confirmed = new Promise<void>((resolve, reject) => {
      if (this.#barred) return reject(this.#barred);
      this.#open.add(reject);
      try {
        this.#put(publication, (error) => {
          this.#open.delete(reject);
          if (error) reject(error);
          else resolve();
        });
      } catch (error) {
        this.#open.delete(reject);
        reject(error);
        this.#wake();
      }
    });
    // The caller awaits several sends together; one that fails early must not count as an unhandled rejection.
    confirmed.catch(() => {});
    return confirmed;
  }

  #put({ id, key, body }: Publication, settled: (error: Error | null) => void): void {
    const content = Buffer.from(shownText(JSON.stringify(body)));
    const options = { persistent: true, contentType: 'application/json', messageId: id };
    this.#channel.publish(EXCHANGE, shortened(key), content, options, (error: Error | null) => {
      this.#messages -= 1;
      this.#bytes -= content.length;
      this.#rewatch();
      settled(error);
      this.#wake();
    });
    this.#messages += 1;
    this.#bytes += content.length;
    if (this.#watch === undefined) this.#rewatch();
  }

  #wake(): void {
    if (this.#messages < WINDOW && this.#bytes < WINDOW_BYTES) this.#waiting.shift()?.resolve();
  }

  #rewatch(): void {
    if (this.#messages === 0 || this.#barred) this.#unwatch();
    else if (this.#watch === undefined) this.#watch = setTimeout(this.#stalled, STALL_MS);
    else this.#watch.refresh();
  }

  #unwatch(): void {
    clearTimeout(this.#watch);
    this.#watch = undefined;
  }
}

/** Shortens a key that AMQP cannot carry, which would block all events behind it: parts of keys come from outside. */
function shortened(key: string): string {
  let text = key;
  while (Buffer.byteLength(text) > KEY_BYTES) text = text.slice(0, -1);
  return text;
}
