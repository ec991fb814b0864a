/**
 * The outbox: publishes the events of saved steps to the broker, and stores them while the broker is down.
 *
 * Owns: the stored events (`outbox`), and the choice between sending an event directly and queueing it. Relies on
 * callers to keep an event until `publish` resolves, and to publish the next event of the same workflow only then.
 *
 * 1. `publish` resolves when the broker has confirmed the events, or when they are stored.
 * 2. While any event is queued, all events are queued behind it, which preserves the order within a
 *    workflow. The previous event may have been queued by another process: a caller that continues its
 *    work (`follows: false`) checks the store.
 * 3. An event may be sent twice, with the same id; none is lost.
 * 4. One process sends the queued events for all.
 * 5. Web hooks and the log of events also receive each event here, and `publish` waits until they have stored it (`port.ts`,
 *    `EventSink`).
 * 6. Without a broker, nothing is queued: events go to listeners of this process and to those two only.
 */
import { randomBytes } from 'node:crypto';
import { setTimeout } from 'node:timers/promises';
import type { Cluster } from '../../platform/cluster/cluster.ts';
import type { Lease } from '../../platform/cluster/leases.ts';
import { batch } from '../../platform/lib/batch.ts';
import type { Collection, CollectionSpec } from '../../platform/store/port.ts';
import type { Publication } from '../../vocabulary/event.ts';
import { withTimeout } from '../../vocabulary/with-timeout.ts';
import type { Broker, EventSink } from './port.ts';

export interface WaitingEvent {
  id: string;
  publication: Publication;
}

export const outboxSpec: CollectionSpec = { name: 'outbox', indexes: {}, whole: [] };
const WAITING_PAGE = 100;
/** Digits of the milliseconds at the start of a position. */
const CLOCK_DIGITS = 14;
/** Retry delay after a failed send while the broker seems to be up. */
const RETRY_DELAY_MS = 1_000;
/** Timeout for pending confirms when the daemon stops; unconfirmed events are sent once more later. */
const CLOSE_MS = 500;
/** Delay between looks while another process sends the queued events. */
const LOOK_AGAIN_MS = 200;
const LEASE = 'outbox';
/** Maximum age of the count of queued events: counting reads all of them. */
const COUNT_MS = 5_000;

export type OutboxCluster = Pick<Cluster, 'singleNode' | 'leases'>;
export type PublicationListener = (publication: Publication) => void;

