/**
 * The outbox: the way of events from saved steps to the broker. While the broker is away they wait in the store.
 *
 * Owns: what waits (`outbox`), and whether events go straight or wait in line. Relies on whoever publishes to keep an
 * event until `publish` resolves, and to publish the next event of the same workflow only then.
 *
 * 1. `publish` resolves when the broker has confirmed, or when the events stand in the store.
 * 2. While anything waits, everything waits in line behind it: events of one workflow keep their order. Another process
 *    may have put the one before in line: who goes on where another was (`follows: false`) looks there first.
 * 3. An event may be sent twice, with the same id; none is lost.
 * 4. Of several processes one sends what waits.
 * 5. Web hooks take each event here too, and `publish` waits until they have it (`port.ts`, `EventTaker`).
 * 6. Without a broker there is nothing to wait for: events go to this process's own listeners only.
 */
import { randomBytes } from 'node:crypto';
import { setTimeout } from 'node:timers/promises';
import type { Publication } from '../define/event.ts';
import { within } from '../define/within.ts';
import type { Peers } from '../peers/peers.ts';
import { batch } from '../store/batch.ts';
import type { Collection, CollectionSpec } from '../store/port.ts';
import type { Broker, EventTaker } from './port.ts';

export interface Waiting {
  id: string;
  publication: Publication;
}

export const outboxSpec: CollectionSpec = { name: 'outbox', indexes: {}, whole: [] };
const AT_ONCE = 100;
/** Of the milliseconds with which a place in the line begins. */
const CLOCK_DIGITS = 14;
/** After a send that failed while the broker seems up. */
const AGAIN_MS = 1_000;
/** What is being sent when the daemon stops may be confirmed within this long; otherwise it is sent once more later. */
const CLOSE_MS = 500;
/** While another process sends what waits. */
const LOOK_AGAIN_MS = 200;
const DUTY = 'outbox';
/** To count what waits is a look through all of it. */
const COUNT_MS = 5_000;

export type OutboxPeers = Pick<Peers, 'alone' | 'duties'>;
export type Listener = (publication: Publication) => void;

