/** The version and the author of a graph's code, for the quarantine of versions that stop the daemon. */
import { packagePath } from '../../vocabulary/package-path.ts';
import type { Graph, Source } from '../types.ts';

/** The origin of running code. */
export interface Provenance {
  /** The hash of the graph. Absent: it comes with nodewright; an input that stops it must not stop all of its workflows. */
  version?: string;
  /** The user who put it, and when, in ms since the epoch. */
  author?: string;
  putAt?: number;
  /** The graph, or one of its tasks, has code that does not come with nodewright. */
  isAuthored?: true;
}

const GRAPH_FOLDER = `${packagePath('graphs')}/`;
const TASK_FOLDER = `${packagePath('tasks')}/`;

const isIncluded = (file: string): boolean => file.startsWith(GRAPH_FOLDER) || file.startsWith(TASK_FOLDER);

/** Whether a definition has code that does not come with nodewright; JSON has none. */
export const isAuthored = ({ source }: { source: Source }): boolean =>
  source.kind === 'pack' || (source.kind === 'file' && !isIncluded(source.file) && !source.file.endsWith('.json'));

/** By the labels of a graph: whether the graph or one of its tasks is authored. */
const authored = new WeakMap<Graph['labels'], boolean>();

function hasAuthoredCode(labels: Graph['labels'], source: Source): boolean {
  const before = authored.get(labels);
  if (before !== undefined) return before;
  const isFound = isAuthored({ source }) || [...labels.values()].some(({ task }) => isAuthored(task));
  authored.set(labels, isFound);
  return isFound;
}

/** @param graph without its labels: its code will not run */
export function provenanceOf({
  hash,
  source,
  labels,
}: Pick<Graph, 'hash' | 'source'> & Partial<Pick<Graph, 'labels'>>): Provenance {
  const code = labels !== undefined && hasAuthoredCode(labels, source) ? { isAuthored: true as const } : {};
  if (source.kind === 'file') return isIncluded(source.file) ? code : { version: hash, ...code };
  return { version: hash, ...(source.put && { author: source.put.by, putAt: Date.parse(source.put.at) }), ...code };
}
