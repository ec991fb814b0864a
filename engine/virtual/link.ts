/**
 * The connection of one daemon to what all daemons share. Each call goes through it, may take time, and may fail.
 *
 * 1. When the daemon dies (`cut`), a call that is on its way is lost or arrives later, as the seed says; no answer arrives.
 * 2. While it is away (`away`), calls fail with UNAVAILABLE; some of them arrived.
 * 3. The continuation of an answered call belongs to the daemon, so that its timers die with it.
 */
import { NodewrightError } from '../vocabulary/errors.ts';
import type { SeededRandom } from './random.ts';
import type { VirtualTime } from './virtual-time.ts';

export interface LinkFaults {
  /** Share of calls that take time. */
  slow: number;
  /** The longest time, in ms. */
  slowMs: number;
}

export interface LinkScene {
  time: VirtualTime;
  random: SeededRandom;
  faults: LinkFaults;
  /** Called before each call: the place at which a daemon may die. */
  called(daemon: string, what: string): void;
}

const never = new Promise<never>(() => {});

export class Link {
  readonly daemon: string;
  isCut = false;
  isAway = false;
  readonly #scene: LinkScene;

  constructor(daemon: string, scene: LinkScene) {
    this.daemon = daemon;
    this.#scene = scene;
  }

  /** @param apply changes or reads what is shared, without a wait */
  async call<T>(what: string, apply: () => T): Promise<T> {
    const { random, faults, called } = this.#scene;
    if (this.isCut) return never;
    called(this.daemon, what);
    // The daemon may have died just now.
    if (this.isCut) return never;
    if (this.isAway) return this.#lose(what, apply);
    if (!random.chance(faults.slow)) return apply();
    const [there, back] = [random.between(0, faults.slowMs), random.between(0, faults.slowMs)];
    return this.#travel(apply, there, back);
  }

  /** The call of a daemon that is away: it arrives or not, and its caller does not learn which. */
  async #lose<T>(what: string, apply: () => T): Promise<T> {
    const { time, random } = this.#scene;
    if (random.chance(0.5)) time.add(random.between(0, 1_000), () => quietly(apply), '');
    await this.#answer(random.between(1, 2_000));
    throw new NodewrightError('UNAVAILABLE', `${what}: the store is away`);
  }

  #travel<T>(apply: () => T, there: number, back: number): Promise<T> {
    const { time, random } = this.#scene;
    return new Promise((resolve, reject) => {
      time.add(
        there,
        () => {
          if (this.isCut && random.chance(0.5)) return;
          let settle: () => void;
          try {
            const result = apply();
            settle = () => resolve(result);
          } catch (error) {
            settle = () => reject(error);
          }
          if (!this.isCut) time.add(back, settle, this.daemon);
        },
        '',
      );
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
