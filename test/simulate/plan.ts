/** The plan of a simulation, and its outcome. Both travel between processes as JSON. */

export interface SimulationPlan {
  seed: number;
  daemons: number;
  crashesPerHour: number;
  /** Whether there are rollouts, holds, tickets and schedules. */
  fleet: boolean;
  /** The first round, and the one after the last. Each depends on the seed and on its number, and hardly on earlier ones. */
  rounds: { from: number; to: number };
  /** It stops after this step. */
  untilStep?: number;
  /** It stops at this hour of virtual time. */
  untilHour?: number;
}

export interface Violation {
  /** The rule of the oracle, a stable word. */
  rule: string;
  found: string;
  step: number;
  round: number;
}

export interface SimulationOutcome {
  /** Timers that have run. */
  steps: number;
  /** Hours of virtual time. */
  hours: number;
  crashes: number;
  launches: number;
  /** SHA-256 of the trace, hexadecimal. */
  digest: string;
  violation?: Violation;
}

export const ROUNDS_PER_HOUR = 5;
