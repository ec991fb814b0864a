/**
 * The tree of graphs that a launch would run on its node: a graph, with the graphs that its tasks run, as far as their names and
 * options are known.
 */

import { withTarget } from '../../define/need.ts';
import { optionOf, UNKNOWN } from '../../library/forms/needs.ts';
import type { Graph, Label } from '../../library/types.ts';
import { type JsonObject, objectIn } from '../../vocabulary/json.ts';
import type { NodeGraphs } from './node-graphs.ts';

/** A graph with the graphs that its tasks run on the same node. */
export interface LaunchTree {
  graph: Graph;
  request: JsonObject;
  /** By label; null: the graph is not known. */
  children: ReadonlyMap<string, LaunchTree | null>;
}

export const mayChangePower = (tree: LaunchTree | null): boolean =>
  tree === null ||
  labelsOf(tree).some(({ task }) => (task.power ?? null) !== null) ||
  [...tree.children.values()].some(mayChangePower);

/** Returns the graph and those below it, as far as they are known. */
export const graphsIn = ({ graph, children }: LaunchTree): Graph[] => [
  graph,
  ...[...children.values()].flatMap((child) => (child === null ? [] : graphsIn(child))),
];

const GRAPHS = 100;

export const labelsOf = ({ graph }: Pick<LaunchTree, 'graph'>): Label[] => [...graph.labels.values()];

/** Reads up to `GRAPHS` graphs below the first. */
export class LaunchTrees {
  readonly #node: string | null;
  readonly #graphs: NodeGraphs;
  #left = GRAPHS;

  constructor(node: string | null, graphs: NodeGraphs) {
    this.#node = node;
    this.#graphs = graphs;
  }

  async of(graph: Graph, request: JsonObject): Promise<LaunchTree> {
    const children = new Map<string, LaunchTree | null>();
    for (const label of graph.labels.values()) {
      const child = await this.#child(graph, label, request);
      if (child !== undefined) children.set(label.label, child);
    }
    return { graph, request, children };
  }

  /** @returns undefined when the label runs no graph on this node */
  async #child(graph: Graph, label: Label, request: JsonObject): Promise<LaunchTree | null | undefined> {
    const { runs } = label.task;
    if (runs === undefined) return undefined;
    if (runs === 'unknown') return null;
    const [name, given = {}, on] = [runs.graph, runs.options, runs.node].map((option) =>
      optionOf(graph, label, request, option),
    );
    const { options, node = this.#node } = withTarget(objectIn(given));
    const place = on ?? node;
    if (typeof name !== 'string' || typeof given !== 'object' || place === UNKNOWN) return null;
    if (place !== this.#node) return typeof place === 'string' && place.includes('{{') ? null : undefined;
    this.#left -= 1;
    const child = this.#left < 0 ? undefined : await this.#graphs.graph(name, this.#node);
    return child === undefined ? null : this.of(child, options);
  }
}
