/** The version and the author of a graph's code, for the quarantine of versions that stop the daemon. */
import { packagePath } from '../../vocabulary/package-path.ts';
import type { Graph } from '../types.ts';

/** The origin of running code. */
export interface Provenance {
  /** The hash of the graph. Absent: it comes with nodewright; an input that stops it must not stop all of its workflows. */
  version?: string;
  /** The user who put it, and when, in ms since the epoch. */
  author?: string;
  putAt?: number;
}

const INCLUDED = `${packagePath('graphs')}/`;

export function provenanceOf({ hash, source }: Pick<Graph, 'hash' | 'source'>): Provenance {
  if (source.kind === 'file') return source.file.startsWith(INCLUDED) ? {} : { version: hash };
  return { version: hash, ...(source.put && { author: source.put.by, putAt: Date.parse(source.put.at) }) };
}
