/** Simulates a workflow of a graph: the entry point for tests of graphs. */

import { failsWithout, neededBy } from '../library/forms/needs.ts';
import { checkRequest } from '../library/options/options.ts';
import type { Graph, Label } from '../library/types.ts';
import { NodewrightError } from '../vocabulary/errors.ts';
import type { JsonObject } from '../vocabulary/json.ts';
import type { CallEnds } from './call-ends.ts';
import { type AnyGraph, type CompileOptions, graphFrom } from './compile-graph.ts';
import { launchSamples } from './launch-samples.ts';
import { namesText } from './misuse.ts';
import type { Recording } from './recording.ts';
import { Run, SIMULATED_NODE } from './run.ts';
import { Simulation } from './simulation.ts';

export interface SimulateOptions extends CompileOptions {
  /** A recording of a real node (`recorded(file)`); null: a workflow without a node. Absent: a node without a recording. */
  node?: Recording | null;
  /**
   * The options of the launch, by label. Absent: those of the graph's first example, and a small value for each option that
   * a task requires.
   */
  options?: Record<string, JsonObject>;
  /** How the calls of labels end, in order; the last end repeats. Calls of other labels succeed. */
  ends?: CallEnds;
}

/**
 * Launches a simulated workflow.
 * @throws NodewrightError INVALID_DEFINITION: the daemon would not load the graph. INVALID_OPTIONS, OBM_MISSING: it would not
 * launch it.
 * INVALID: `ends` does not fit the graph
 */
export function simulate(graph: AnyGraph, options: SimulateOptions = {}): Simulation {
  const compiled = graphFrom(graph, options);
  return new Simulation(launchRun(compiled, options), options.ends, options.node?.outputs);
}

/** Launches the workflow, after the checks of a launch that need no daemon. */
export function launchRun(graph: Graph, { node, options }: Pick<SimulateOptions, 'node' | 'options'>): Run {
  const request = options ?? launchSamples(graph, [])[0]?.options ?? {};
  const bindings = bindingsOf(node);
  const nodeId = node === null ? null : SIMULATED_NODE;
  const task = {
    nodeId,
    instanceId: 'task',
    callback: URL,
    callbacks: Object.fromEntries([...graph.labels.keys()].map((label) => [label, URL])),
  };
  checkRequest(graph, request, bindings, (label) => ({ ...task, label }));
  if (node !== undefined && node !== null) checkObms(graph, request, node);
  return new Run(graph, request, nodeId, { bindings });
}

const ORIGIN = 'http://127.0.0.1:9080';
const URL = `${ORIGIN}/api/current/notification?nonce=known-when-the-task-begins`;

/** Values for `{{ }}`, with the SKU of a recorded node. */
const bindingsOf = (node: Recording | null | undefined) => ({
  server: { address: '127.0.0.1', port: 9080 },
  api: { server: ORIGIN, base: `${ORIGIN}/api/current` },
  file: { server: ORIGIN },
  env: {},
  sku: { ...node?.sku },
});

/** A launch is rejected if its graph must fail because the node lacks an obm. Obms that tasks create are not missing. */
function checkObms(graph: Graph, request: JsonObject, { obms, node }: Recording): void {
  const labels = [...graph.labels.values()];
  const all = new Set([...obms, ...labels.flatMap(({ task }) => task.provides.map(({ obm }) => obm))]);
  const lacking = labels.filter((label) =>
    neededBy(graph, label, request).some((needed) => (needed === 'any' ? all.size === 0 : !all.has(needed))),
  );
  if (lacking.length === 0 || !failsWithout(graph, new Set(lacking.map(({ label }) => label)))) return;
  const problem = `found ${node.name} with the obms ${namesText(obms)}`;
  const needed = `${lacking[0]?.label} of ${graph.name} needs ${neededBy(graph, lacking[0] as Label, request).join(', ')}`;
  throw new NodewrightError('OBM_MISSING', `${problem}; expected an obm, because ${needed}; record another node`);
}
