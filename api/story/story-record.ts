/** A story, a run of a graph on a machine that answers, and its arguments. */

import type { LedgerNote } from '../../engine/hardware/twin/machine/ledger.ts';
import type { Model } from '../../engine/hardware/twin/machine/model.ts';
import type { CompileOptions } from '../../engine/kit/compile-graph.ts';
import type { FlatError } from '../../engine/vocabulary/errors.ts';
import type { JsonObject } from '../../engine/vocabulary/json.ts';
import type { TaskState, WorkflowStatus } from '../../engine/vocabulary/states.ts';

export interface StoryOptions extends CompileOptions {
  /** A model of servers that ships with nodewright, or another one. Default: `dell-r650`. */
  model?: string | Model;
  /** Serial numbers, addresses, and the moments at which rated faults happen. Default: 1. */
  seed?: number;
  /**
   * Lines as a file of faults of `nw twin` has them; times count from the launch. The machine is `r01s01`, its PDU `p01a`.
   * `drawn`: some of them, as the seed says. Default: none.
   */
  faults?: 'drawn' | readonly string[];
  /** The options of the launch, by label. Default: those of the graph's first example, with what its tasks require. */
  options?: Record<string, JsonObject>;
}

/** A line of the machine's ledger. */
export interface StoryEffect extends LedgerNote {
  /** ms since the launch. */
  atMs: number;
}

export interface StoryTask {
  state: TaskState;
  error: FlatError | null;
}

export interface Story {
  seed: number;
  /** The faults of the machine, as lines. */
  faults: readonly string[];
  /** The end of the workflow; `running`: it did not. */
  status: WorkflowStatus;
  error: FlatError | null;
  output: unknown;
  /** The latest run of each label. */
  tasks: Readonly<Record<string, StoryTask>>;
  /** The changes of the machine since the launch. */
  ledger: readonly StoryEffect[];
  /** The events, in the order of time, such as `188 s boots the microkernel`. */
  lines: readonly string[];
  /** Rules that were broken: it ends, and it does each thing once, whatever fails. */
  violations: readonly string[];
  /** ms from the launch to the end. */
  elapsedMs: number;
}
