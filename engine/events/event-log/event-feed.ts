/**
 * The feed: gives the newest events to all readers of this process that follow the log. It reads each event once, and
 * holds those that a reader still needs in a window; while there is no reader, it reads nothing.
 *
 * 1. A reader gets every event after its position, once and in order: older ones from the log, then those of the window.
 * 2. Nothing is queued for a reader: each asks for its next batch. One that had caught up and fell behind the window is
 *    cut; it may follow again from its last position.
 * 3. The next batch is read when half of the readers have the last one, or after a second: if all are slow, because the
 *    machine is busy, none is cut for it.
 * 4. Events of this process arrive immediately, those of others with the next look.
 */
import { setTimeout as after, setImmediate as eventLoopTurn } from 'node:timers/promises';
import type { EventReader, LoggedBatch } from '../../api-port/events.ts';
import { EventsGone, NodewrightError } from '../../vocabulary/errors.ts';
import { MIB } from '../../vocabulary/units.ts';
import type { EventLog, SizedBatch } from './event-log.ts';

export interface FeedLimits {
  /** Maximum number of readers. */
  readers: number;
  /** Maximum readers of one owner. */
  perOwner: number;
  /** Places for readers that only administrators get. */
  reserved: number;
  /** Characters of the events in the window. */
  window: number;
}

/** A user has a tab or two on each of a few screens, and some programs. */
export const feedLimits: FeedLimits = { readers: 500, perOwner: 50, reserved: 50, window: 16 * MIB };

/** ms between looks at the events of other processes. */
const READ_INTERVAL_MS = 100;
/**
 * Maximum ms from a short batch to the next: events that are written in this time go together. This pays off for many
 * readers; a few get each event as soon as it is there.
 */
const BATCH_MS = 20;
const READERS_PER_MS = 5;
/** Characters of a batch after which there probably are more events already. */
const LONG_BATCH = 128 * 1024;
/** ms that a batch waits until half of the readers have the one before. */
const PACE_MS = 1_000;
const PACE_STEP_MS = 2;
/** ms after which a reader without events gets an empty batch. */
const EMPTY_BATCH_MS = 1_000;
const RETRY_DELAY_MS = 1_000;

interface Follower {
  owner: string;
  position: number;
  /** Has caught up with the window. */
  isLive: boolean;
  cut(): void;
}

export class EventFeed {
  readonly #log: Pick<EventLog, 'read' | 'newestSeq' | 'check' | 'listen'>;
  readonly #failed: (error: unknown) => void;
  readonly #limits: FeedLimits;
  readonly #followers = new Set<Follower>();
  #window: SizedBatch[] = [];
  #size = 0;
  /** The window has all events after this position. */
  #from = Number.POSITIVE_INFINITY;
  #upTo = 0;
  #cuts = 0;
  #running: Promise<void> | undefined;
  /** Resolved when readers have something to do. */
  #nextTurn = turn();
  #notifyFeed = () => {};
  #closed = false;

  constructor(
    log: Pick<EventLog, 'read' | 'newestSeq' | 'check' | 'listen'>,
    failed: (error: unknown) => void,
    limits = feedLimits,
  ) {
    this.#log = log;
    this.#failed = failed;
    this.#limits = limits;
  }

  get readers(): number {
    return this.#followers.size;
  }

  /** How many readers were cut because they were too slow. */
  get cuts(): number {
    return this.#cuts;
  }

  /**
   * @param cut called when the reader is too slow; it gets no more events
   * @throws EventsGone, NodewrightError TOO_MANY_REQUESTS
   */
  async follow(
    position: number | undefined,
    signal: AbortSignal,
    cut: () => void,
    reader: EventReader,
  ): Promise<AsyncIterable<LoggedBatch>> {
    this.#needPlace(reader);
    const follower: Follower = { owner: reader.owner, position: position ?? 0, isLive: false, cut };
    this.#followers.add(follower);
    const leave = () => {
      this.#followers.delete(follower);
      this.#notifyFeed();
      this.#notify();
    };
    try {
      if (position === undefined) follower.position = await this.#log.newestSeq();
      else await this.#log.check(position);
    } catch (error) {
      leave();
      throw error;
    }
    if (signal.aborted || this.#closed) leave();
    signal.addEventListener('abort', leave, { once: true });
    this.#running ??= this.#run();
    return this.#batches(follower);
  }

  /** @throws NodewrightError TOO_MANY_REQUESTS */
  #needPlace({ owner, isAdministrator }: EventReader): void {
    const { readers, perOwner, reserved } = this.#limits;
    const own = [...this.#followers].filter((follower) => follower.owner === owner).length;
    if (own >= perOwner)
      throw tooMany(`${own} readers of ${owner} follow the events of this daemon; close one of them`);
    if (this.#followers.size < readers - (isAdministrator ? 0 : reserved)) return;
    throw tooMany(`${this.#followers.size} readers follow the events of this daemon; try again later`);
  }

  async *#batches(follower: Follower): AsyncGenerator<LoggedBatch> {
    while (this.#followers.has(follower)) {
      const batch = await this.#nextBatch(follower);
      follower.position = batch.upTo;
      yield batch;
    }
  }

  async #nextBatch(follower: Follower): Promise<LoggedBatch> {
    const { position } = follower;
    const from = this.#from;
    if (position < from) {
      const older = await this.#log.read(position);
      if (older.events.length > 0) return older;
      // Nothing was between its position and the window, or the window is not open yet.
      if (Number.isFinite(from)) return { events: [], upTo: from };
    } else follower.isLive = true;
    const found = this.#window.find(({ upTo }) => upTo > position);
    if (found === undefined) {
      await this.#nextTurn.promise;
      return { events: [], upTo: position };
    }
    const isWhole = (found.events[0]?.seq ?? 0) > position;
    return isWhole ? found : { events: found.events.filter(({ seq }) => seq > position), upTo: found.upTo };
  }

