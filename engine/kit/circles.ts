/** Graphs that run themselves, directly or by other graphs, as far as the definitions say which graphs they run. */
import { childGraphOf } from '../library/forms/child-graph.ts';
import { failsWithout } from '../library/forms/needs.ts';
import type { Graph } from '../library/types.ts';
import type { JsonObject } from '../vocabulary/json.ts';
import { launchSamples } from './launch-samples.ts';

/** Finds a graph that a graph names. */
export type GraphLookup = (name: string) => Graph | undefined;

export interface Circle {
  /** As `Graph.A (again) -> Graph.B (back) -> Graph.A`, with the labels. */
  text: string;
  /** Each graph of the circle fails without its child, so none of them can succeed. */
  isEndless: boolean;
}

/** Graphs below the first that are read. */
const MOST_CHILDREN = 100;

/** A graph on the way to a child, and the label that runs the child. */
interface Step {
  key: string;
  name: string;
  label: string;
  isNeeded: boolean;
}

/** Returns a circle through the graph: an endless one if each example leads to one, otherwise any. */
export function circleOf(graph: Graph, graphs: GraphLookup): Circle | undefined {
  const lookup: GraphLookup = (name) => (name === graph.name ? graph : graphs(name));
  const byExample = launchSamples(graph, []).map(({ options }) => circlesFrom(graph, options, lookup));
  const isEndless = byExample.every((circles) => circles.some((one) => one.isEndless));
  const circle = byExample.flat().find((one) => one.isEndless || !isEndless);
  return circle && { ...circle, isEndless };
}

function circlesFrom(root: Graph, options: JsonObject, graphs: GraphLookup): Circle[] {
  const circles: Circle[] = [];
  let graphsLeft = MOST_CHILDREN;
  const visit = (graph: Graph, request: JsonObject, path: readonly Step[]) => {
    const key = JSON.stringify([graph.name, request]);
    const from = path.findIndex((step) => step.key === key);
    if (from !== -1) {
      const round = path.slice(from);
      if (round.some(({ name }) => name === root.name)) circles.push(circleAlong(round, path, graph.name));
      return;
    }
    for (const label of graph.labels.values()) {
      const child = childGraphOf(graph, label, request);
      const next = typeof child === 'object' ? graphs(child.name) : undefined;
      if (typeof child !== 'object' || next === undefined || graphsLeft <= 0) continue;
      graphsLeft -= 1;
      const isNeeded = failsWithout(graph, new Set([label.label]));
      visit(next, child.options, [...path, { key, name: graph.name, label: label.label, isNeeded }]);
    }
  };
  visit(root, options, []);
  return circles;
}

const circleAlong = (round: readonly Step[], path: readonly Step[], last: string): Circle => ({
  text: [...round.map(({ name, label }) => `${name} (${label})`), last].join(' -> '),
  isEndless: path.every(({ isNeeded }) => isNeeded),
});
