/** Graphs in any form that an author has, compiled as the daemon compiles them. */
import type { TaskDefinition } from '../define/task.ts';
import { graphOfJson } from '../library/forms/graph-of-json.ts';
import { graphOfList } from '../library/forms/list-of-tasks.ts';
import { isMachine, loadedTask } from '../library/forms/loaded-task.ts';
import { graphOf } from '../library/forms/machine.ts';
import { isMachineJson } from '../library/forms/machine-json.ts';
import { definitionIn } from '../library/forms/module-exports.ts';
import { Rejection } from '../library/options/rejection.ts';
import type { Graph, Task, TaskLookup } from '../library/types.ts';
import { misuse, namesText } from './misuse.ts';

/**
 * A graph: the default export of its file (made by `defineGraph` or by XState), or the module itself; the JSON of a list
 * of tasks or of a machine; the name of an included graph; a graph that is compiled.
 */
export type AnyGraph = Graph | object | string;

export interface CompileOptions {
  /** Own tasks that the graph names: the default exports of their files, or compiled tasks. */
  tasks?: readonly (TaskDefinition | Task)[];
}

/** The included definitions, after `includedDefinitions()` has loaded them. */
export interface Definitions {
  graphs: ReadonlyMap<string, Graph>;
  tasks: ReadonlyMap<string, Task>;
}

let knownDefinitions: Definitions = { graphs: new Map(), tasks: new Map() };

export function setIncluded(definitions: Definitions): void {
  knownDefinitions = definitions;
}

const source = { kind: 'api' } as const;

/** A machine that is compiled again would be stepped by new tables. */
const compiled = new WeakMap<object, Graph>();

/** @throws NodewrightError INVALID_DEFINITION, with what the daemon would say; INVALID if it is no graph */
export function graphFrom(given: AnyGraph, { tasks = [] }: CompileOptions = {}): Graph {
  if (typeof given === 'string') return namedGraph(given);
  if (isCompiled(given)) return given;
  const isModule = !isMachine(given) && Object.values(given).some(isMachine);
  if (isModule) return graphFrom(definitionIn(given as Record<string, unknown>) as object, { tasks });
  const compiledGraph = compiled.get(given);
  if (compiledGraph !== undefined && tasks.length === 0) return compiledGraph;
  const lookup = lookupOf(tasks);
  const graph = withExplanation(() => compile(given, lookup));
  if (tasks.length === 0) compiled.set(given, graph);
  return graph;
}

const isCompiled = (given: object): given is Graph =>
  'labels' in given && given.labels instanceof Map && 'machine' in given;

function compile(given: object, any: TaskLookup): Graph {
  if (isMachine(given)) return graphOf(given, 'simulated', any, source, 'Graph.Simulated');
  return isMachineJson(given) ? graphOfJson(given, any, source) : graphOfList(given, { any, code: any }, source);
}

function namedGraph(name: string): Graph {
  const graph = knownDefinitions.graphs.get(name);
  if (graph !== undefined) return graph;
  if (knownDefinitions.graphs.size === 0)
    throw misuse(`'${name}'`, 'a graph', 'included graphs are known after `await includedDefinitions()`');
  throw misuse(`'${name}'`, 'the name of an included graph', `there are ${namesText(knownDefinitions.graphs.keys())}`);
}

function lookupOf(tasks: readonly (TaskDefinition | Task)[]): TaskLookup {
  const ownTasks = new Map(
    tasks.map((given) => {
      const task = 'kind' in given ? loadedTask(given, 'own', source) : given;
      return [task.name, task] as const;
    }),
  );
  return (name) => ownTasks.get(name) ?? knownDefinitions.tasks.get(name);
}

function withExplanation(make: () => Graph): Graph {
  try {
    return make();
  } catch (error) {
    if (!(error instanceof Rejection) || knownDefinitions.tasks.size > 0 || !error.message.includes('the library'))
      throw error;
    const { found, expected, violations } = error;
    const advice = 'included tasks are known after `await includedDefinitions()`, own ones by { tasks: [...] }';
    throw new Rejection(found, `${expected}; ${advice}`, violations === undefined ? {} : { violations });
  }
}
