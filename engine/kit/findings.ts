/**
 * Findings about a graph: the reasons to reject it, and warnings about parts that are valid and probably not meant.
 * `nw check` and the API give the same ones.
 */

import type { AnyStateNode } from 'xstate';
import { FAILED, graphMeta } from '../define/graph.ts';
import { endsOfFailures, unsentEvents } from '../library/forms/machine-checks.ts';
import { neededBy } from '../library/forms/needs.ts';
import { asyncGuards, drawnGuards, stubsIn } from '../library/forms/stubs.ts';
import { checkSharedRequest } from '../library/options/options.ts';
import { Rejection, violationsOf } from '../library/options/rejection.ts';
import type { Graph } from '../library/types.ts';
import { countText } from '../vocabulary/count-texts.ts';
import { isRejection, type Violation } from '../vocabulary/errors.ts';
import type { JsonObject } from '../vocabulary/json.ts';
import type { WarningCode } from '../vocabulary/warning-codes.ts';
import { circleOf, type GraphLookup } from './circles.ts';
import { type Exploration, type ExploreOptions, explore } from './explore.ts';
import { labelsWithoutTimeout, labelsWithTemplates, onceWithoutProbe } from './label-findings.ts';
import { launchSamples } from './launch-samples.ts';
import { OutOfTime } from './search.ts';
import { unreachedParts } from './unreached.ts';

const CONDITION = 'Task.Evaluate.Condition';

/** A warning: about the graph, or about one of its parts. */
export interface GraphWarning {
  code: WarningCode;
  /** A state, as `a.b`. */
  state?: string;
  label?: string;
  /** A place in the definition. */
  path?: string;
  message: string;
}

export type ExplorationCounts = Pick<Exploration, 'configurations' | 'succeeded' | 'failed'> & { ends: number };

export interface Findings {
  /** It would be served. */
  ok: boolean;
  /** null: the definition has none that can be read. */
  name: string | null;
  errors: Violation[];
  warnings: GraphWarning[];
  /** null: it was rejected, or took too long. */
  explored: ExplorationCounts | null;
}

export interface FindingOptions extends ExploreOptions {
  /** Finds the graphs that it may run. Absent: without `circleWarnings`. */
  graphs?: GraphLookup;
}

/** @param compile throws what is wrong with the graph */
export function findingsOf(name: string | null, compile: () => Graph, options: FindingOptions = {}): Findings {
  try {
    const graph = compile();
    return { ok: true, name: graph.name, errors: [], ...warningsOf(graph, options) };
  } catch (error) {
    return { ok: false, name, errors: errorsOf(error), warnings: [], explored: null };
  }
}

/** @throws the error itself if it is not about a definition */
export function errorsOf(error: unknown): Violation[] {
  if (error instanceof Rejection) return [...violationsOf(error)];
  if (!isRejection(error)) throw error;
  return [...(error.violations ?? [{ path: '', message: error.message }])];
}

export function warningsOf(graph: Graph, options: FindingOptions = {}): Pick<Findings, 'warnings' | 'explored'> {
  const exploration = exploreGraph(graph, options);
  const warnings = [
    ...(options.graphs === undefined ? [] : circleWarnings(graph, options.graphs)),
    ...exampleWarnings(graph),
    ...requiredOptionWarnings(graph),
    ...structureWarnings(graph),
    ...labelWarnings(graph),
    ...rackhdWarnings(graph),
  ];
  if (exploration === undefined) {
    const message = `the graph has too many configurations to explore them within ${options.budgetMs} ms`;
    return { warnings: [...warnings, { code: 'NOT_EXPLORED', message }], explored: null };
  }
  const { configurations, succeeded, failed, ends } = exploration;
  const counts = { configurations, ends: ends.length, succeeded, failed };
  return { warnings: [...explorationWarnings(graph, exploration), ...warnings], explored: counts };
}

/** Changes of other graphs change them, so they are not kept with the findings about a version of a graph. */
export function circleWarnings(graph: Graph, graphs: GraphLookup): GraphWarning[] {
  const circle = circleOf(graph, graphs);
  if (circle === undefined) return [];
  const { text, isEndless } = circle;
  const limit = 'its workflow fails with TOO_MANY_CHILDREN (childGraphs.maxDepth)';
  return isEndless
    ? [{ code: 'LAUNCH_FAILS', message: `the graph runs itself endlessly, so ${limit}: ${text}` }]
    : [{ code: 'RUNS_ITSELF', message: `the graph runs itself: ${text}; unless a path ends before, ${limit}` }];
}

