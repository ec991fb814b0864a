/**
 * Compiles the list-of-tasks JSON of RackHD into a machine with one working state and two final states. Its context is
 * the ledger of `list-step.ts`; each end of a task is one transition, whatever the size of the graph. Parallel regions
 * with guards would be more readable but cost 5 ms a step at 50 tasks.
 */
import { type AnyStateMachine, setup } from 'xstate';
import { FAILED, type GraphInput } from '../../define/graph.ts';
import { placeholder } from '../../define/placeholder.ts';
import type { FlatError, Violation } from '../../vocabulary/errors.ts';
import { isObject, type JsonObject, objectIn } from '../../vocabulary/json.ts';
import { isOneOf } from '../../vocabulary/one-of.ts';
import { type TaskRunEnd, taskRunEnds } from '../../vocabulary/states.ts';
import { checkOptions, noTask } from '../options/graph-labels.ts';
import { hashOf } from '../options/hash.ts';
import { Rejection, RejectionList, rejectDefinition, rejectFound, violationsOf } from '../options/rejection.ts';
import { knows } from '../options/schema.ts';
import { weighDefinition } from '../options/schema-limits.ts';
import { staticViolations, TIMEOUT } from '../options/static-checks.ts';
import { openedSchema, withNamedOptions, withoutAnyNulls, withoutNulls } from '../options/wider-options.ts';
import type { Graph, Label, Source, Task, TaskLookup } from '../types.ts';
import { taskOfJson } from './json-task.ts';
import { checkTasks, type ListEntry, type ListGraph, shapedList, unused } from './list-json.ts';
import { beginList, type End, type Ledger, type ListPlan, listPlanOf, taskEnded } from './list-step.ts';
import { defaultsInList, taskRenamed } from './rackhd/base-tasks.ts';

export interface TaskLookups {
  /** All tasks. */
  any: TaskLookup;
  /** Code tasks, which a `taskDefinition` may implement. */
  code: TaskLookup;
}

/**
 * Compiles a list graph. Its machine starts only with an input (a `GraphInput`).
 *
 * @throws Rejection with every violation
 */
export function graphOfList(put: unknown, tasks: TaskLookups, source: Source): Graph {
  const rejections = new RejectionList();
  const json = shapedList(put, rejections);
  weighDefinition(json);
  rejections.try(() => checkTasks(json));
  const { labels, violations } = labelsOf(json, tasks, source);
  rejections.try(() => rejectFound(violations));
  const { options, ignored } = optionsOf(json, labels);
  const rejected = new Set(json.tasks.map(({ label }) => label).filter((label) => !labels.has(label)));
  rejections.try(() => checkOptions(options, labels, rejected));
  rejections.throw('a graph');
  const used = [...labels.values()].map(({ task }) => task.hash);
  return {
    name: json.injectableName,
    friendlyName: json.friendlyName,
    hash: hashOf({ json, used }),
    kind: 'list',
    machine: machineOf(json.injectableName, listPlanOf(json.tasks)),
    labels,
    options,
    definition: json as unknown as JsonObject,
    ...(ignored.length > 0 && { ignored }),
    source,
    labelOf: (src) => src,
  };
}

/** Returns the options of the labels and of all, and what has no effect. */
function optionsOf(json: ListGraph, labels: ReadonlyMap<string, Label>) {
  const names = json.tasks.map(({ label }) => label);
  const ignored = unused.filter((key) => Object.hasOwn(json, key)).map((key) => noEffect(key));
  const options: Record<string, JsonObject> = {};
  for (const [key, values] of Object.entries(json.options ?? {})) {
    if (!isObject(values) || (key !== 'defaults' && !names.includes(key))) {
      const expected = `defaults or one of ${names.slice(0, 20).join(', ')}, with an object`;
      ignored.push(noEffect(`options.${key}`, `: found no such label; expected ${expected}`));
      continue;
    }
    const tasks = [...labels.values()].flatMap(({ label, task }) => (key === 'defaults' || key === label ? task : []));
    const idle = Object.keys(values).filter(
      (name) => isIdle(name, values[name]) && !tasks.some((task) => knows(task.schema, name)),
    );
    ignored.push(...idle.map((name) => noEffect(`options.${key}.${name}`)));
    options[key] = withoutAnyNulls(
      tasks,
      Object.fromEntries(Object.entries(values).filter(([name]) => !idle.includes(name))),
    );
  }
  return { options, ignored };
}

/**
 * Options that RackHD's graphs give to any task, and that most tasks here do without. `delay` and `retries` say how often RackHD sends a
 * command to a BMC; a task here sends one that switches power once. No job of RackHD reads `makeItFail`.
 */
const idleOptions: readonly string[] = [
  ...['schedulerOverrides', 'nodeId', 'updateExistingCatalog', 'delay', 'retries', 'makeItFail'],
];

/** RackHD's graphs name options with null before a launch gives their values, also some that the task does not have. */
const isIdle = (name: string, value: unknown): boolean =>
  idleOptions.includes(name) || (value === null && name !== TIMEOUT);

const noEffect = (path: string, why = ''): Violation => ({ path, message: `has no effect${why}` });