export class Outbox {
  readonly #waiting: Collection<Waiting>;
  readonly #broker: Broker | undefined;
  readonly #peers: OutboxPeers;
  readonly #failed: (error: unknown) => void;
  readonly #hooks: EventTaker;
  /** Whether anything waits in line. Asked for by many at once, it looks once. */
  readonly #anyWaiting = batch(async (asked: null[]) => {
    const found = await this.#lookBehind();
    return asked.map(() => found);
  });
  readonly #listeners = new Set<Listener>();
  /** Until the store was looked at, events of an earlier life of the daemon may wait there. */
  #inLine = true;
  /** Two daemons on one store may take a place in the same millisecond; neither may hide the other's event. */
  readonly #own = randomBytes(6).toString('hex');
  #count = 0;
  #clock = 0;
  readonly #storing = new Set<Promise<unknown>>();
  /** How often something was put in line: tells a look at the store whether it is out of date. */
  #stored = 0;
  #gate: Gate | undefined;
  #draining: Promise<void> | undefined;
  #again: NodeJS.Timeout | undefined;
  #closed = false;
  #counted = 0;
  #countedAt = Number.NEGATIVE_INFINITY;

  constructor(
    waiting: Collection<Waiting>,
    broker: Broker | undefined,
    peers: OutboxPeers,
    failed: (error: unknown) => void,
    hooks: EventTaker = { take: () => undefined },
  ) {
    this.#waiting = waiting;
    this.#broker = broker;
    this.#peers = peers;
    this.#failed = failed;
    this.#hooks = hooks;
    broker?.onUp(() => this.#drain());
    this.#drain();
  }

  /** @returns takes the listener off again */
  listen(listener: Listener): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  /** For what is worth nothing later: it goes out now, or not at all. */
  tell(publication: Publication): void {
    for (const listener of this.#listeners) listener(publication);
    if (this.#broker?.up) this.#broker.send([publication]).catch(() => {});
    this.#hooks.take([publication])?.catch(this.#failed);
  }

  /** @param follows false: this process did not publish what comes before these, if anything does */
  async publish(publications: readonly Publication[], follows = true): Promise<void> {
    for (const listener of this.#listeners) for (const publication of publications) listener(publication);
    const taken = this.#hooks.take(publications);
    if (taken === undefined) return this.#out(publications, follows);
    await Promise.all([taken, this.#out(publications, follows)]);
  }

  async #out(publications: readonly Publication[], follows: boolean): Promise<void> {
    if (this.#broker === undefined || publications.length === 0) return;
    while (this.#gate !== undefined) await this.#gate.opened;
    const behind = !follows && !this.#peers.alone && (await this.#anyWaiting(null));
    if (this.#inLine || behind) return this.#store(publications);
    try {
      await this.#broker.send(publications);
    } catch {
      await this.#store(publications);
    }
  }

  /** How many events wait in line; asked of the store once in a while. */
  async backlog(): Promise<number> {
    if (this.#broker === undefined || !this.#inLine) return 0;
    if (performance.now() > this.#countedAt + COUNT_MS) {
      this.#countedAt = performance.now();
      this.#counted = await this.#waiting.count({});
    }
    return this.#counted;
  }

  async #store(publications: readonly Publication[]): Promise<void> {
    const stored = this.#put(publications);
    this.#storing.add(stored);
    this.#stored += 1;
    this.#inLine = true;
    try {
      await stored;
    } finally {
      this.#storing.delete(stored);
    }
    // The broker may have come back while this was written.
    this.#drain();
  }

  async #put(publications: readonly Publication[]): Promise<void> {
    if (this.#clock === 0) await this.#lookBehind();
    await this.#waiting.insertMissing(publications.map((publication) => ({ id: this.#place(), publication })));
  }

  /** From here on places are behind all that waits now, whatever the clock of whoever put it there said. */
  async #lookBehind(): Promise<boolean> {
    const [last] = await this.#waiting.find({}, { sort: { id: -1 }, limit: 1 });
    this.#clock = Math.max(this.#clock, Number(last?.id.slice(0, CLOCK_DIGITS) ?? 0) + 1);
    return last !== undefined;
  }

  /** Sorts in the order of publishing, also when the clock is set back meanwhile. */
  #place(): string {
    this.#count += 1;
    this.#clock = Math.max(this.#clock, Date.now());
    return `${String(this.#clock).padStart(CLOCK_DIGITS, '0')}-${String(this.#count).padStart(12, '0')}-${this.#own}`;
  }

  #drain(): void {
    if (this.#closed || !this.#broker?.up || this.#draining !== undefined) return;
    clearTimeout(this.#again);
    this.#draining = this.#run(this.#broker);
  }

  /** That it ends and that `#draining` says so is one: a call of `#drain` between them would be lost. */
  async #run(broker: Broker): Promise<void> {
    try {
      while (this.#inLine && broker.up && !this.#closed) await this.#runOnce(broker);
    } catch (error) {
      this.#later(error);
    } finally {
      await this.#peers.duties.give(DUTY).catch(() => {}); // it is taken from whoever falls silent
      this.#draining = undefined;
      this.#gate?.open();
      this.#gate = undefined;
    }
  }

  /** Under load the line would never be empty: whoever comes while its last page is sent waits at the gate. */
  async #runOnce(broker: Broker): Promise<void> {
    const last = this.#gate !== undefined && this.#storing.size === 0;
    const stored = this.#stored;
    // Asked first: what stands here after another's duty was not sent on it.
    const mine = await this.#peers.duties.take(DUTY);
    const page = await this.#waiting.find({}, { limit: AT_ONCE });
    if (page.length === 0 && last && stored === this.#stored) {
      this.#inLine = false;
      return;
    }
    if (page.length < AT_ONCE) {
      this.#gate ??= gate();
      await Promise.allSettled(this.#storing);
    }
    if (!mine) return void (await setTimeout(LOOK_AGAIN_MS));
    await broker.send(page.map(({ publication }) => publication));
    await this.#waiting.remove({ id: { $in: page.map(({ id }) => id) } });
  }

  #later(error: unknown): void {
    if (this.#closed) return;
    this.#failed(error);
    clearTimeout(this.#again);
    this.#again = globalThis.setTimeout(() => this.#drain(), AGAIN_MS);
  }

  /** What is not sent by now is sent by the next life of the daemon. */
  async close(): Promise<void> {
    this.#closed = true;
    clearTimeout(this.#again);
    if (this.#draining) await within(this.#draining, CLOSE_MS, () => {});
    await this.#broker?.close();
    await this.#draining;
  }
}

interface Gate {
  opened: Promise<void>;
  open(): void;
}

function gate(): Gate {
  let open = () => {};
  const opened = new Promise<void>((resolve) => {
    open = resolve;
  });
  return { opened, open };
}
