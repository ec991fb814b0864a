/**
 * The circuit breaker of one BMC, with its bulkhead: limits how many commands reach the BMC concurrently, and keeps
 * commands away from a BMC that does not answer.
 *
 * 1. At most `concurrency` commands run concurrently; others queue. The queue holds `QUEUE_LIMIT`; more fail as
 *    `OBM_BUSY`.
 * 2. `failures` commands in a row without an answer, or with the answer that it serves none yet, open the circuit: until `backoffUntil` every command fails
 *    immediately as `OBM_CIRCUIT_OPEN`, which carries that time. The breaker keeps no timer; the caller waits.
 * 3. After `backoffUntil` one command is the trial. An answer closes the circuit; without one the next back-off is twice as
 *    long, up to `LONGEST_BACKOFF_MS`. Other commands fail as `OBM_CIRCUIT_OPEN` until the trial has to be over.
 *
 * Each process has breakers of its own: a BMC that one daemon leaves alone may still be tried by another.
 */
import { ObmError } from '../../define/obm.ts';
import { isOneOf } from '../../vocabulary/one-of.ts';
import { codeOf } from '../../vocabulary/thrown-values.ts';

export interface BreakerLimits {
  /** Maximum of concurrent commands. */
  concurrency: number;
  /** Commands in a row without an answer that open the circuit. */
  failures: number;
  /** The first back-off in ms. */
  backoffMs: number;
  /** Maximum ms of one command. */
  timeoutMs: number;
}

/** Times in ms since the epoch. */
export interface BreakerState {
  running: number;
  waiting: number;
  /** In a row. */
  failures: number;
  /** null: commands are sent. */
  retryAt: number | null;
  /** null: none since this process started, or too long ago. */
  lastAnswerAt: number | null;
}

/** ms since the epoch. */
type Clock = () => number;

/** Failures of a BMC that is silent, or starts. */
const unserved = ['OBM_UNREACHABLE', 'OBM_UNANSWERED', 'OBM_BUSY'];
const QUEUE_LIMIT = 100;
const LONGEST_BACKOFF_MS = 300_000;
const SHORTEST_BACKOFF_MS = 100;

export class CircuitBreaker {
  readonly #name: string;
  readonly #limits: BreakerLimits;
  readonly #now: Clock;
  readonly #queue: (() => void)[] = [];
  #running = 0;
  #failures = 0;
  #backoffUntil = 0;
  /** Start of the trial; undefined: none is running. */
  #trialSince: number | undefined;

  #answeredAt: number | undefined;

  /** @param name of the BMC, in messages */
  constructor(name: string, limits: BreakerLimits, now: Clock) {
    this.#name = name;
    this.#limits = limits;
    this.#now = now;
  }

  get state(): BreakerState {
    const isOpen = this.#failures >= this.#limits.failures && this.#backoffUntil > this.#now();
    return {
      running: this.#running,
      waiting: this.#queue.length,
      failures: this.#failures,
      retryAt: isOpen ? this.#backoffUntil : null,
      lastAnswerAt: this.#answeredAt ?? null,
    };
  }

  /** Closes the circuit: the next command is sent immediately. */
  reset(): void {
    this.#failures = 0;
    this.#backoffUntil = 0;
    this.#trialSince = undefined;
  }

  /** Whether no command runs or waits, and no failure is remembered. */
  get isIdle(): boolean {
    return this.#running === 0 && this.#queue.length === 0 && this.#failures === 0;
  }

  /** @throws ObmError OBM_CIRCUIT_OPEN, OBM_BUSY; any error of `command` */
  async run<T>(signal: AbortSignal, command: () => Promise<T>): Promise<T> {
    await this.#enter(signal);
    try {
      signal.throwIfAborted();
      return await this.#attempt(signal, command);
    } finally {
      this.#leave();
    }
  }

  async #enter(signal: AbortSignal): Promise<void> {
    signal.throwIfAborted();
    this.#failWhileOpen();
    if (this.#running >= this.#limits.concurrency) return this.#turn(signal);
    this.#running += 1;
  }

  /** A command that ends passes its place to the next in the queue, so that no newcomer takes it first. */
  #leave(): void {
    const next = this.#queue.shift();
    if (next === undefined) this.#running -= 1;
    else next();
  }

  #turn(signal: AbortSignal): Promise<void> {
    if (this.#queue.length >= QUEUE_LIMIT) {
      throw new ObmError('OBM_BUSY', `${QUEUE_LIMIT} commands wait for ${this.#name}; try again later`);
    }
    return new Promise((resolve, reject) => {
      const go = () => {
        signal.removeEventListener('abort', leave);
        resolve();
      };
      const leave = () => {
        this.#queue.splice(this.#queue.indexOf(go), 1);
        reject(signal.reason);
      };
      this.#queue.push(go);
      signal.addEventListener('abort', leave, { once: true });
    });
  }

  async #attempt<T>(signal: AbortSignal, command: () => Promise<T>): Promise<T> {
    this.#failWhileOpen();
    const isTrial = this.#failures >= this.#limits.failures;
    if (isTrial) this.#trialSince = this.#now();
    try {
      const answer = await command();
      this.#countAnswer();
      return answer;
    } catch (error) {
      // A cancelled command says nothing about the BMC.
      if (!signal.aborted) this.#count(error);
      throw error;
    } finally {
      if (isTrial) this.#trialSince = undefined;
    }
  }

  #count(error: unknown): void {
    const code = codeOf(error);
    if (!isOneOf(unserved, code)) {
      this.#countAnswer();
      return;
    }
    this.#failures += 1;
    const times = this.#failures - this.#limits.failures;
    const backoffMs = Math.min(this.#limits.backoffMs * 2 ** times, LONGEST_BACKOFF_MS);
    if (times >= 0) this.#backoffUntil = this.#now() + backoffMs;
  }

  #countAnswer(): void {
    this.#failures = 0;
    this.#answeredAt = this.#now();
  }

  #failWhileOpen(): void {
    if (this.#failures < this.#limits.failures) return;
    const until = this.#trialSince === undefined ? this.#backoffUntil : this.#trialSince + this.#limits.timeoutMs;
    if (this.#trialSince === undefined && this.#now() >= until) return;
    // A trial may exceed its time.
    const backoffUntil = new Date(Math.max(until, this.#now() + SHORTEST_BACKOFF_MS)).toISOString();
    const why = `${this.#name} gave no answer ${this.#failures} times in a row`;
    const next = this.#trialSince === undefined ? 'no commands' : 'another command is testing it';
    throw new ObmError('OBM_CIRCUIT_OPEN', `${why}; ${next} until ${backoffUntil}`, { backoffUntil });
  }
}
