/**
 * Graphs from machines without the authoring kit, such as those drawn in Stately Studio. Their names, their tasks and
 * their labels are found as follows.
 *
 * 1. Name: the machine's id if it starts with `Graph.`; otherwise `injectableName` in the meta of the machine's root,
 *    or the name by the path of its file (`path-name.ts`).
 * 2. Task of a `src`: that of the table `tasks` beside the machine, or in the meta of its root; otherwise the task with
 *    the name `src`. The logic of the machine's own actors is never run.
 * 3. Label: the id that its author gave the invoke, or its `src` (`invokes.ts`).
 * 4. Actions without a body do nothing (`stubs.ts`).
 */
import type { AnyStateMachine } from 'xstate';
import { placeholder } from '../../define/placeholder.ts';
import { isObject, type JsonObject, objectIn } from '../../vocabulary/json.ts';
import { didYouMean } from '../../vocabulary/nearest.ts';
import { labelOf } from '../options/graph-labels.ts';
import { Rejection, RejectionList, shownJson } from '../options/rejection.ts';
import type { Graph, Label, Source, Task, TaskLookup } from '../types.ts';
import { type Invoke, invokesOf, type LabelledInvoke, labelledOnce, labelsByState } from './invokes.ts';
import { isTaskDefinition, loadedTask } from './loaded-task.ts';
import { configPath } from './machine-nodes.ts';
import { tableBeside } from './module-exports.ts';
import { withoutStubs } from './stubs.ts';

/** The names in the meta of a machine's root. */
const rootMeta = ({ config }: AnyStateMachine): JsonObject => objectIn(config.meta);

export const isGraphName = (name: unknown): name is string => typeof name === 'string' && /^Graph\../.test(name);

/** @param byPath the name by the path of its file @throws Rejection */
export function drawnName(machine: AnyStateMachine, byPath: string | undefined): string {
  const id: unknown = machine.config.id;
  const { injectableName } = rootMeta(machine);
  const name = [id, injectableName, byPath].find(isGraphName);
  if (name !== undefined) return name;
  const expected = "a name that starts with 'Graph.', as the machine's id or as injectableName in its meta";
  throw new Rejection(`id ${shownJson(id)}`, expected, { place: 'id' });
}

/** Returns the name for people. */
export function drawnTitle(machine: AnyStateMachine, name: string): string {
  const { friendlyName } = rootMeta(machine);
  return typeof friendlyName === 'string' ? friendlyName : (machine.config.description ?? name);
}

/** Returns the machine as the engine runs it: XState computes the input of an invoke only if it knows its logic. */
export function runnableMachine(machine: AnyStateMachine): AnyStateMachine {
  const sources = invokesOf(machine).map(({ src }) => src);
  return withoutStubs(machine).provide({ actors: Object.fromEntries(sources.map((src) => [src, placeholder])) });
}

export interface DrawnLabels {
  labels: Map<string, Label>;
  labelOf: Graph['labelOf'];
}

/** @param hash of the file @throws Rejection with all that is wrong */
export function drawnLabels(machine: AnyStateMachine, hash: string, tasks: TaskLookup, source: Source): DrawnLabels {
  const rejections = new RejectionList();
  const invokes = labelledOnce(labelsByState(invokesOf(machine)));
  const table = rejections.try(() => tableOf(machine)) ?? {};
  rejections.try(() => checkTable(table, invokes));
  const labelList = invokes.flatMap((invoke) => {
    const { label, src, input } = invoke;
    const taskOf = () => {
      const entry = Object.hasOwn(table, src) ? table[src] : src;
      return isTaskDefinition(entry) ? loadedTask(entry, hash, source) : taskNamed(entry, invoke, tasks);
    };
    return rejections.try(() => [labelOf(label, taskOf(), input, true)]) ?? [];
  });
  rejections.try(() => checkIds(invokes));
  rejections.throw('a graph');
  const labels = new Map(labelList.map((one) => [one.label, one]));
  const byId = new Map(invokes.map(({ src, id, label }) => [`${src} ${id}`, label]));
  return { labels, labelOf: (src, id) => byId.get(`${src} ${id}`) ?? (labels.has(id) ? id : src) };
}

function taskNamed(name: unknown, { src, node }: Invoke, tasks: TaskLookup): Task {
  const task = typeof name === 'string' ? tasks(name) : undefined;
  if (task !== undefined) return task;
  const where = { place: `${configPath(node)}.invoke` };
  if (name === src) {
    const table = src.startsWith('Task.') ? '' : `, or one for it: export const tasks = { '${src}': 'Task...' }`;
    const expected = `the name of a task in the library${table}${didYouMean(src, tasks.names?.() ?? [])}`;
    throw new Rejection(`task '${src}' in state ${node.id}`, expected, where);
  }
  throw new Rejection(
    `task ${shownJson(name)} for '${src}'`,
    `the name of a task in the library, or a task${didYouMean(String(name), tasks.names?.() ?? [])}`,
    {
      place: `tasks.${src}`,
    },
  );
}

/** Returns the task of each `src` that is in a table. */
function tableOf(machine: AnyStateMachine): JsonObject {
  const tables = [rootMeta(machine).tasks, tableBeside(machine)].filter((table) => table !== undefined);
  const wrong = tables.find((table) => !isObject(table));
  if (wrong !== undefined) {
    throw new Rejection(`tasks ${shownJson(wrong)}`, 'an object with the task of each src', { place: 'tasks' });
  }
  return Object.assign({}, ...tables) as JsonObject;
}

function checkTable(table: JsonObject, invokes: readonly Invoke[]): void {
  const unused = Object.keys(table).find((src) => invokes.every((invoke) => invoke.src !== src));
  if (unused === undefined) return;
  const expected = `one of ${[...new Set(invokes.map(({ src }) => src))].join(', ')}`;
  throw new Rejection(`'${unused}' in tasks, which no state invokes`, expected, {
    place: `tasks.${unused}`,
  });
}

/** Ends of task runs are known by the id of the invoke. */
function checkIds(invokes: readonly LabelledInvoke[]): void {
  const labels = new Map<string, LabelledInvoke>();
  for (const invoke of invokes) {
    const other = labels.get(invoke.id);
    labels.set(invoke.id, invoke);
    if (other === undefined) continue;
    throw new Rejection(`id '${invoke.id}' in states ${other.node.id} and ${invoke.node.id}`, 'one state per id', {
      place: `${configPath(invoke.node)}.invoke`,
    });
  }
}
