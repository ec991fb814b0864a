/**
 * Heartbeats: each process increments a counter and reads the counters of the others. A process whose counter stops
 * changing is silent, and after a while gone.
 *
 * 1. No clocks are compared, so clock differences do not matter.
 * 2. Only successful reads count, and only after a successful heartbeat of this process. A failure of either starts the
 *    counting again: no process becomes silent, or gone, because Redis was away, or before it had the time for this once
 *    Redis was back.
 * 3. Other processes take over the jobs of a silent process; its exclusive work is abandoned once it is gone. If it
 *    comes back, its late messages are rejected.
 * 4. A process that is no member is gone, except while Redis may not know all members: it may have been emptied.
 */
import { setTimeout as pause } from 'node:timers/promises';
import { NodewrightError } from '../../vocabulary/errors.ts';
import { withTimeout } from '../../vocabulary/with-timeout.ts';

/** Where the processes count their heartbeats. Each call is @throws UNAVAILABLE */
export interface Heartbeats {
  /** @returns the leases whose holder is the process: names and holders */
  beat(id: string, count: number): Promise<ReadonlyMap<string, string>>;
  counts(): Promise<ReadonlyMap<string, number>>;
  /** Whether the process is no member, although every member had that many ms for a heartbeat. */
  isAbsent(id: string, heardMs: number): Promise<boolean>;
  /** @param count it leaves only if this is still its count */
  leave(id: string, count?: number): Promise<void>;
}

const BEAT_MS = 400;
const READ_INTERVAL_MS = 400;
/** Reads in a row with an unchanged counter: at least 2.4 s, longer than a heartbeat is delayed on a busy machine. */
const SILENT = 6;
/** Reads that do not count after a failure, so that as much time passes until a process is silent. */
const UNCOUNTED = 2;
/** At least 8 s, well over the maximum of one command: an irreversible decision needs more than a hiccup. */
const GONE = 20;
/** Two minutes; a process that comes back later is a member again. */
const FORGOTTEN = 300;
const VERDICT_MS = 20_000;
/** Without a heartbeat for this long, half of the time until it is gone, a process no longer relies on what it holds. */
const DOUBTFUL_MS = 4_000;
/** Others find a process silent later than this after a heartbeat. */
const HELD_MS = 1_000;
/** The daemon has to stop in time, also while Redis hangs. Otherwise the others find this process silent. */
const LEAVE_MS = 500;

/** Whether a process sends heartbeats; this one does not yet. Takes as long as it takes until a process is silent. */
export async function othersBeat(heartbeats: Pick<Heartbeats, 'counts'>): Promise<boolean> {
  const before = await heartbeats.counts();
  await pause(SILENT * READ_INTERVAL_MS);
  return [...(await heartbeats.counts())].some(([id, count]) => before.get(id) !== count);
}

interface Peer {
  count: number;
  /** Reads since the counter changed. */
  still: number;
}

export class Presence {
  readonly #beats: Heartbeats;
  readonly #held: (leases: ReadonlyMap<string, string>) => Promise<void>;
  readonly #id: string;
  readonly #cluster = new Map<string, Peer>();
  /** Number of successful reads. */
  #looks = 0;
  #uncounted = 0;
  readonly #closing = new AbortController();
  readonly #beating = new Set<Promise<unknown>>();
  /** Whether the heartbeat that was started last succeeded. */
  #beaten: Promise<boolean> = Promise.resolve(true);
  #silent: (id: string) => void = () => {};
  /** A process that is known to be dead. */
  #previousInstance: string | undefined;
  #count = 0;
  /** When the last heartbeat that succeeded was sent, and the last one that came late, by `performance.now`. */
  #heardAt = Number.NEGATIVE_INFINITY;
  #lateAt = Number.NEGATIVE_INFINITY;
  /** The leases that it held as of the last heartbeat: names and holders. */
  #heldLeases: ReadonlyMap<string, string> = new Map();
  #timer: NodeJS.Timeout | undefined;
  #looking: Promise<void> = Promise.resolve();

  /** @param held receives, with each heartbeat, the leases whose holder is this process */
  constructor(beats: Heartbeats, id: string, held: (leases: ReadonlyMap<string, string>) => Promise<void>) {
    this.#beats = beats;
    this.#id = id;
    this.#held = held;
  }

  /**
   * @param previousInstance a process that is known to be dead
   * @param silent called once for each process that becomes silent
   */
  async start(previousInstance: string | undefined, silent: (id: string) => void): Promise<void> {
    this.#silent = silent;
    this.#previousInstance = previousInstance;
    if (previousInstance !== undefined) await this.#beats.leave(previousInstance);
    await this.#beat();
    await this.#look(true);
    this.#timer = setInterval(() => this.#begin(), BEAT_MS);
    this.#looking = this.#goOnLooking();
  }

