/** Options with which a graph can start: required options of its tasks, from their schemas, and its own examples. */
import { type GraphExample, graphMeta, type Tasks } from '../../engine/define/graph.ts';
import type { JsonObject } from '../../engine/define/json.ts';
import type { Graph, Task } from '../../engine/library/types.ts';

interface Schema {
  type?: string;
  enum?: unknown[];
  anyOf?: Schema[];
  default?: unknown;
  minimum?: number;
  maximum?: number;
  pattern?: string;
  minItems?: number;
  items?: Schema;
  required?: string[];
  properties?: Record<string, Schema>;
}

const TEXTS = ['x', '/x', 'http://127.0.0.1:1/', '10.0.0.1', '00:00:00:00:00:01'];

/** Returns the smallest value that fits the schema. @throws Error for a pattern that no text of `TEXTS` matches */
export function sampleOf(schema: Schema): unknown {
  if (schema.default !== undefined) return schema.default;
  if (schema.enum !== undefined) return schema.enum[0];
  if (schema.anyOf !== undefined) return sampleOf(schema.anyOf[0] as Schema);
  switch (schema.type) {
    case 'integer':
    case 'number':
      return Math.min(Math.max(schema.minimum ?? 0, 1_000), schema.maximum ?? 1_000);
    case 'boolean':
      return true;
    case 'array':
      return Array.from({ length: schema.minItems ?? 0 }, () => sampleOf(schema.items ?? {}));
    case 'object':
      return required(schema);
    default:
      return textFor(schema.pattern);
  }
}

const required = ({ required: names = [], properties = {} }: Schema): JsonObject =>
  Object.fromEntries(names.map((name) => [name, sampleOf(properties[name] ?? {})]));

function textFor(pattern = ''): string {
  const found = TEXTS.find((text) => new RegExp(pattern).test(text));
  if (found === undefined) throw new Error(`no sample fits ${pattern}; add one to TEXTS`);
  return found;
}

/** Returns the options that the task requires and has no defaults for. */
export function requiredOf({ schema, defaults }: Task): JsonObject {
  const all = required(schema as Schema);
  return Object.fromEntries(Object.entries(all).filter(([name]) => !(name in defaults)));
}

export interface Sample {
  options: Record<string, JsonObject>;
  /** Possible outputs of tasks, by label. */
  outputs: Record<string, readonly unknown[]>;
}

/** Options that make each task time out before any of its own timers. */
const hasty: GraphExample<Tasks> = { options: { defaults: { _taskTimeout: 1 } } };

/** Returns one sample for each example of the graph, at least one, and one in which tasks may time out. */
export function samplesOf(graph: Graph): Sample[] {
  const examples: readonly GraphExample<Tasks>[] = graphMeta(graph.machine)?.examples ?? [{}];
  return [...examples, hasty].map(({ options = {}, outputs = {} }) => {
    const given = options as Record<string, JsonObject>;
    const needed = [...graph.labels.values()].map(({ label, task, overrides }) => {
      const known = { ...overrides, ...graph.options.defaults, ...graph.options[label] };
      const missing = Object.entries(requiredOf(task)).filter(([name]) => !(name in known));
      return [label, { ...Object.fromEntries(missing), ...given[label] }] as const;
    });
    const filled = needed.filter(([, values]) => Object.keys(values).length > 0);
    return { options: { ...given, ...Object.fromEntries(filled) }, outputs: { ...outputs } as Sample['outputs'] };
  });
}