export class Outbox {
  readonly #waiting: Collection<WaitingEvent>;
  readonly #broker: Broker | undefined;
  readonly #cluster: OutboxCluster;
  readonly #failed: (error: unknown) => void;
  readonly #sinks: readonly EventSink[];
  /** Whether any event is queued. Concurrent requests share one read. */
  readonly #anyWaiting = batch(async (callers: null[]) => {
    const found = await this.#lookBehind();
    return callers.map(() => found);
  });
  readonly #listeners = new Set<PublicationListener>();
  /** Initially true: until the store is read, events of a previous instance may be queued. */
  #inLine = true;
  /** Makes positions unique: two daemons on one store may take one in the same millisecond. */
  readonly #own = randomBytes(6).toString('hex');
  #count = 0;
  #clock = 0;
  readonly #storing = new Set<Promise<unknown>>();
  /** Number of writes to the queue: detects that a read of the store is outdated. */
  #stored = 0;
  #gate: Gate | undefined;
  #draining: Promise<void> | undefined;
  #lease: Lease | undefined;
  #again: NodeJS.Timeout | undefined;
  #closed = false;
  #counted = 0;
  #countedAt = Number.NEGATIVE_INFINITY;

  constructor(
    waiting: Collection<WaitingEvent>,
    broker: Broker | undefined,
    cluster: OutboxCluster,
    failed: (error: unknown) => void,
    sinks: readonly EventSink[] = [],
  ) {
    this.#waiting = waiting;
    this.#broker = broker;
    this.#cluster = cluster;
    this.#failed = failed;
    this.#sinks = sinks;
    broker?.onUp(() => this.#drain());
    this.#drain();
  }

  /** @returns removes the listener */
  listen(listener: PublicationListener): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  /** Sends an event that is worthless later: now or never. */
  sendNow(publication: Publication): void {
    for (const listener of this.#listeners) listener(publication);
    if (this.#broker?.up) this.#broker.send([publication]).catch(() => {});
    for (const sink of this.#sinks) sink.take([publication])?.catch(this.#failed);
  }

  /** @param follows false: another process may have published the previous events of the workflow */
  async publish(publications: readonly Publication[], follows = true): Promise<void> {
    for (const listener of this.#listeners) for (const publication of publications) listener(publication);
    const taken = this.#sinks.map((sink) => sink.take(publications));
    await Promise.all([...taken, this.#out(publications, follows)]);
  }

  async #out(all: readonly Publication[], follows: boolean): Promise<void> {
    if (this.#broker === undefined) return;
    const publications = all.some(({ isQuiet }) => isQuiet) ? all.filter(({ isQuiet }) => !isQuiet) : all;
    if (publications.length === 0) return;
    while (this.#gate !== undefined) await this.#gate.opened;
    const behind = !follows && !this.#cluster.singleNode && (await this.#anyWaiting(null));
    if (this.#inLine || behind) return this.#store(publications);
    try {
      await this.#broker.send(publications);
    } catch {
      await this.#store(publications);
    }
  }

  /** Returns the number of queued events, which is read from the store from time to time. */
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
    // The broker may have become available during the write.
    this.#drain();
  }

  async #put(publications: readonly Publication[]): Promise<void> {
    if (this.#clock === 0) await this.#lookBehind();
    await this.#waiting.insertMissing(publications.map((publication) => ({ id: this.#place(), publication })));
  }

  /** Ensures that new positions follow all queued ones, even if they were made by a clock ahead of this one. */
  async #lookBehind(): Promise<boolean> {
    const [last] = await this.#waiting.find({}, { sort: { id: -1 }, limit: 1 });
    this.#clock = Math.max(this.#clock, Number(last?.id.slice(0, CLOCK_DIGITS) ?? 0) + 1);
    return last !== undefined;
  }

  /** Returns a position that sorts in the order of publishing, even if the clock is set back. */
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

  /** Its end and the reset of `#draining` are one step: a call of `#drain` between them would be lost. */
  async #run(broker: Broker): Promise<void> {
    try {
      while (this.#inLine && broker.up && !this.#closed) await this.#runOnce(broker);
    } catch (error) {
      this.#retryLater(error);
    } finally {
      await this.#lease?.release().catch(() => {}); // otherwise the next heartbeat releases it
      this.#draining = undefined;
      this.#gate?.open();
      this.#gate = undefined;
    }
  }

  /** Under load the queue would never become empty: publishers wait at the gate while its last page is sent. */
  async #runOnce(broker: Broker): Promise<void> {
    const last = this.#gate !== undefined && this.#storing.size === 0;
    const stored = this.#stored;
    // Acquired before the read: events read here under another process's lease are not sent.
    if (!(await this.#lease?.renew())) this.#lease = await this.#cluster.leases.acquire(LEASE);
    const page = await this.#waiting.find({}, { limit: WAITING_PAGE });
    if (page.length === 0 && last && stored === this.#stored) {
      this.#inLine = false;
      return;
    }
    if (page.length < WAITING_PAGE) {
      this.#gate ??= gate();
      await Promise.allSettled(this.#storing);
    }
    if (this.#lease === undefined) return void (await setTimeout(LOOK_AGAIN_MS));
    await broker.send(page.map(({ publication }) => publication));
    await this.#waiting.remove({ id: { $in: page.map(({ id }) => id) } });
  }

  #retryLater(error: unknown): void {
    if (this.#closed) return;
    this.#failed(error);
    clearTimeout(this.#again);
    this.#again = globalThis.setTimeout(() => this.#drain(), RETRY_DELAY_MS);
  }

  /** Events that are not sent by now are sent after the next start. */
  async close(): Promise<void> {
    this.#closed = true;
    clearTimeout(this.#again);
    if (this.#draining) await withTimeout(this.#draining, CLOSE_MS, () => {});
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
