/**
 * Replays a recorded run on a graph of today: the same launch, then each step of its history at its time, until one leads to
 * other states. Answers whether a change of the graph changes what happened.
 *
 * 1. A step without lines is not in the history: operations of a task that end without a visible change are ended when a
 *    later step needs it.
 * 2. The history does not say all: outputs of earlier runs of a label, and whether a timer came before a message. All that
 *    leads to the recorded states is followed; `assumed` names the labels whose output is not in the record.
 */
import type { Graph } from '../library/types.ts';
import { type AnyGraph, type CompileOptions, graphFrom } from './compile-graph.ts';
import { timeText } from './readable.ts';
import {
  comparisonKey,
  earlierTimer,
  type PossibleMessage,
  possibleMessages,
  type RecordedStep,
  recordedSteps,
} from './recorded-steps.ts';
import { Run, type RunOptions, SIMULATED_NODE } from './run.ts';
import type { RecordedRun } from './run-file.ts';

export interface ReplayOptions extends CompileOptions {
  /** Values for `{{ env }}` and `{{ sku }}` in templates, which the record does not have. */
  bindings?: { env?: Record<string, unknown>; sku?: Record<string, unknown> };
}

/** The first step that leads to other states. */
export interface ReplayDifference {
  /** The version of the workflow after the step, as its history has it. */
  version: number;
  /** Since the launch, as text. */
  at: string;
  /** Its cause: a kind and an id. */
  cause: string;
  recorded: string[];
  replayed: string[];
  /** All of it, in words. */
  message: string;
}

export interface ReplayResult {
  graph: string;
  /** The graph is the version that the workflow ran on. */
  isSameVersion: boolean;
  /** Steps in the history, and of these the ones that led to the same states. */
  steps: number;
  same: number;
  /** null: the run takes the same course. */
  difference: ReplayDifference | null;
  /** Labels with an output that is not in the record. */
  assumed: string[];
}

/** Ways that are followed at the same time. */
const WAYS_LIMIT = 6;
/** Steps without lines, before one with lines. */
const HIDDEN_LIMIT = 20;
const TRIES_LIMIT = 500;

/**
 * Replays a run.
 * @throws NodewrightError INVALID_DEFINITION: the daemon would not load the graph
 */
export function replay(run: RecordedRun, graph: AnyGraph, options: ReplayOptions = {}): ReplayResult {
  const compiled = graphFrom(graph, options);
  return new Replay(run, compiled, options).result();
}

class Replay {
  readonly #record: RecordedRun;
  readonly #graph: Graph;
  readonly #steps: RecordedStep[];
  /** All ways so far that led to the recorded lines, the most likely first. */
  #ways: Attempt[];

  constructor(record: RecordedRun, graph: Graph, { bindings }: ReplayOptions) {
    this.#record = record;
    this.#graph = graph;
    this.#steps = recordedSteps(record);
    const { options, node } = record.workflow;
    const run = new Run(graph, options, node === null ? null : SIMULATED_NODE, {
      now: this.#steps[0]?.at ?? 0,
      ...(bindings !== undefined && { bindings }),
      ...carriedIn(record),
    });
    this.#ways = [{ run, lines: run.history.map(comparisonKey), guessed: [] }];
  }

