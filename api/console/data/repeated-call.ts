/** Repeats an asynchronous call: one at a time, soon after it was asked for, and now and then by itself. */

/** ms; further requests within it cause the same call. */
const GATHER_MS = 120;
const IDLE_INTERVAL_MS = 10_000;

export class RepeatedCall {
  readonly #call: () => Promise<void>;
  readonly #idleMs: number;
  #timer: ReturnType<typeof setTimeout> | undefined;
  #isCalling = false;
  /** Asked for while it was called. */
  #isWanted = false;
  /** A call is due within `GATHER_MS`. */
  #isNear = false;
  #isStopped = false;

  /** @param idleMs ms between two calls that nothing asked for */
  constructor(call: () => Promise<void>, idleMs = IDLE_INTERVAL_MS) {
    this.#call = call;
    this.#idleMs = idleMs;
  }

  /** Calls within `GATHER_MS`. */
  soon(): void {
    if (this.#isCalling) this.#isWanted = true;
    else if (!this.#isNear) this.#after(GATHER_MS);
  }

  now(): void {
    if (this.#isCalling) this.#isWanted = true;
    else void this.#run();
  }

  stop(): void {
    this.#isStopped = true;
    clearTimeout(this.#timer);
  }

  #after(ms: number): void {
    clearTimeout(this.#timer);
    this.#isNear = ms === GATHER_MS;
    this.#timer = setTimeout(() => void this.#run(), ms);
  }

  async #run(): Promise<void> {
    clearTimeout(this.#timer);
    [this.#isCalling, this.#isWanted, this.#isNear] = [true, false, false];
    try {
      await this.#call();
    } finally {
      this.#isCalling = false;
      if (!this.#isStopped) this.#after(this.#isWanted ? GATHER_MS : this.#idleMs);
    }
  }
}
