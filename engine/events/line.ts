/**
 * One confirm channel of one connection: what was sent on it and is not confirmed yet.
 *
 * Relies on the channel to fail every open confirm when it closes, which is how a `send` that cannot be confirmed ends.
 *
 * 1. No more than `WINDOW` messages or `WINDOW_BYTES` bytes are unconfirmed; whoever comes later waits for room. So a
 *    broker that is slow or blocked costs no more memory than that.
 * 2. When messages are out and nothing is confirmed for `STALL_MS`, the line says so (`stalled`).
 * 3. Between `block` and `unblock` nothing is sent. What is out stays out, and may be confirmed to nobody.
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

export class Line {
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

  /** Every send ends with this reason, those under way too. */
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
    // Whoever sends several waits for them together; one that fails early must not be called unhandled.
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

/** Parts of a key come from outside. One that AMQP cannot carry would hold up all that stand in line behind it. */
function shortened(key: string): string {
  let text = key;
  while (Buffer.byteLength(text) > KEY_BYTES) text = text.slice(0, -1);
  return text;
}
