/**
 * Who is there. Each process counts in a document of its own and looks at the others' counts: one whose count stands
 * still is silent, and after a while gone.
 *
 * 1. No clocks are compared, so it does not matter how far they are apart.
 * 2. Only looks that succeed count, and only after a beat of one's own has got through: nobody falls silent because the
 *    store is away, or slow.
 * 3. From a silent one others take over what it had in hand; what it alone may do is given up when it is gone. Should
 *    it come back, what it says late is refused.
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
/** Looks in a row at the same count. 2.4 s and more: longer than a beat is late on a busy machine. */
const SILENT = 6;
/** 8 s, well over what one call to the store may take: what cannot be taken back is not decided on a hiccup. */
const GONE = 20;
/** Two minutes; a process that comes back after that makes its document again. */
const FORGOTTEN = 300;
const VERDICT_MS = 20_000;

interface Peer {
  count: number;
  /** Looks since it changed. */
  still: number;
}

export class Presence {
  readonly #beats: Collection<Beat>;
  readonly #id: string;
  readonly #peers = new Map<string, Peer>();
  /** Looks that succeeded. */
  #looks = 0;
  readonly #closing = new AbortController();
  readonly #beating = new Set<Promise<unknown>>();
  /** Whether the beat that was begun last got through. */
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
   * @param predecessor a process that is known to be dead
   * @param silent called once for each that falls silent
   */
  async start(predecessor: string | undefined, silent: (id: string) => void): Promise<void> {
    this.#silent = silent;
    if (predecessor !== undefined) await this.#beats.remove({ id: predecessor });
    await this.#beat();
    await this.#look(true);
    this.#timer = setInterval(() => this.#begin(), BEAT_MS);
    this.#looking = this.#goOnLooking();
  }

  /** A beat that hangs holds up no other; each ends within the store's time for an answer. */
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

  /** @param counts others had the same time to get a beat through */
  async #look(counts: boolean): Promise<void> {
    const beats = await this.#beats.find({});
    const there = new Set(beats.map(({ id }) => id));
    for (const id of this.#peers.keys()) if (!there.has(id)) this.#peers.delete(id);
    for (const beat of beats) if (beat.id !== this.#id) await this.#see(beat, counts);
    this.#looks += 1;
  }

  async #see({ id, count }: Beat, counts: boolean): Promise<void> {
    const seen = this.#peers.get(id);
    const still = seen?.count === count ? Math.max(1, seen.still + (counts ? 1 : 0)) : 0;
    this.#peers.set(id, { count, still });
    if (still === seen?.still) return;
    if (still === SILENT) this.#silent(id);
    if (still === FORGOTTEN) await this.#beats.remove({ id, count });
  }

  /** Whether it was heard of lately. */
  heard(id: string): boolean {
    const peer = this.#peers.get(id);
    return id === this.#id || (peer !== undefined && peer.still < SILENT);
  }

  /**
   * Takes up to seconds.
   * @returns false when it is gone. @throws UNAVAILABLE when the store is away for long, or what the signal fires with:
   * nothing is known then
   */
  async alive(id: string, signal: AbortSignal): Promise<boolean> {
    const until = performance.now() + VERDICT_MS;
    for (let looks = this.#looks; performance.now() < until; ) {
      // One that has just begun stands in no look yet.
      if (!this.#peers.has(id) && (await this.#beats.get(id)) === undefined) return false;
      await pause(LOOK_MS, undefined, { signal });
      if (looks === this.#looks) continue;
      looks = this.#looks;
      const still = this.#peers.get(id)?.still ?? 0;
      if (still >= GONE) return false;
      if (still === 0 && this.#peers.has(id)) return true;
    }
    throw new NodewrightError('UNAVAILABLE', `whether the process ${id} lives cannot be found out; try again`);
  }

  async close(): Promise<void> {
    clearInterval(this.#timer);
    this.#closing.abort();
    await this.#looking;
    await Promise.all(this.#beating);
    await this.#beats.remove({ id: this.#id }).catch(() => {});
  }
}
