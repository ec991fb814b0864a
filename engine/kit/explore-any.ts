/** `explore` for graphs in any form. */
import { type AnyGraph, type CompileOptions, graphFrom } from './compile-graph.ts';
import { type Exploration, type ExploreOptions, explore } from './explore.ts';

export type { DeadEnd, Exploration, ExploreOptions, GraphEnd, ThrownError } from './explore.ts';

/**
 * Explores all configurations of a graph.
 * @throws NodewrightError INVALID_DEFINITION: the daemon would not load the graph
 */
export const exploreGraph = (graph: AnyGraph, options: ExploreOptions & CompileOptions = {}): Exploration =>
  explore(graphFrom(graph, options), options);
