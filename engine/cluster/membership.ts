/**
 * Heartbeats: each process increments a counter in its own document and reads the counters of the others. A process
 * whose counter stops changing is silent, and after a while gone.
 *
 * 1. No clocks are compared, so clock differences do not matter.
 * 2. Only successful reads count, and only after a successful heartbeat of this process: an unavailable or slow store
 *    makes no process silent.
 * 3. Other processes take over the jobs of a silent process; its exclusive work is abandoned once it is gone. If it
 *    comes back, its late messages are rejected.
 */
import { setTimeout as pause } from 'node:timers/promises';
import { NodewrightError } from '../define/errors.ts';
import type { Collection, CollectionSpec } from '../store/port.ts';

export interface Beat {
  id: string;
  count: number;
}

export const presenceSpec: CollectionSpec = { name: 'processes', indexes: {}, lazy: true };

const BEAT_MS = 400;
const LOOK_MS = 400;
/** Reads in a row with an unchanged counter: at least 2.4 s, longer than a heartbeat is delayed on a busy machine. */
const SILENT = 6;
/** At least 8 s, well over the maximum of one store operation: an irreversible decision needs more than a hiccup. */
const GONE = 20;
/** Two minutes; a process that comes back later creates its document again. */
const FORGOTTEN = 300;
const VERDICT_MS = 20_000;

interface Peer {
  count: number;
  /** Reads since the counter changed. */
  still: number;
}

export class Presence {
  readonly #beats: Collection<Beat>;
  readonly #id: string;
  readonly #cluster = new Map<string, Peer>();
  /** Number of successful reads. */
  #looks = 0;
  readonly #closing = new AbortController();
  readonly #beating = new Set<Promise<unknown>>();
  /** Whether the heartbeat that was started last succeeded. */
  #beaten: Promise<boolean> = Promise.resolve(true);
  #silent: (id: string) => void = () => {};
  #count = 0;
  #timer: NodeJS.Timeout | undefined;
  #looking: Promise<void> = Promise.resolve();

  constructor(beats: Collection<Beat>, id: string) {
    this.#beats = beats;
    this.#id = id;
  }

  /**
   * @param previousInstance a process that is known to be dead
   * @param silent called once for each process that becomes silent
   */
  async start(previousInstance: string | undefined, silent: (id: string) => void): Promise<void> {
    this.#silent = silent;
    if (previousInstance !== undefined) await this.#beats.remove({ id: previousInstance });
    await this.#beat();
    await this.#look(true);
    this.#timer = setInterval(() => this.#begin(), BEAT_MS);
    this.#looking = this.#goOnLooking();
  }

  /** Starts a heartbeat. A hanging one blocks no other; each ends within the store's timeout. */
  #begin(): void {
    const beat = this.#beat().then(
      () => true,
      () => false,
    );
    this.#beaten = beat;
    this.#beating.add(beat);
    void beat.then(() => this.#beating.delete(beat));
  }

  async #beat(): Promise<void> {
    this.#count += 1;
    const count = this.#count;
    const beaten = await this.#beats.update({ id: this.#id }, { $set: { count } });
    if (beaten === undefined) await this.#beats.insertMissing([{ id: this.#id, count }]);
  }

  async #goOnLooking(): Promise<void> {
    const { signal } = this.#closing;
    while (!signal.aborted) {
      await pause(LOOK_MS, undefined, { signal }).catch(() => {});
      const counts = await this.#beaten;
      await this.#look(counts).catch(() => {});
    }
  }

  /** @param counts whether the others had the same chance to write a heartbeat */
  async #look(counts: boolean): Promise<void> {
    const beats = await this.#beats.find({});
    const there = new Set(beats.map(({ id }) => id));
    for (const id of this.#cluster.keys()) if (!there.has(id)) this.#cluster.delete(id);
    for (const beat of beats) if (beat.id !== this.#id) await this.#see(beat, counts);
    this.#looks += 1;
  }

  async #see({ id, count }: Beat, counts: boolean): Promise<void> {
    const seen = this.#cluster.get(id);
    const still = seen?.count === count ? Math.max(1, seen.still + (counts ? 1 : 0)) : 0;
    this.#cluster.set(id, { count, still });
    if (still === seen?.still) return;
    if (still === SILENT) this.#silent(id);
    if (still === FORGOTTEN) await this.#beats.remove({ id, count });
  }

  /** Whether it has sent heartbeats lately. */
  heard(id: string): boolean {
    const peer = this.#cluster.get(id);
    return id === this.#id || (peer !== undefined && peer.still < SILENT);
  }

  /**
   * Takes up to seconds.
   * @returns false when it is gone. @throws UNAVAILABLE when the store is down for long, or the reason of the signal:
   * the result is then unknown
   */
  async alive(id: string, signal: AbortSignal): Promise<boolean> {
    const until = performance.now() + VERDICT_MS;
    for (let looks = this.#looks; performance.now() < until; ) {
      // A process that has just started appears in no read yet.
      if (!this.#cluster.has(id) && (await this.#beats.get(id)) === undefined) return false;
      await pause(LOOK_MS, undefined, { signal });
      if (looks === this.#looks) continue;
      looks = this.#looks;
      const still = this.#cluster.get(id)?.still ?? 0;
      if (still >= GONE) return false;
      if (still === 0 && this.#cluster.has(id)) return true;
    }
    throw new NodewrightError('UNAVAILABLE', `cannot determine whether the process ${id} is alive; try again`);
  }

  async close(): Promise<void> {
    clearInterval(this.#timer);
    this.#closing.abort();
    await this.#looking;
    await Promise.all(this.#beating);
    await this.#beats.remove({ id: this.#id }).catch(() => {});
  }
}
