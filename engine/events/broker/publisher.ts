/**
 * A publisher on one confirm channel: tracks messages that are sent and not yet confirmed.
 *
 * Relies on the channel to fail every pending confirm when it closes; that is how a `send` without confirmation ends.
 *
 * 1. At most `WINDOW` messages and `WINDOW_BYTES` bytes are unconfirmed; further sends wait for room. A slow or blocked
 *    broker thus costs no more memory than that.
 * 2. If messages are unconfirmed and no confirm arrives for `CONFIRM_TIMEOUT_MS`, `stalled` is called.
 * 3. Between `block` and `unblock` nothing is sent. Messages sent before stay
 *    unconfirmed, and late confirms are ignored.
 * 4. The messages of one turn of the event loop are written to the socket at its end, together. With one write for each
 *    message, most of the time of a publication is spent in the kernel.
 */
import { bodyText, eventIn, type Publication } from '../../vocabulary/event.ts';
import { MIB } from '../../vocabulary/units.ts';
import type { ConfirmLink } from './confirm-link.ts';
import { SHORT_BYTES } from './frames.ts';

export const EXCHANGE = 'on.events';
export const CONFIRM_TIMEOUT_MS = 5_000;
const WINDOW = 1_000;
const WINDOW_BYTES = 16 * MIB;

interface WaitingMessage {
  resolve(): void;
  reject(error: Error): void;
}

export class Publisher {
  readonly #link: ConfirmLink;
  readonly #stalled: () => void;
  readonly #open = new Set<Confirms>();
  readonly #waiting: WaitingMessage[] = [];
  #messages = 0;
  #bytes = 0;
  #watch: NodeJS.Timeout | undefined;
  #barred: Error | undefined;

  constructor(link: ConfirmLink, stalled: () => void) {
    this.#link = link;
    this.#stalled = stalled;
    link.onClose(() => this.block(new Error('the AMQP channel is closed')));
  }

  /** Resolves when the broker has confirmed all; rejects when one of them may be lost. */
  async send(publications: readonly Publication[]): Promise<void> {
    const confirms = new Confirms(publications.length);
    for (const publication of publications) {
      if (this.#isFull) await this.#room();
      this.#put(publication, confirms);
    }
    await confirms.all;
  }

  /** Rejects all pending and future sends with this reason. */
  block(reason: Error): void {
    this.#barred = reason;
    this.#unwatch();
    for (const confirms of this.#open) confirms.reject(reason);
    this.#open.clear();
    for (const { reject } of this.#waiting.splice(0)) reject(reason);
  }

  unblock(): void {
    this.#barred = undefined;
    if (this.#messages > 0) this.#rewatch();
  }

  get #isFull(): boolean {
    return this.#waiting.length > 0 || this.#messages >= WINDOW || this.#bytes >= WINDOW_BYTES;
  }

  #room(): Promise<void> {
    if (this.#barred) return Promise.reject(this.#barred);
    return new Promise((resolve, reject) => this.#waiting.push({ resolve, reject }));
  }

  #put(publication: Publication, confirms: Confirms): void {
    const { id, key } = publication;
    try {
      if (this.#barred) throw this.#barred;
      const text = bodyText(publication);
      const size = Buffer.byteLength(text);
      const message = { id, key: shortenKey(key), text, size, ...describing(publication) };
      this.#link.publish(message, (error) => this.#onSettled(size, confirms, error));
      this.#messages += 1;
      this.#bytes += size;
    } catch (error) {
      this.#notify();
      throw error;
    }
    this.#open.add(confirms);
    if (this.#watch === undefined) this.#rewatch();
  }

  #onSettled(size: number, confirms: Confirms, error: Error | null): void {
    this.#messages -= 1;
    this.#bytes -= size;
    this.#rewatch();
    if (confirms.settle(error)) this.#open.delete(confirms);
    this.#notify();
  }

  #notify(): void {
    if (this.#messages < WINDOW && this.#bytes < WINDOW_BYTES) this.#waiting.shift()?.resolve();
  }

  #rewatch(): void {
    if (this.#messages === 0 || this.#barred) this.#unwatch();
    else if (this.#watch === undefined) this.#watch = setTimeout(this.#stalled, CONFIRM_TIMEOUT_MS);
    else this.#watch.refresh();
  }

  #unwatch(): void {
    clearTimeout(this.#watch);
    this.#watch = undefined;
  }
}

/**
 * Properties that receivers read without parsing the body. The body of a notification is written by a node: any of its
 * fields may be too long, or no time.
 */
function describing(publication: Publication): { type: string; timestamp: number } {
  const event = eventIn(publication);
  const type = event === undefined ? 'notification' : `${event.type}.${event.action}`;
  const at = event === undefined ? Date.now() : Date.parse(event.createdAt);
  return { type, timestamp: Math.floor(at / 1_000) };
}

/** The confirms of one `send`. */
class Confirms {
  readonly all: Promise<void>;
  reject: (error: Error) => void = () => {};
  #resolve: () => void = () => {};
  #left: number;

  constructor(count: number) {
    this.#left = count;
    this.all = new Promise((resolve, reject) => {
      this.#resolve = resolve;
      this.reject = reject;
    });
    // A send that waits for room does not await it yet; a confirm that fails early is no unhandled rejection.
    this.all.catch(() => {});
    if (count === 0) this.#resolve();
  }

  /** @returns whether no further confirm matters */
  settle(error: Error | null): boolean {
    this.#left -= 1;
    if (error) this.reject(error);
    else if (this.#left === 0) this.#resolve();
    return error !== null || this.#left === 0;
  }
}

/** Shortens a key that AMQP cannot carry, which would block all events behind it: parts of keys come from outside. */
function shortenKey(key: string): string {
  let text = key;
  while (Buffer.byteLength(text) > SHORT_BYTES) text = text.slice(0, -1);
  return text;
}