  /** Starts a heartbeat. A hanging one blocks no other; each ends within the timeout of a command. */
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
    const sentAt = performance.now();
    const leases = await this.#beats.beat(this.#id, this.#count);
    // It may have arrived only now.
    const arrivedAt = performance.now();
    if (arrivedAt - this.#heardAt > DOUBTFUL_MS) this.#lateAt = arrivedAt;
    if (sentAt > this.#heardAt) this.#heldLeases = leases;
    this.#heardAt = Math.max(this.#heardAt, sentAt);
    // If this fails, the next heartbeat repeats it.
    await this.#held(leases).catch(() => {});
  }

  async #goOnLooking(): Promise<void> {
    const { signal } = this.#closing;
    while (!signal.aborted) {
      await pause(READ_INTERVAL_MS, undefined, { signal }).catch(() => {});
      if (!signal.aborted) await this.#look(await this.#beaten).catch(() => this.#startAgain());
    }
  }

  /** @param counts whether the others had the same chance to send a heartbeat */
  async #look(counts: boolean): Promise<void> {
    const beats = await this.#beats.counts();
    for (const id of this.#cluster.keys()) if (!beats.has(id)) this.#cluster.delete(id);
    if (!counts) this.#startAgain();
    const isCounted = this.#uncounted === 0;
    this.#uncounted = Math.max(0, this.#uncounted - 1);
    for (const [id, count] of beats) if (id !== this.#id) await this.#see(id, count, isCounted);
    this.#looks += 1;
  }

  /** Starts the counting of reads again. A process that is silent or gone stays so, without proof of the opposite. */
  #startAgain(): void {
    this.#uncounted = UNCOUNTED;
    for (const peer of this.#cluster.values()) {
      if (peer.still < FORGOTTEN) peer.still = [GONE, SILENT, 1].find((reads) => peer.still >= reads) ?? 0;
    }
  }

  async #see(id: string, count: number, isCounted: boolean): Promise<void> {
    const member = this.#cluster.get(id);
    const still = member?.count === count ? Math.max(1, member.still + (isCounted ? 1 : 0)) : 0;
    this.#cluster.set(id, { count, still });
    if (still === member?.still) return;
    if (still === SILENT) this.#silent(id);
    if (still === FORGOTTEN) await this.#beats.leave(id, count);
  }

  /** Whether it has sent heartbeats lately. @throws UNAVAILABLE when it cannot be determined */
  async isHeard(id: string): Promise<boolean> {
    if (id === this.#id) return true;
    if (id === this.#previousInstance) return false;
    const peer = this.#cluster.get(id);
    // A process that has just started appears in no read yet.
    return peer === undefined ? !(await this.#isAbsent(id)) : peer.still < SILENT;
  }

  /** Whether it is no member and no process that Redis has lost. */
  #isAbsent(id: string): Promise<boolean> {
    return this.#beats.isAbsent(id, GONE * READ_INTERVAL_MS);
  }

  /**
   * Takes up to seconds.
   * @returns false when it is gone. @throws UNAVAILABLE when Redis is away for long, or the reason of the signal:
   * the result is then unknown
   */
  async isAlive(id: string, signal: AbortSignal): Promise<boolean> {
    if (id === this.#previousInstance) return false;
    const until = performance.now() + VERDICT_MS;
    for (let looks = this.#looks; performance.now() < until; ) {
      if (!this.#cluster.has(id) && (await this.#isAbsent(id))) return false;
      await pause(READ_INTERVAL_MS, undefined, { signal });
      if (looks === this.#looks) continue;
      looks = this.#looks;
      const still = this.#cluster.get(id)?.still ?? 0;
      if (still >= GONE) return false;
      if (still === 0 && this.#cluster.has(id)) return true;
    }
    throw new NodewrightError('UNAVAILABLE', `cannot determine whether the process ${id} is alive; try again`);
  }

  /** Returns the holder of a lease if a heartbeat of the last second has found that it is this process. */
  heldHere(name: string): string | undefined {
    return performance.now() - this.#heardAt <= HELD_MS ? this.#heldLeases.get(name) : undefined;
  }

  wasHeardSince(since: number): boolean {
    return this.#lateAt < since && performance.now() - this.#heardAt <= DOUBTFUL_MS;
  }

  /** @param disconnect ends the commands that are still pending */
  async close(disconnect: () => void): Promise<void> {
    clearInterval(this.#timer);
    this.#closing.abort();
    await withTimeout(this.#leave(), LEAVE_MS, () => {});
    disconnect();
    await this.#looking;
    await Promise.all(this.#beating);
  }

  /** A heartbeat that is still on its way would make it a member again. */
  async #leave(): Promise<void> {
    await Promise.all(this.#beating);
    await this.#beats.leave(this.#id).catch(() => {});
  }
}
