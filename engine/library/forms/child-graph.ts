/** The graph that a label runs, as far as it is known before the task begins. */
import { withTarget } from '../../define/need.ts';
import { type JsonObject, objectIn } from '../../vocabulary/json.ts';
import type { Graph, Label } from '../types.ts';
import { optionOf } from './needs.ts';

interface ChildGraph {
  name: string;
  options: JsonObject;
  /** undefined: the node of its parent; UNKNOWN: a value of the graph. */
  node: unknown;
}

/** @returns undefined when the label runs no graph */
export function childGraphOf(graph: Graph, label: Label, request: JsonObject): ChildGraph | 'unknown' | undefined {
  const { runs } = label.task;
  if (runs === undefined || runs === 'unknown') return runs;
  const [name, given = {}, on] = [runs.graph, runs.options, runs.node].map((option) =>
    optionOf(graph, label, request, option),
  );
  if (typeof name !== 'string' || typeof given !== 'object') return 'unknown';
  const { options, node } = withTarget(objectIn(given));
  return { name, options, node: on ?? node };
}