  async #run(): Promise<void> {
    const stop = this.#log.listen(() => this.#notifyFeed());
    let notifiedAt = performance.now();
    while (this.#followers.size > 0 && !this.#closed) {
      const isNew = await this.#look();
      if (isNew || performance.now() > notifiedAt + EMPTY_BATCH_MS) {
        notifiedAt = performance.now();
        this.#notify();
      }
      await (isNew ? this.#gather() : this.#sleep(READ_INTERVAL_MS));
    }
    stop();
    this.#closeFollowers();
    this.#running = undefined;
  }

  /** Closes the window; the next look opens it at the newest event. */
  #closeFollowers(): void {
    this.#window = [];
    this.#size = 0;
    this.#from = Number.POSITIVE_INFINITY;
    this.#upTo = 0;
  }

  async #gather(): Promise<void> {
    const until = performance.now() + PACE_MS;
    const liveFollowers = () => [...this.#followers].filter(({ isLive }) => isLive);
    const isHalfBehind = () =>
      2 * liveFollowers().filter(({ position }) => position < this.#upTo).length > liveFollowers().length;
    if ((this.#window.at(-1)?.size ?? 0) < LONG_BATCH) await this.#linger();
    while (isHalfBehind() && performance.now() < until && !this.#closed) await after(PACE_STEP_MS);
  }

  #linger(): Promise<void> {
    const ms = Math.min(BATCH_MS, Math.floor(this.#followers.size / READERS_PER_MS));
    return ms > 0 ? after(ms) : eventLoopTurn();
  }

  /** @returns whether there are new events */
  async #look(): Promise<boolean> {
    try {
      if (!Number.isFinite(this.#from)) {
        this.#upTo = await this.#log.newestSeq();
        this.#from = this.#upTo;
        return true;
      }
      const batch = await this.#log.read(this.#upTo);
      if (batch.events.length === 0) return false;
      this.#add(batch);
      return true;
    } catch (error) {
      // While the log could not be read, its next events were removed: readers learn it from the log.
      if (error instanceof EventsGone) this.#closeFollowers();
      this.#failed(error);
      await this.#sleep(RETRY_DELAY_MS);
      return false;
    }
  }

  #add(batch: SizedBatch): void {
    this.#window.push(batch);
    this.#size += batch.size;
    this.#upTo = batch.upTo;
    const had = this.#hadByAll();
    while (this.#window.length > 1) {
      const oldest = this.#window[0] as SizedBatch;
      if (this.#size <= this.#limits.window && oldest.upTo > had) break;
      this.#window.shift();
      this.#size -= oldest.size;
      this.#from = oldest.upTo;
    }
    for (const follower of this.#followers) {
      if (!follower.isLive || follower.position >= this.#from) continue;
      this.#cuts += 1;
      this.#followers.delete(follower);
      follower.cut();
    }
  }

  /** Returns the position up to which no reader needs the window: 0 while one reads older events from the log. */
  #hadByAll(): number {
    let had = Number.POSITIVE_INFINITY;
    for (const { isLive, position } of this.#followers) had = Math.min(had, isLive ? position : 0);
    return had;
  }

  #notify(): void {
    const { resolve } = this.#nextTurn;
    this.#nextTurn = turn();
    resolve();
  }

  #sleep(ms: number): Promise<void> {
    return new Promise((resolve) => {
      const timer = setTimeout(resolve, ms);
      this.#notifyFeed = () => {
        clearTimeout(timer);
        resolve();
      };
    });
  }

  /** Ends all readers. */
  async close(): Promise<void> {
    this.#closed = true;
    this.#followers.clear();
    this.#notifyFeed();
    this.#notify();
    await this.#running;
  }
}

const tooMany = (message: string) => new NodewrightError('TOO_MANY_REQUESTS', message);

function turn(): { promise: Promise<void>; resolve(): void } {
  let resolve = () => {};
  const promise = new Promise<void>((done) => {
    resolve = done;
  });
  return { promise, resolve };
}