  result(): ReplayResult {
    const { name, hash } = this.#graph;
    const difference = this.#difference();
    const same = this.#steps.findIndex(({ version }) => version === difference?.version);
    return {
      graph: name,
      isSameVersion: hash === this.#record.workflow.definitionHash,
      steps: this.#steps.length,
      same: difference === null ? this.#steps.length : same,
      difference,
      assumed: [...new Set(this.#ways[0]?.guessed)],
    };
  }

  #difference(): ReplayDifference | null {
    for (const [at, step] of this.#steps.entries()) {
      const recorded = step.lines.map(comparisonKey);
      const fits = ({ lines }: Attempt) => isEqual(lines, recorded);
      const tried = at === 0 ? this.#ways : this.#ways.flatMap((way) => this.#tryWays(way, step, fits));
      const ways = tried.filter(fits);
      if (ways.length === 0)
        return this.#differenceAt(step, recorded, tried.find(({ lines }) => lines.length > 0)?.lines ?? []);
      this.#ways = distinctWays(ways).slice(0, WAYS_LIMIT);
    }
    return null;
  }

  /** Returns the ways that fit; or, if none does, others, the most likely first. */
  #tryWays(way: Attempt, step: RecordedStep, fits: (attempt: Attempt) => boolean): Attempt[] {
    const attempts = startsOf(way, step).map((start) => this.#from(start, step, fits));
    const fitting = attempts.flat().filter(fits);
    return fitting.length > 0 ? fitting : attempts.flat();
  }

  /** Breadth first: rule 1. */
  #from(start: Attempt, step: RecordedStep, fits: (attempt: Attempt) => boolean): Attempt[] {
    const all: Attempt[] = [];
    let front = [start];
    let tries = 0;
    for (let hidden = 0; hidden < HIDDEN_LIMIT && front.length > 0; hidden += 1) {
      const attempts: Attempt[] = [];
      for (const from of front) {
        for (const possible of possibleMessages(from.run, step, this.#record)) {
          tries += 1;
          if (tries > TRIES_LIMIT) return all;
          const attempt = takeMessage(from, possible, step.at);
          if (attempt === undefined) continue;
          attempts.push(attempt);
          // Another guess may fit a later step better.
          if (fits(attempt) && !possible.isGuess) return [attempt];
        }
      }
      if (attempts.some(fits)) return attempts.filter(fits);
      all.push(...attempts);
      front = attempts.filter(({ lines }) => lines.length === 0).slice(0, HIDDEN_LIMIT);
    }
    return all;
  }

  #differenceAt(step: RecordedStep, recorded: string[], replayed: string[]): ReplayDifference {
    const at = timeText(step.at - (this.#steps[0]?.at ?? 0));
    const cause = `${step.cause.kind}${step.cause.ref === null ? '' : ` ${step.cause.ref}`}`;
    const actual = replayed.length === 0 ? 'nothing' : replayed.join(', ');
    const message = `${at} after the launch, in step ${step.version} (${cause}): recorded ${recorded.join(', ')}; replayed ${actual}`;
    return { version: step.version, at, cause, recorded, replayed, message };
  }
}

/** Ways that lead to the same place are one. */
function distinctWays(ways: readonly Attempt[]): Attempt[] {
  const attemptsByKey = new Map<string, Attempt>();
  for (const way of ways) {
    const { actors, operations, timers } = way.run.row;
    const open = Object.values(operations).map(({ id, aborting }) => [id, aborting]);
    const place = JSON.stringify([actors, open, timers]);
    if (!attemptsByKey.has(place)) attemptsByKey.set(place, way);
  }
  return [...attemptsByKey.values()];
}

/** A way to a place: the lines are those of the last step. */
interface Attempt {
  run: Run;
  lines: string[];
  guessed: string[];
}

/** First with the timers that were due before the step, as far as they lead to no lines: a timeout begins to stop a task. */
function startsOf(start: Attempt, step: RecordedStep): Attempt[] {
  const starts = [start];
  for (let at: Attempt | undefined = start; at !== undefined && starts.length < HIDDEN_LIMIT; ) {
    const [timer] = earlierTimer(at.run, step);
    const next: Attempt | undefined = timer && takeMessage(at, timer, step.at);
    at = next?.lines.length === 0 ? next : undefined;
    if (at !== undefined) starts.unshift(at);
  }
  return starts;
}

/** @returns undefined if the message changes nothing */
function takeMessage(from: Attempt, possible: PossibleMessage, stepAt: number): Attempt | undefined {
  const { message, label, isGuess, at = stepAt } = possible;
  const run = from.run.fork();
  run.now = Math.max(run.now, at);
  const before = run.history.length;
  // A hidden step may have set the timer later than it was set.
  if (!run.send(message) && !(message.type === 'timer' && run.fireTimer())) return undefined;
  const lines = run.history
    .slice(before)
    .filter(({ event }) => event !== 'task.progress')
    .map(comparisonKey);
  return { run, lines, guessed: isGuess && label !== undefined ? [...from.guessed, label] : from.guessed };
}

const isEqual = (a: readonly string[], b: readonly string[]): boolean => JSON.stringify(a) === JSON.stringify(b);

/** A workflow that repeats another one took over its tasks that had succeeded before. */
function carriedIn({ workflow }: RecordedRun): Pick<RunOptions, 'carried'> {
  if (workflow.retryOf === undefined || workflow.retryOf === null) return {};
  const carried = workflow.tasks
    .filter(({ state, startedAt }) => state === 'succeeded' && startedAt !== null && startedAt < workflow.createdAt)
    .map(({ label, output, attempts, startedAt, finishedAt }) => [label, { output, attempts, startedAt, finishedAt }]);
  return { carried: Object.fromEntries(carried) };
}
