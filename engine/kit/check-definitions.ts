/** Checks of tasks and graphs in JSON against the included ones, without a daemon. */

import { graphOfJson } from '../library/forms/graph-of-json.ts';
import { taskOfJson } from '../library/forms/json-task.ts';
import { graphOfList } from '../library/forms/list-of-tasks.ts';
import { isMachineJson } from '../library/forms/machine-json.ts';
import type { Graph, Task } from '../library/types.ts';
import type { JsonObject } from '../vocabulary/json.ts';
import { includedDefinitions } from './definition-files.ts';
import { errorsOf, type GraphWarning, warningsOf } from './findings.ts';

interface JsonFindings {
  /** Sentences; empty: a PUT would accept it. */
  errors: string[];
  warnings: Pick<GraphWarning, 'code' | 'message'>[];
}

/** ms for each graph. */
const GRAPH_BUDGET_MS = 1_000;
const source = { kind: 'api' } as const;

/** Checks tasks and graphs, tasks before the graphs that use them. */
export interface DefinitionChecks {
  /** Names of the included definitions. */
  own: ReadonlySet<string>;
  check(what: 'task' | 'graph', json: JsonObject): JsonFindings;
}

export async function definitionChecks(): Promise<DefinitionChecks> {
  const { tasks, graphs } = await includedDefinitions();
  const all = new Map<string, Task>(tasks);
  const checkedGraphs = new Map<string, Graph>(graphs);
  const any = (name: string) => all.get(name);
  const code = (name: string) => tasks.get(name);
  const graphOf = (json: JsonObject): Graph =>
    isMachineJson(json) ? graphOfJson(json, any, source) : graphOfList(json, { any, code }, source);
  const warningsFor = (what: 'task' | 'graph', json: JsonObject): JsonFindings['warnings'] => {
    if (what === 'graph') {
      const graph = graphOf(json);
      checkedGraphs.set(graph.name, graph);
      return warningsOf(graph, { budgetMs: GRAPH_BUDGET_MS, graphs: (name) => checkedGraphs.get(name) }).warnings;
    }
    const task = taskOfJson(json, code, source);
    all.set(task.name, task);
    return [];
  };
  return {
    own: new Set([...tasks.keys(), ...graphs.keys()]),
    check(what, json) {
      try {
        return { errors: [], warnings: warningsFor(what, json) };
      } catch (error) {
        return { errors: errorsOf(error).map(({ path, message }) => `${path}: ${message}`), warnings: [] };
      }
    },
  };
}
