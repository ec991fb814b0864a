/**
 * All configurations of a graph: what it can reach, how it can end, and where it cannot go on. Pure and deterministic.
 *
 * A task is only its end here: it succeeds with an output that the graph's examples name, or fails. If the limit ends
 * the search, `truncated` says so; then a state or label counts as reached if a run reaches it in which all goes well,
 * except for one kind of step.
 */
import { type AnyGraph, type CompileOptions, graphFrom } from './compile-graph.ts';
import { labelsWithoutTimeout, onceWithoutProbe } from './label-findings.ts';
import { launchSamples } from './launch-samples.ts';
import { type DeadEnd, type GraphEnd, type ImpureRead, Search, type ThrownError } from './search.ts';
import { copyOfMachine, watchStates } from './visited-states.ts';

export type { DeadEnd, GraphEnd, ImpureRead, ThrownError } from './search.ts';

export interface ExploreOptions {
  /** Configurations after which the search stops; default 2,000. */
  limit?: number;
  /** ms, for a caller that must not be blocked. Default: no limit. */
  budgetMs?: number;
}

export interface Exploration {
  /** The name of the graph. */
  graph: string;
  configurations: number;
  /** The limit was reached: ends and dead ends may be missing, and counts are those of the part that was explored. */
  truncated: boolean;
  ends: GraphEnd[];
  /** Ends, by status. */
  succeeded: number;
  failed: number;
  /** States by id, and labels, that no path reaches. States of list graphs are not those of their authors. */
  unreached: { states: string[]; labels: string[] };
  deadEnds: DeadEnd[];
  thrown: ThrownError[];
  /** Reads of the clock and of random numbers: the same step may lead to other states. */
  impure: ImpureRead[];
  /** Labels for whose output the graph has code that fails with `{}`, and how: give the graph `examples` with `outputs`. */
  needOutputs: { label: string; message: string }[];
  /** Labels that wait and have no timeout of their own: 24 h. */
  noTimeout: string[];
  /** Labels whose `once` task has no probe: after a crash they end as TASK_INTERRUPTED. */
  onceWithoutProbe: string[];
}

const CONFIGURATIONS_LIMIT = 2_000;

/**
 * Explores all configurations of a graph.
 * @throws NodewrightError INVALID_DEFINITION: the daemon would not load the graph. OutOfTime: the budget is used up
 */
export function explore(given: AnyGraph, options: ExploreOptions & CompileOptions = {}): Exploration {
  const graph = graphFrom(given, options);
  const { limit = CONFIGURATIONS_LIMIT, budgetMs = Number.POSITIVE_INFINITY } = options;
  const machine = copyOfMachine(graph.machine);
  const unreachedStates = watchStates(machine);
  const search = new Search(graph, machine, limit, budgetMs);
  for (const sample of launchSamples(graph, [])) {
    search.from({ workflowId: 'simulated', nodeId: 'node', options: sample.options });
  }
  const { ends, deadEnds, thrown, impure, truncated, labels, needOutputs, configurations } = search.result();
  return {
    graph: graph.name,
    configurations,
    truncated,
    ends,
    succeeded: ends.filter(({ status }) => status === 'succeeded').length,
    failed: ends.filter(({ status }) => status === 'failed').length,
    unreached: {
      states: graph.kind === 'list' ? [] : unreachedStates(),
      labels: [...graph.labels.values()]
        .filter(({ label, compensates }) => compensates === undefined && !labels.has(label))
        .map(({ label }) => label),
    },
    deadEnds,
    thrown,
    impure,
    needOutputs,
    noTimeout: labelsWithoutTimeout(graph),
    onceWithoutProbe: onceWithoutProbe(graph),
  };
}