/** Options that a task requires are added to those of an example, so none of them is missing. */
function exampleWarnings(graph: Graph): GraphWarning[] {
  const examples = graphMeta(graph.machine)?.examples ?? [];
  return launchSamples(graph, [])
    .slice(0, examples.length)
    .flatMap(({ options }, at) => {
      const violations = launchViolations(graph, options).filter((violation) => !isAbsence(violation));
      return violations.map(({ path, message }): GraphWarning => {
        const place = `examples.${at}.${path}`;
        return { code: 'EXAMPLE_INVALID', path: place, message: `a launch rejects ${place}: ${message}` };
      });
    });
}

/** Options that neither the graph nor one of its examples gives. */
function requiredOptionWarnings(graph: Graph): GraphWarning[] {
  const labels = [...graph.labels.values()];
  const every = Object.fromEntries(labels.map(({ label }) => [label, {}]));
  const [absent = [], ...ofExamples] = [{}, ...(graphMeta(graph.machine)?.examples ?? [])].map(({ options = {} }) =>
    launchViolations(graph, { ...every, ...options })
      .filter(isAbsence)
      .map(({ path }) => path),
  );
  const required = absent.filter((path) => ofExamples.every((paths) => paths.includes(path)));
  return required.flatMap((path) =>
    labels
      .filter(({ label }) => path.startsWith(`options.${label}.`))
      .map(({ label, task: { name } }): GraphWarning => {
        const message = `${label} (${name}) requires an option that the graph does not give; each launch has to give ${path}`;
        return { code: 'OPTION_REQUIRED', path, message };
      }),
  );
}

const isAbsence = ({ message }: Violation) => message === 'is missing';

function launchViolations(graph: Graph, options: JsonObject): readonly Violation[] {
  try {
    checkSharedRequest([graph], options);
    return [];
  } catch (error) {
    return errorsOf(error);
  }
}

/** Warnings about parts of RackHD's graphs that this project has not. */
const rackhdWarnings = ({ ignored = [], labels }: Graph): GraphWarning[] => [
  ...ignored.map(({ path, message }): GraphWarning => ({ code: 'HAS_NO_EFFECT', path, message: `${path} ${message}` })),
  ...[...labels.values()].flatMap(({ label, task: { missing } }): GraphWarning[] =>
    missing === undefined
      ? []
      : [
          {
            code: 'JOB_MISSING',
            label,
            message: `${label} fails its workflow when it begins: ${missing.name}: ${missing.why}`,
          },
        ],
  ),
];

function exploreGraph(graph: Graph, options: ExploreOptions): Exploration | undefined {
  try {
    return explore(graph, options);
  } catch (error) {
    if (error instanceof OutOfTime) return undefined;
    throw error;
  }
}

/** Whether each example ends in the first step, by an error of the graph's code. */
const failsAtOnce = ({ configurations, thrown }: Exploration): boolean =>
  thrown.length === configurations && thrown.every(({ path }) => path.length === 1);

function explorationWarnings(graph: Graph, exploration: Exploration): GraphWarning[] {
  const after = (path: readonly string[]) => path.join(', then ');
  return [
    ...(failsAtOnce(exploration) ? [] : unreachedParts(graph, exploration.unreached)).map(
      (part): GraphWarning => ({ code: 'NEVER_REACHED', ...part }),
    ),
    ...exploration.deadEnds.map(
      ({ state, path }): GraphWarning => ({
        code: 'NO_END',
        state,
        message: `the graph cannot end from ${state}: ${after(path)}`,
      }),
    ),
    ...exploration.thrown.map(
      ({ message, path }): GraphWarning =>
        failsAtOnce(exploration)
          ? {
              code: 'LAUNCH_FAILS',
              message: `each launch with the options of the graph's examples fails with '${message}'; correct the graph, or give it an example that works`,
            }
          : { code: 'GRAPH_THROWS', message: `the graph's code fails with '${message}': ${after(path)}` },
    ),
    ...exploration.impure.map(
      ({ read, path }): GraphWarning => ({
        code: 'NOT_PURE',
        message: `the graph's code reads ${read}, so the same step may lead elsewhere in a test or a replay: ${after(path)}; wait with \`after\`, or let a task return the value`,
      }),
    ),
    ...exploration.needOutputs.map(
      ({ label, message }): GraphWarning => ({
        code: 'OUTPUT_UNKNOWN',
        label,
        message: `the graph's code fails with '${message}' for each output of ${label} that was tried; give the graph examples with outputs`,
      }),
    ),
    ...(exploration.truncated
      ? [
          {
            code: 'NOT_EXPLORED' as const,
            message: `only ${countText(exploration.configurations, 'configuration')} ${exploration.configurations === 1 ? 'was' : 'were'} explored, so that ends may be missing`,
          },
        ]
      : []),
  ];
}

