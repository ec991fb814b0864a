/**
 * The time of the machines: milliseconds since the epoch that pass `speed` times as quickly as those of the host, also while
 * no twin runs. A machine's delays are those of the field, whatever the speed; the times in reports of its jobs are those of the host,
 * since no job ends in the future.
 */
import { setTimeout as sleep } from 'node:timers/promises';

/** The longest delay of a timer of Node. */
const TIMER_MAX_MS = 2 ** 31 - 1;

/** A moment that both clocks know, from which field time is computed. */
export interface TimeBasis {
  /** When the first machine was started, in field time: faults count from there. */
  first: number;
  field: number;
  /** `Date.now()`. */
  real: number;
  speed: number;
}

export class FieldTime {
  readonly basis: TimeBasis;

  constructor(basis: TimeBasis) {
    this.basis = basis;
  }

  /** @param speed at least 0.01 */
  static from(speed: number, basis?: TimeBasis): FieldTime {
    const real = Date.now();
    const field = basis === undefined ? real : new FieldTime(basis).now();
    return new FieldTime({ first: basis?.first ?? field, field, real, speed });
  }

  now(): number {
    const { field, real, speed } = this.basis;
    return Math.floor(field + (Date.now() - real) * speed);
  }

  /** As a script prints it, such as `2026-05-03T10:00:00Z`: by the clock of the host, beside whose own times it is read. */
  timestampOf(at: number): string {
    const { field, real, speed } = this.basis;
    return `${new Date(real + (at - field) / speed).toISOString().slice(0, 19)}Z`;
  }

  /** @returns milliseconds since the first start */
  sinceFirst(): number {
    return this.now() - this.basis.first;
  }

  /** Resolves at this field time. @throws the reason of the signal */
  async until(at: number, signal: AbortSignal): Promise<void> {
    for (;;) {
      signal.throwIfAborted();
      const remainingMs = (at - this.now()) / this.basis.speed;
      if (remainingMs <= 0) return;
      await sleep(Math.min(Math.ceil(remainingMs), TIMER_MAX_MS), undefined, { signal, ref: false });
    }
  }

  /** Resolves after this field time. @throws the reason of the signal */
  after(ms: number, signal: AbortSignal): Promise<void> {
    return this.until(this.now() + ms, signal);
  }
}
