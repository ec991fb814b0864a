/** The circuit breakers of this process, one for each address of a BMC. */
import { type BreakerLimits, type BreakerState, CircuitBreaker } from './circuit-breaker.ts';

/** BMCs whose failures or answers are remembered. */
const MAX_BMCS = 10_000;

export class CircuitBreakers {
  readonly #limits: BreakerLimits;
  readonly #now: () => number;
  readonly #breakers = new Map<string, CircuitBreaker>();
  #used = () => {};
  /** When BMCs without a failure last answered, in ms since the epoch. */
  readonly #answered = new Map<string, number>();

  constructor(limits: BreakerLimits, now: () => number) {
    this.#limits = limits;
    this.#now = now;
  }

  /** @param used called when a command comes in and when it ends */
  onUse(used: () => void): void {
    this.#used = used;
  }

  /** Whether no command runs or waits, and no failure is remembered: no state changes until a command comes in. */
  get isIdle(): boolean {
    return this.#breakers.size === 0;
  }

  /** @param address of the BMC, as `host:port` or an origin: commands of one address share a breaker */
  async run<T>(address: string, signal: AbortSignal, command: () => Promise<T>): Promise<T> {
    const breaker = this.#breakers.get(address) ?? new CircuitBreaker(`the BMC at ${address}`, this.#limits, this.#now);
    this.#breakers.set(address, breaker);
    this.#used();
    try {
      return await breaker.run(signal, command);
    } finally {
      this.#note(address, breaker);
      this.#used();
    }
  }

  #note(address: string, breaker: CircuitBreaker): void {
    const { lastAnswerAt } = breaker.state;
    if (lastAnswerAt !== null) {
      // Deleted first, so that the order of the map is that of the answers.
      this.#answered.delete(address);
      this.#answered.set(address, lastAnswerAt);
    }
    if (breaker.isIdle && this.#breakers.get(address) === breaker) this.#breakers.delete(address);
    for (const map of [this.#breakers, this.#answered]) {
      const [oldest] = map.keys();
      if (map.size > MAX_BMCS && oldest !== undefined) map.delete(oldest);
    }
  }

  /** Returns the states of the BMCs that have commands, failures, or answered, by address. */
  states(): Map<string, BreakerState> {
    const addresses = new Set([...this.#breakers.keys(), ...this.#answered.keys()]);
    return new Map([...addresses].map((address) => [address, this.stateOf(address)]));
  }

  /** Returns the state of any BMC. */
  stateOf(address: string): BreakerState {
    const none = { running: 0, waiting: 0, failures: 0, retryAt: null, lastAnswerAt: null };
    const state = this.#breakers.get(address)?.state ?? none;
    return { ...state, lastAnswerAt: state.lastAnswerAt ?? this.#answered.get(address) ?? null };
  }

  /** Closes the circuits of the addresses that meet the condition. */
  reset(meets: (address: string) => boolean): void {
    for (const [address, breaker] of this.#breakers) if (meets(address)) breaker.reset();
  }
}