function labelWarnings(graph: Graph): GraphWarning[] {
  const needs = [...graph.labels.values()].flatMap((label): GraphWarning[] => {
    const [service] = neededBy(graph, label, {});
    if (service === undefined || isProvided(graph)) return [];
    const what = service === 'any' ? 'an obm' : `the obm ${service}`;
    return [{ code: 'NEEDS_OBM', label: label.label, message: `${label.label} needs ${what} of the node` }];
  });
  return [
    ...labelsWithoutTimeout(graph).map(
      (label): GraphWarning => ({
        code: 'NO_TIMEOUT',
        label,
        message: `${label} waits without a timeout of its own (24 h); set timeoutMs or _taskTimeout`,
      }),
    ),
    ...labelsWithTemplates(graph).map(
      (label): GraphWarning => ({
        code: 'TEMPLATE_IN_INPUT',
        label,
        message: `the input of ${label} is a function, and the template in its text is not rendered; set it in the graph's options for ${label}`,
      }),
    ),
    ...onceWithoutProbe(graph).map(
      (label): GraphWarning => ({
        code: 'ONCE_WITHOUT_PROBE',
        label,
        message: `a crash during ${label} ends it as TASK_INTERRUPTED: its task is once, without a probe`,
      }),
    ),
    ...needs,
  ];
}

/** Whether a label of the graph gives the node an obm. */
const isProvided = ({ labels }: Graph): boolean => [...labels.values()].some(({ task }) => task.provides.length > 0);

const ERROR = 'xstate.error.';

/** The error of a condition is its other branch. */
function isFailureIn({ labels, labelOf }: Graph, { invoke }: AnyStateNode, event: string): boolean {
  if (!event.startsWith(ERROR)) return false;
  const invokeDefinition = invoke.find(({ id }) => event === `${ERROR}actor.${id}`);
  const label = invokeDefinition && labels.get(labelOf(String(invokeDefinition.src), invokeDefinition.id));
  return label?.task.name !== CONDITION;
}

function structureWarnings(graph: Graph): GraphWarning[] {
  if (graph.kind === 'list') return [];
  return [
    ...endsOfFailures(graph.machine, (node, event) => isFailureIn(graph, node, event)).map(({ path }): GraphWarning => {
      const state = path.join('.');
      return {
        code: 'ENDS_AS_SUCCESS',
        state,
        message: `final state ${state} is reached by onError only and has no tag '${FAILED}'; add the tag, or use another end`,
      };
    }),
    ...unsentEvents(graph.machine).map(({ event, node }): GraphWarning => {
      const state = node.path.join('.');
      return {
        code: 'EVENT_NEVER_SENT',
        state,
        message: `nothing sends '${event}' to state ${state}; wait by an invoke of Task.Wait.Notification`,
      };
    }),
    ...stubsIn(graph.machine).map(
      (name): GraphWarning => ({
        code: 'ACTION_IS_STUB',
        path: `actions.${name}`,
        message: `action '${name}' does nothing; side effects belong in a task`,
      }),
    ),
    ...asyncGuards(graph.machine).map(
      ({ id, path }): GraphWarning => ({
        code: 'GUARD_IS_ASYNC',
        state: path.join('.'),
        message: `a guard of state ${id} is asynchronous, so it always holds: a promise counts as true; wait in a task, and decide by its output`,
      }),
    ),
    ...drawnGuards(graph.machine).map(
      (name): GraphWarning => ({
        code: 'GUARD_IS_STUB',
        path: `guards.${name}`,
        message: `guard '${name}' always holds; write its condition`,
      }),
    ),
  ];
}
