/**
 * The tree of graphs that a launch would run on its node: a graph, with the graphs that its tasks run, as far as their names and
 * options are known.
 */

import { childGraphOf } from '../../library/forms/child-graph.ts';
import { UNKNOWN } from '../../library/forms/needs.ts';
import type { Graph, Label } from '../../library/types.ts';
import type { JsonObject } from '../../vocabulary/json.ts';
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
    const given = childGraphOf(graph, label, request);
    if (typeof given !== 'object') return given === undefined ? undefined : null;
    const { name, options, node: place = this.#node } = given;
    if (place === UNKNOWN) return null;
    if (place !== this.#node) return typeof place === 'string' && place.includes('{{') ? null : undefined;
    this.#left -= 1;
    const child = this.#left < 0 ? undefined : await this.#graphs.graph(name, this.#node);
    return child === undefined ? null : this.of(child, options);
  }
}
