/** The faults of a twin, as its file of faults has them. Times are milliseconds of field time since the first start. */

/** Faults of a BMC or a PDU that last. */
const lastingFaults = ['silent', 'slow', '503', 'wrong password', 'pdu silent'] as const;
/** Faults of the next such action; with a time, of all within it. */
export const nextFaults = ['reset ignored', 'power stuck', 'update hangs', 'update fails', 'download breaks'] as const;
/** Faults that happen at a moment. */
export const eventFaults = [
  ...(['dies', 'changes', 'twice', 'missing', 'swapped', 'slow drive', 'clock', 'down'] as const),
  ...(['bad memory', 'hot'] as const),
] as const;

export type LastingFault = (typeof lastingFaults)[number];
export type NextFault = (typeof nextFaults)[number];
export type EventFault = (typeof eventFaults)[number];

interface AtLine {
  /** Counted from 1. */
  line: number;
}

export interface TimedFault extends AtLine {
  kind: LastingFault | NextFault | EventFault;
  at: number;
  /** The name of a machine, a PDU, or a drive as `machine/drive`. */
  target: string;
  /** Absent: until the end, or the next action. For `clock` its deviation. */
  ms?: number;
}

/** At any moment this share of the BMCs has the fault. */
export interface RatedFault extends AtLine {
  kind: LastingFault | NextFault;
  /** From 0 to 1. */
  share: number;
  ms: number;
}

export interface FaultPlan {
  timed: readonly TimedFault[];
  rated: readonly RatedFault[];
}
