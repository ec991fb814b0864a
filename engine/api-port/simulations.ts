/** The port of the API to simulated workflows. */
import type { Findings } from '../kit/findings.ts';
import type { PlayMove, PlayResult } from '../kit/play.ts';
import type { NodeAnswers } from '../kit/recording.ts';

export type { PlayMove, PlayResult } from '../kit/play.ts';

export interface SimulationRequest {
  /** Absent: those of the graph's first example. */
  options?: Record<string, Record<string, unknown>>;
  /** The records of a node, of which a recording is made. null: no node. Absent: a node without a recording. */
  node?: NodeAnswers | null;
  /** Instead of `node`: a recording, as `nw record` writes it. */
  recording?: Record<string, unknown>;
  moves: readonly PlayMove[];
}

export interface Simulations {
  /**
   * Plays a workflow of the graph in memory: nothing is stored, sent or started.
   * @throws NodewrightError INVALID (the recording), INVALID_OPTIONS, OBM_MISSING: the daemon would not launch it. QUARANTINED: its code
   * has stopped the daemon before
   * @returns undefined if there is no such graph
   */
  play(graph: string, request: SimulationRequest): Promise<(PlayResult & { definitionHash: string }) | undefined>;
  /** Checks a graph that is served, also one from a file. @returns undefined if there is no such graph */
  check(graph: string): Promise<Findings | undefined>;
}