/** Returns the labels with a valid task, and the violations of all. */
function labelsOf(json: ListGraph, tasks: TaskLookups, source: Source) {
  const violations: Violation[] = [];
  const labels = new Map<string, Label>();
  json.tasks.forEach((entry, index) => {
    const path = `tasks.${index}`;
    // Reported with the labels.
    if (entry.taskName === undefined && entry.taskDefinition === undefined) return;
    try {
      const label = labelOf(entry, path, tasks, source, json.options);
      labels.set(entry.label, label);
      for (const violation of staticViolations(label.task.schema, label.overrides)) {
        violations.push({ ...violation, path: `${path}.optionOverrides.${violation.path}` });
      }
    } catch (error) {
      if (!(error instanceof Rejection)) throw error;
      violations.push(...(error.violations ?? [{ path, message: error.message }]));
    }
  });
  return { labels, violations };
}

/** Returns a task of the library, also under the name that RackHD has for it; then it has options of any name. */
function taskNamed(name: string, any: TaskLookup): Task | undefined {
  const renamed = taskRenamed(name);
  const anyTask = any(name);
  if (anyTask !== undefined) {
    const further = defaultsInList(name);
    return further === undefined ? anyTask : { ...anyTask, defaults: { ...further, ...anyTask.defaults } };
  }
  if (renamed === undefined) return undefined;
  const task = any(renamed);
  return task && { ...task, schema: openedSchema(task.schema, 'all') };
}

/** @param options of the graph */
function labelOf(entry: ListEntry, path: string, tasks: TaskLookups, source: Source, options: unknown): Label {
  const { label, taskName = '', taskDefinition, optionOverrides = {} } = entry;
  const task = taskDefinition === undefined ? taskNamed(taskName, tasks.any) : ownTask(entry, path, tasks, source);
  if (task !== undefined) {
    const wide = withNamedOptions(task, [optionOverrides, objectIn(objectIn(options)[label])]);
    return { label, task: wide, overrides: withoutNulls(wide.schema, optionOverrides), dynamic: false };
  }
  const message = noTask(taskName, tasks.any);
  throw rejectDefinition('a graph', [{ path: `${path}.taskName`, message }]);
}

/** Returns the task that an entry defines itself. @throws Rejection with the paths in the graph */
function ownTask({ taskDefinition }: ListEntry, path: string, tasks: TaskLookups, source: Source): Task {
  try {
    return taskOfJson(taskDefinition, tasks.code, source);
  } catch (error) {
    if (!(error instanceof Rejection)) throw error;
    const inGraph = violationsOf(error).map((violation) => ({
      ...violation,
      path: [`${path}.taskDefinition`, violation.path].filter((part) => part !== '').join('.'),
    }));
    throw rejectDefinition('a graph', inGraph);
  }
}

const DONE = 'xstate.done.actor.';
const ERROR = 'xstate.error.actor.';

/** The engine's event for the end of a task run. */
interface EndEvent {
  type: string;
  output?: unknown;
  error?: FlatError & { state?: string };
}

function endOf({ type, output, error }: EndEvent): [label: string, end: End] {
  if (type.startsWith(DONE)) return [type.slice(DONE.length), { state: 'succeeded', output }];
  const failure = error ?? { name: 'Error', message: 'the task failed', code: 'TASK_FAILED' };
  return [type.slice(ERROR.length), { state: isFailure(failure.state) ? failure.state : 'failed', error: failure }];
}

const isFailure = (state: string | undefined): state is Exclude<TaskRunEnd, 'succeeded'> =>
  state !== 'succeeded' && isOneOf(taskRunEnds, state);

/**
 * The context without input. XState's pure `transition` first creates an actor with an initial snapshot without input,
 * and drops both. Spawning every first task for that cost 2 ms a step at 200 tasks, so without input nothing starts.
 */
const resting: Ledger = { states: {}, outputs: {}, error: null, open: 1 };

function machineOf(id: string, plan: ListPlan): AnyStateMachine {
  const first = beginList(plan);
  const kit = setup({
    types: {} as { context: JsonObject; events: EndEvent; input: GraphInput | undefined },
    actors: Object.fromEntries(plan.tasks.map(({ label }) => [label, placeholder])),
  });
  const onEnd = kit.enqueueActions(({ context, event, enqueue }) => {
    const { ledger, start } = taskEnded(plan, context as unknown as Ledger, ...endOf(event));
    enqueue.assign({ ...ledger });
    for (const label of start) enqueue.spawnChild(label, { id: label });
  });
  const onBegin = kit.enqueueActions(({ context, enqueue }) => {
    if (context.states === resting.states) return;
    for (const label of first.start) enqueue.spawnChild(label, { id: label });
  });
  return kit.createMachine({
    id,
    context: ({ input }) => (input === undefined ? { ...resting } : { ...first.ledger }),
    initial: 'working',
    states: {
      working: {
        entry: onBegin,
        on: { [`${DONE}*`]: { actions: onEnd }, [`${ERROR}*`]: { actions: onEnd } },
        always: [
          { guard: ({ context }) => context.error !== null, target: 'failed' },
          { guard: ({ context }) => context.open === 0, target: 'done' },
        ],
      },
      done: { type: 'final' },
      failed: { type: 'final', tags: FAILED },
    },
    output: ({ context }) => context.outputs,
  });
}

/** Returns the value of `{{ context }}`: the outputs by label of a list graph, otherwise the machine's own context. */
export function templateContext(graph: Pick<Graph, 'kind'>, context: unknown): unknown {
  return graph.kind === 'list' ? (context as Ledger).outputs : context;
}

/** Returns the labels of a list graph that can no longer run; empty for machines. */
export function skippedLabels(graph: Pick<Graph, 'kind'>, context: unknown): string[] {
  if (graph.kind !== 'list') return [];
  const { states } = context as Ledger;
  const skipped: string[] = [];
  for (const label in states) if (states[label] === 'skipped') skipped.push(label);
  return skipped;
}
