/**
 * The gate before one BMC: how many may speak to it at once, and when nobody does.
 *
 * 1. No more than `concurrency` speak to it; the others wait their turn. More than `WAITING` do not wait.
 * 2. After `failures` in a row of those that got no answer, it rests: who comes is refused at once, and told until when.
 * 3. When the rest is over, one tries. Its answer opens the gate; without one it rests for twice as long, up to `LONGEST`.
 */
import { ObmError } from '../define/obm.ts';

export interface GateLimits {
  /** Commands at once. */
  concurrency: number;
  /** Without an answer in a row. */
  failures: number;
  restMs: number;
}

const WAITING = 100;
const LONGEST_MS = 300_000;

export class Gate {
  readonly #name: string;
  readonly #limits: GateLimits;
  readonly #waiting: (() => void)[] = [];
  #inside = 0;
  #failed = 0;
  /** ms, as Date.now. */
  #restsUntil = 0;
  #trying = false;

  /** @param name how it is called in messages */
  constructor(name: string, limits: GateLimits) {
    this.#name = name;
    this.#limits = limits;
  }

  /** Nobody is inside, and there is nothing to remember. */
  get idle(): boolean {
    return this.#inside === 0 && this.#waiting.length === 0 && this.#failed === 0;
  }

  /** @throws ObmError OBM_RESTING, OBM_BUSY; whatever `work` throws */
  async run<T>(signal: AbortSignal, work: () => Promise<T>): Promise<T> {
    await this.#enter(signal);
    try {
      signal.throwIfAborted();
      return await this.#tried(signal, work);
    } finally {
      this.#leave();
    }
  }

  async #enter(signal: AbortSignal): Promise<void> {
    signal.throwIfAborted();
    this.#refuseWhileResting();
    if (this.#inside >= this.#limits.concurrency) return this.#turn(signal);
    this.#inside += 1;
  }

  /** Whoever leaves hands its place on, so that nobody slips in between. */
  #leave(): void {
    const next = this.#waiting.shift();
    if (next === undefined) this.#inside -= 1;
    else next();
  }

  #turn(signal: AbortSignal): Promise<void> {
    if (this.#waiting.length >= WAITING) {
      throw new ObmError('OBM_BUSY', `${WAITING} commands wait for ${this.#name}; try again later`);
    }
    return new Promise((resolve, reject) => {
      const go = () => {
        signal.removeEventListener('abort', leave);
        resolve();
      };
      const leave = () => {
        this.#waiting.splice(this.#waiting.indexOf(go), 1);
        reject(signal.reason);
      };
      this.#waiting.push(go);
      signal.addEventListener('abort', leave, { once: true });
    });
  }

  async #tried<T>(signal: AbortSignal, work: () => Promise<T>): Promise<T> {
    this.#refuseWhileResting();
    const tries = this.#failed >= this.#limits.failures;
    if (tries) this.#trying = true;
    try {
      const answer = await work();
      this.#failed = 0;
      return answer;
    } catch (error) {
      // Who was called off says nothing of the BMC.
      if (!signal.aborted) this.#judge(error);
      throw error;
    } finally {
      if (tries) this.#trying = false;
    }
  }

  #judge(error: unknown): void {
    const { code } = error as { code?: unknown };
    if (code !== 'OBM_UNREACHABLE' && code !== 'OBM_UNANSWERED') {
      this.#failed = 0;
      return;
    }
    this.#failed += 1;
    const times = this.#failed - this.#limits.failures;
    if (times >= 0) this.#restsUntil = Date.now() + Math.min(this.#limits.restMs * 2 ** times, LONGEST_MS);
  }

  #refuseWhileResting(): void {
    if (this.#failed < this.#limits.failures) return;
    if (this.#trying) throw this.#resting('it is being tried just now');
    if (Date.now() < this.#restsUntil)
      throw this.#resting(`it is tried again at ${new Date(this.#restsUntil).toISOString()}`);
  }

  #resting(when: string): ObmError {
    return new ObmError('OBM_RESTING', `${this.#name} gave no answer ${this.#failed} times in a row; ${when}`);
  }
}

/** BMCs that are remembered for having failed. */
const KEPT = 10_000;

export class Gates {
  readonly #limits: GateLimits;
  readonly #gates = new Map<string, Gate>();

  constructor(limits: GateLimits) {
    this.#limits = limits;
  }

  /** @param name the BMC: those of one name share a gate */
  async run<T>(name: string, signal: AbortSignal, work: () => Promise<T>): Promise<T> {
    const gate = this.#gates.get(name) ?? new Gate(name, this.#limits);
    this.#gates.set(name, gate);
    try {
      return await gate.run(signal, work);
    } finally {
      if (gate.idle && this.#gates.get(name) === gate) this.#gates.delete(name);
      this.#forget();
    }
  }

  #forget(): void {
    const [oldest] = this.#gates.keys();
    if (this.#gates.size > KEPT && oldest !== undefined) this.#gates.delete(oldest);
  }
}
