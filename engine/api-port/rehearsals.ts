/** Rehearsals of rollouts: what one needs of a site, and what it answers. */
import type { WindowRecord, WindowTimes } from './windows.ts';

/** A target of the plan, and the nodes that it has in each relation. */
export interface RehearsalTarget {
  node: string;
  phase: number;
  sequence: number;
  parents: Readonly<Record<string, readonly string[]>>;
}

/** How a workflow ends; `error` null: it succeeds. */
export interface DrawnEnd {
  durationMs: number;
  error: { code: string; message: string } | null;
}

export type RehearsalWindow = WindowTimes & Pick<WindowRecord, 'leadMinutes'>;

/** `measured`: durations and failures are those of earlier runs of this site; `models`: those of twins of servers. */
export type RehearsalBasis = 'measured' | 'models';

interface Spread {
  p50: number;
  p90: number;
}

export interface RehearsalReport {
  basis: RehearsalBasis;
  runs: number;
  /** From the first beginning to the last end, or until a gate trips. */
  durationMs: Spread;
  /** By code: the failures of a run, the newest message, and nodes on which it occurred. */
  failures: ({ code: string; message: string; nodes: string[] } & Spread)[];
  /** The gates that tripped: in how many runs, and when, in the run in the middle. */
  gates: { index: number; trips: number; at: { phase: number; ms: number } }[];
  /** The openings of the window that were too short, by the work that followed in later ones, in the run in the middle. */
  windows: { closedAt: string; tooShortMs: number }[];
  /** The most targets that ran at a time and share a node in a relation. */
  peaks: { relation: string; parent: string; running: number }[];
  /** Targets that no opening of the window had room for, in the run with the most. */
  left: number;
  rejections: { node: string; code: string; message: string }[];
}
