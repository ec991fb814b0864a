/**
 * Which faults a machine has now. A rate divides time into spans of its length and draws for each machine and span from the
 * seed: the same seed gives the same faults, and nothing has to be stored for it.
 */
import { createHash } from 'node:crypto';
import {
  type EventFault,
  eventFaults,
  type FaultPlan,
  type LastingFault,
  type NextFault,
  nextFaults,
  type RatedFault,
  type TimedFault,
} from './fault.ts';

export type EventOfFault = TimedFault & { kind: EventFault };

const isAmong = <T extends string>(names: readonly T[], name: string): name is T =>
  (names as readonly string[]).includes(name);

/** Another file may have another fault in the same line. */
const nameOfFault = ({ line, kind, target, at }: TimedFault): string => `${line} ${kind} ${target} ${at}`;

export class FaultsAtWork {
  readonly #seed: number;
  readonly #plan: FaultPlan;
  readonly #elapsed: () => number;
  /** Names of the faults of a next action that have happened. */
  readonly used: Set<string>;

  /** @param elapsed milliseconds of field time since the first start @param used from an earlier process */
  constructor(plan: FaultPlan, seed: number, elapsed: () => number, used: Iterable<string> = []) {
    this.#plan = plan;
    this.#seed = seed;
    this.#elapsed = elapsed;
    this.used = new Set(used);
  }

  /** Whether the BMC of the machine, or the PDU, has it now. */
  has(name: string, kind: LastingFault): boolean {
    return this.#lasts(name, kind);
  }

  /** Whether the next such action has it: asked once for each action. */
  takes(machine: string, kind: NextFault): boolean {
    if (this.#lasts(machine, kind)) return true;
    const next = this.#plan.timed.find(
      (fault) =>
        fault.kind === kind &&
        fault.target === machine &&
        fault.ms === undefined &&
        fault.at <= this.#elapsed() &&
        !this.used.has(nameOfFault(fault)),
    );
    if (next !== undefined) this.used.add(nameOfFault(next));
    return next !== undefined;
  }

  /** The events from then on, the earliest first. @param from milliseconds since the first start */
  events(from: number): EventOfFault[] {
    return this.#plan.timed
      .filter((fault): fault is EventOfFault => isAmong(eventFaults, fault.kind) && fault.at >= from)
      .sort((a, b) => a.at - b.at || a.line - b.line);
  }

  #lasts(machine: string, kind: LastingFault | NextFault): boolean {
    const elapsed = this.#elapsed();
    const endless = !isAmong(nextFaults, kind);
    return (
      this.#plan.timed.some(
        (fault) =>
          fault.kind === kind &&
          fault.target === machine &&
          elapsed >= fault.at &&
          (fault.ms === undefined ? endless : elapsed < fault.at + fault.ms),
      ) || this.#plan.rated.some((fault) => fault.kind === kind && this.#draws(machine, fault, elapsed))
    );
  }

  #draws(machine: string, { kind, share, ms, line }: RatedFault, elapsed: number): boolean {
    const span = Math.floor(elapsed / ms);
    const drawn = createHash('sha256')
      .update(`${this.#seed} ${line} ${kind} ${machine} ${span}`)
      .digest()
      .readUInt32BE(0);
    return drawn / 2 ** 32 < share;
  }
}
