/**
 * Plays a simulated workflow move by move: a user chooses how each call ends, what the node notifies, and when time passes.
 * Nothing else happens, except that calls which are to stop have stopped.
 *
 * The same moves always lead to the same place, so that a play needs no memory between requests.
 */

import type { Graph } from '../library/types.ts';
import { NodewrightError } from '../vocabulary/errors.ts';
import { messageOf } from '../vocabulary/thrown-values.ts';
import { EndsOfCalls } from './call-ends.ts';
import { misuse } from './misuse.ts';
import { type PlayView, viewOf } from './play-view.ts';
import { timersOf } from './ready.ts';
import type { Run } from './run.ts';
import { launchRun, type SimulateOptions } from './simulate.ts';
import { Simulation } from './simulation.ts';

export type PlayMove =
  /** The call or wait of a label succeeds. `output` absent: as its task did on the recorded node, or `{}`. */
  | { do: 'end'; label: string; output?: unknown }
  | { do: 'fail'; label: string; code?: string }
  | { do: 'notify'; data?: Record<string, unknown>; label?: string }
  /** Time passes: timers fire, and open calls stay open. */
  | { do: 'advance'; ms: number }
  | { do: 'cancel' }
  | { do: 'crash' };

export interface PlayOptions extends Pick<SimulateOptions, 'node' | 'options'> {
  moves: readonly PlayMove[];
  /** Asked before each step. */
  isOutOfTime: () => boolean;
}

export interface PlayResult extends PlayView {
  /** Moves that were made. */
  made: number;
  /** Why the next move was not made; null: all were. */
  stopped: { code: string; message: string } | null;
}

const STEPS_LIMIT = 10_000;

/**
 * A generator, so that the caller can pause between two steps.
 * @throws NodewrightError INVALID_OPTIONS, OBM_MISSING: the daemon would not launch it
 */
export function* play(graph: Graph, { moves, isOutOfTime, ...options }: PlayOptions): Generator<void, PlayResult> {
  const run = beginRun(graph, options);
  const outputs = options.node?.outputs ?? {};
  const simulation = new Simulation(run, {}, outputs);
  const steps = new Steps(run, isOutOfTime);
  let moveCount = 0;
  let stopped: PlayResult['stopped'] = null;
  let undo = () => {};
  try {
    yield* steps.settle();
    for (const move of moves) {
      yield;
      undo = undoOf(run);
      steps.check();
      if (move.do === 'advance') yield* steps.advance(move.ms);
      else make(simulation, move);
      yield* steps.settle();
      moveCount += 1;
    }
  } catch (error) {
    stopped = reasonOf(error);
    undo();
  }
  return { ...viewOf(run, simulation, new EndsOfCalls(graph, {}, outputs)), made: moveCount, stopped };
}

function beginRun(graph: Graph, options: Omit<PlayOptions, 'moves' | 'isOutOfTime'>): Run {
  try {
    return launchRun(graph, options);
  } catch (error) {
    if (error instanceof NodewrightError) throw error;
    const { message } = reasonOf(error);
    throw new NodewrightError('CONFLICT', `the workflow cannot be launched: ${message}`, { cause: error });
  }
}

/** @returns what takes the workflow back to where it is now. Steps make new rows, and change none */
function undoOf(run: Run): () => void {
  const { row, now, history } = run;
  const { length } = history;
  return () => {
    [run.row, run.now] = [row, now];
    history.length = length;
  };
}

function make(simulation: Simulation, move: Exclude<PlayMove, { do: 'advance' }>): void {
  switch (move.do) {
    case 'end':
      simulation.done(move.label, move.output);
      break;
    case 'fail':
      simulation.fail(move.label, move.code);
      break;
    case 'notify':
      simulation.notify(move.data, move.label);
      break;
    default:
      simulation[move.do]();
  }
}

/** Code of the graph or its tasks may throw anything. */
function reasonOf(error: unknown): NonNullable<PlayResult['stopped']> {
  if (error instanceof NodewrightError) return { code: error.code, message: error.message };
  return { code: 'GRAPH_THROWS', message: `the code of the graph failed: ${messageOf(error)}` };
}

/** The steps that no move asks for. */
class Steps {
  readonly #run: Run;
  readonly #isOutOfTime: () => boolean;
  #remainingSteps = STEPS_LIMIT;

  constructor(run: Run, isOutOfTime: () => boolean) {
    this.#run = run;
    this.#isOutOfTime = isOutOfTime;
  }

  /** @throws NodewrightError INVALID */
  check(): void {
    this.#remainingSteps -= 1;
    if (this.#remainingSteps < 0) throw misuse(`${STEPS_LIMIT} steps`, 'fewer', 'let less time pass');
    if (this.#isOutOfTime()) throw misuse('moves that take too long', 'fewer steps', 'let less time pass');
  }

  /** Calls that are to stop have stopped. */
  *settle(): Generator<void> {
    for (;;) {
      const stopping = this.#run.operations.find(({ aborting }) => aborting);
      if (stopping === undefined || !this.#run.fail(stopping, 'TASK_CANCELLED')) return;
      yield;
      this.check();
    }
  }

  *advance(ms: number): Generator<void> {
    const run = this.#run;
    const end = run.now + ms;
    while (!run.isOver && (timersOf(run)[0]?.at ?? Number.POSITIVE_INFINITY) <= end && run.fireTimer()) {
      yield* this.settle();
      yield;
      this.check();
    }
    run.now = Math.max(run.now, end);
  }
}
