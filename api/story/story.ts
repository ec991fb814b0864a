/**
 * A graph's workflow on a machine that answers: a daemon, a machine of the twin and its BMC in this process, under virtual time.
 * The same arguments give the same story, to the last byte.
 *
 * 1. What is wrong with the arguments is said before anything starts.
 * 2. While it runs, the clock, the timers and the random numbers of the process are the story's own. One story runs at a time.
 */
import { type AnyGraph, type CompileOptions, graphFrom } from '../../engine/kit/compile-graph.ts';
import { includedDefinitions } from '../../engine/kit/definition-files.ts';
import { launchSamples } from '../../engine/kit/launch-samples.ts';
import { misuse } from '../../engine/kit/misuse.ts';
import { launchRun } from '../../engine/kit/simulate.ts';
import type { LedgerNote } from '../../engine/twin/machine/ledger.ts';
import { type FlatError, NodewrightError } from '../../engine/vocabulary/errors.ts';
import type { JsonObject } from '../../engine/vocabulary/json.ts';
import type { TaskState, WorkflowStatus } from '../../engine/vocabulary/states.ts';
import { messageOf } from '../../engine/vocabulary/thrown-values.ts';

export interface StoryOptions extends CompileOptions {
  /** A model of servers that ships with nodewright. Default: `dell-r650`. */
  model?: string;
  /** Serial numbers, addresses, and the moments at which rated faults happen. Default: 1. */
  seed?: number;
  /**
   * Lines as a file of faults of `nw twin` has them; times count from the launch. The machine is `r01s01`, its PDU `p01a`.
   * `drawn`: some of them, or none, as the seed says. Default: none.
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
  /** How the workflow ended; `running`: it did not. */
  status: WorkflowStatus;
  error: FlatError | null;
  output: unknown;
  /** The latest run of each label. */
  tasks: Readonly<Record<string, StoryTask>>;
  /** What was done to the machine since the launch. */
  ledger: readonly StoryEffect[];
  /** What happened, in the order of time, such as `188 s boots the microkernel`. */
  lines: readonly string[];
  /** What must not happen, whatever fails: the workflow does not end, or does something twice or nothing at all. */
  violations: readonly string[];
  /** ms from the launch to the end. */
  elapsedMs: number;
}

let tail: Promise<unknown> = Promise.resolve();

/**
 * Runs the graph's workflow on a machine of the twin, from its launch to its end.
 * @throws NodewrightError INVALID_DEFINITION, INVALID_OPTIONS: the daemon would not load or launch the graph. INVALID: wrong
 * arguments
 */
export function story(graph: AnyGraph, options: StoryOptions = {}): Promise<Story> {
  const turn = tail.then(() => tell(graph, options));
  tail = turn.catch(() => {});
  return turn;
}

async function tell(given: AnyGraph, { seed = 1, faults = [], model, ...more }: StoryOptions): Promise<Story> {
  if (!Number.isSafeInteger(seed) || seed < 0) throw misuse(`the seed ${seed}`, 'a whole number from 0', 'correct it');
  const { tasks } = await includedDefinitions();
  const graph = graphFrom(given, more);
  const options = more.options ?? launchSamples(graph, [])[0]?.options ?? {};
  launchRun(graph, { options });
  // Loaded only here: a daemon and its machines consist of many files.
  const [{ modelNamed }, { faultsDrawn, faultsRead }, { runStory }] = await Promise.all([
    import('./story-model.ts'),
    import('./story-faults.ts'),
    import('./run-story.ts'),
  ]);
  const server = modelNamed(model);
  const lines = faults === 'drawn' ? faultsDrawn(seed, server) : faults;
  const plan = inFaults(() => faultsRead(lines, server));
  return runStory({ graph, tasks, options, seed, lines, faults: plan, model: server });
}

/** Names a wrong line. */
function inFaults<T>(read: () => T): T {
  try {
    return read();
  } catch (error) {
    const { line } = error as { line?: number };
    if (line === undefined) throw error;
    throw new NodewrightError('INVALID', `faults[${line - 1}]: ${messageOf(error)}`);
  }
}
