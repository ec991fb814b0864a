/** The annotations of a server: those by which a person asks for a graph, and those that `nw kubernetes` writes. */
import { isObject } from '../../../engine/vocabulary/json.ts';
import type { TaskOptions } from '../../client/launch-options.ts';
import { printableText } from '../terminal.ts';

/** Written by people. */
export const REQUEST = {
  graph: 'nodewright/graph',
  options: 'nodewright/options',
  inUse: 'nodewright/in-use',
  data: 'nodewright/data',
} as const;

/** Written by `nw kubernetes`. */
export const PROGRESS = {
  /** Names the request: all workflows that it launches have it in their domain. */
  run: 'nodewright/run',
  node: 'nodewright/node',
  /** The one that has parked the server: `nodewright`, or `another`, which then also returns it. */
  parkedBy: 'nodewright/parked-by',
  workflow: 'nodewright/workflow',
  state: 'nodewright/state',
  message: 'nodewright/message',
  finishedAt: 'nodewright/finished-at',
  link: 'nodewright/link',
} as const;

/** The value of `nodewright/in-use` by which a person says that the user of the server is interrupted. */
export const INTERRUPT = 'interrupt';
/** The value of `nodewright/data` by which a person says that a graph may destroy data. */
export const DESTROY = 'destroy';

export type Annotations = Readonly<Record<string, string>>;
/** Null removes it. */
export type AnnotationChanges = Record<string, string | null>;

export interface GraphRequest {
  graph: string;
  options: TaskOptions;
  /** Whether a server that is in use is taken, too. */
  interrupts: boolean;
  /** Whether a destructive graph runs, too. */
  destroys: boolean;
}

const words = [
  [REQUEST.inUse, INTERRUPT],
  [REQUEST.data, DESTROY],
] as const;

const LONGEST_NAME = 500;
const LONGEST_MESSAGE = 1_000;

/** @returns a sentence if the annotations are no request that can be sent */
export function requestIn(annotations: Annotations): GraphRequest | string {
  const graph = annotations[REQUEST.graph]?.trim() ?? '';
  if (graph === '' || graph.length > LONGEST_NAME)
    return `found ${graph.length} characters in ${REQUEST.graph}; expected the name of a graph`;
  for (const [name, word] of words) {
    const text = annotations[name];
    if (text !== undefined && text !== word)
      return `found ${JSON.stringify(text.slice(0, 40))} in ${name}; expected ${word}, or no such annotation`;
  }
  const options = optionsIn(annotations[REQUEST.options]);
  if (options === undefined)
    return `${REQUEST.options} is no JSON object of objects; expected one such as {"defaults":{"key":"value"}}`;
  return { graph, options, interrupts: REQUEST.inUse in annotations, destroys: REQUEST.data in annotations };
}

function optionsIn(text = '{}'): TaskOptions | undefined {
  try {
    const value: unknown = JSON.parse(text);
    return isObject(value) && Object.values(value).every(isObject) ? (value as TaskOptions) : undefined;
  } catch {
    return undefined;
  }
}

/** One line for an annotation or a table. */
export const annotationText = (text: string): string =>
  printableText(text.replaceAll('\n', '; ')).trim().slice(0, LONGEST_MESSAGE);
