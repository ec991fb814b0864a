/**
 * The connection of one daemon to what all daemons share. Each call goes through it, may take time, and may fail.
 *
 * 1. When the daemon dies (`cut`), a call that is on its way is lost or arrives later, as the seed says; no answer arrives. Of
 *    several changes in one call a prefix may arrive.
 * 2. While it is away (`away`), calls fail with UNAVAILABLE; some of them arrived.
 * 3. The continuation of an answered call belongs to the daemon, so that its timers die with it.
 * 4. While the store is full, each change is rejected.
 */

import type { SeededRandom } from '../../platform/lib/seeded-random.ts';
import { NodewrightError } from '../../vocabulary/errors.ts';
import type { VirtualTime } from './virtual-time.ts';

export interface LinkFailures {
  /** Share of calls that take time. */
  slow: number;
  /** The longest time, in ms. */
  slowMs: number;
  /** Share of changes that the store rejects. */
  full: number;
}

export interface LinkScene {
  time: VirtualTime;
  random: SeededRandom;
  faults: LinkFailures;
  /** Called before each call: the place at which a daemon may die. */
  called(daemon: string, what: string): void;
}

const never = new Promise<never>(() => {});
const ARRIVES_WITHIN_MS = 1_000;

/** A call that does not tell its parts is whole or does not happen. */
type Torn = (share: number) => void;

export class Link {
  readonly daemon: string;
  isCut = false;
  isAway = false;
  readonly #scene: LinkScene;

  constructor(daemon: string, scene: LinkScene) {
    this.daemon = daemon;
    this.#scene = scene;
  }

  /**
   * @param apply changes or reads what is shared, without a wait
   * @param torn applies that share of it, from 0 to 1: what is left of the call of a daemon that dies
   */
  async call<T>(what: string, apply: () => T, torn?: Torn): Promise<T> {
    const { random, faults, called } = this.#scene;
    if (this.isCut) return never;
    called(this.daemon, what);
    // The daemon may have died just now.
    if (this.isCut) return this.#leave(apply, torn);
    if (this.isAway) return this.#lose(what, apply);
    if (!random.chance(faults.slow)) return apply();
    const [there, back] = [random.between(0, faults.slowMs), random.between(0, faults.slowMs)];
    return this.#travel(apply, there, back, torn);
  }

  /** A call that changes documents. */
  async change<T>(what: string, apply: () => T, torn?: Torn): Promise<T> {
    const { random, faults } = this.#scene;
    const isFull = faults.full > 0 && random.chance(faults.full);
    if (!isFull) return this.call(what, apply, torn);
    return this.call(what, () => {
      throw new NodewrightError('UNAVAILABLE', `${what}: the store has no room`);
    });
  }

  /** Changes, each of which the store takes or not. */
  changeEach<T, R>(what: string, changes: readonly T[], apply: (changes: readonly T[]) => R): Promise<R> {
    return this.change(
      what,
      () => apply(changes),
      (share) => apply(changes.slice(0, Math.round(share * changes.length))),
    );
  }

  /** The last call of a daemon: it was sent, or not. */
  #leave(apply: () => unknown, torn: Torn | undefined): Promise<never> {
    const { time, random } = this.#scene;
    if (random.chance(0.5)) time.add(random.between(0, ARRIVES_WITHIN_MS), () => this.#arriveTorn(apply, torn), '');
    return never;
  }

  #arriveTorn(apply: () => unknown, torn: Torn | undefined): void {
    const { random } = this.#scene;
    if (torn === undefined || random.chance(0.5)) quietly(apply);
    else quietly(() => torn(random.next()));
  }

  /** The call of a daemon that is away: it arrives or not, and its caller does not learn which. */
  async #lose<T>(what: string, apply: () => T): Promise<T> {
    const { time, random } = this.#scene;
    if (random.chance(0.5)) time.add(random.between(0, ARRIVES_WITHIN_MS), () => quietly(apply), '');
    await this.#answer(random.between(1, 2_000));
    throw new NodewrightError('UNAVAILABLE', `${what}: the store is away`);
  }

  #travel<T>(apply: () => T, there: number, back: number, torn: Torn | undefined): Promise<T> {
    const { time, random } = this.#scene;
    return new Promise((resolve, reject) => {
      const arrive = () => {
        if (this.isCut) {
          if (random.chance(0.5)) this.#arriveTorn(apply, torn);
          return;
        }
        let settle: () => void;
        try {
          const result = apply();
          settle = () => resolve(result);
        } catch (error) {
          settle = () => reject(error);
        }
        time.add(back, settle, this.daemon);
      };
      time.add(there, arrive, '');
    });
  }

  #answer(ms: number): Promise<void> {
    return new Promise((resolve) => {
      this.#scene.time.add(ms, resolve, this.daemon);
    });
  }

  /** Runs later, in the daemon, unless it has died by then. */
  deliver(ms: number, run: () => void): void {
    if (!this.isCut) this.#scene.time.add(ms, run, this.daemon);
  }

  /** The daemon has died. */
  cut(): void {
    this.isCut = true;
    this.#scene.time.drop(this.daemon);
  }
}

function quietly(apply: () => unknown): void {
  try {
    apply();
  } catch {}
}
