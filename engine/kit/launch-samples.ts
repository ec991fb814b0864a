/** Options with which a graph can start: required options of its tasks, from their schemas, and its own examples. */
import { type GraphExample, graphMeta, type Tasks } from '../define/graph.ts';
import type { Graph, Task } from '../library/types.ts';
import type { JsonObject } from '../vocabulary/json.ts';

interface Schema {
  type?: string;
  enum?: unknown[];
  anyOf?: Schema[];
  allOf?: Schema[];
  default?: unknown;
  minimum?: number;
  maximum?: number;
  pattern?: string;
  minItems?: number;
  items?: Schema;
  required?: string[];
  properties?: Record<string, Schema>;
}

const TEXTS = ['x', '/x', 'http://127.0.0.1:1/', '10.0.0.1', '00:00:00:00:00:01', 'sample-text', '0'.repeat(64)];

/** Returns the smallest value that fits the schema; undefined: none of `TEXTS` matches a pattern of it. */
function sampleOf(schema: Schema): unknown {
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
      return requiredOptions(schema);
    default:
      return TEXTS.find((text) => new RegExp(schema.pattern ?? '').test(text));
  }
}

function requiredOptions({ required: names = [], properties = {}, allOf = [] }: Schema): JsonObject {
  const entries = names
    .map((name) => [name, sampleOf(properties[name] ?? {})] as const)
    .filter(([, value]) => value !== undefined);
  return Object.assign({}, ...allOf.map(requiredOptions), Object.fromEntries(entries)) as JsonObject;
}

/** Returns the options that the task requires and has no defaults for. */
export function requiredOf({ schema, defaults }: Task): JsonObject {
  const all = requiredOptions(schema as Schema);
  return Object.fromEntries(Object.entries(all).filter(([name]) => !(name in defaults)));
}

/** One way to run a graph. */
export interface Sample {
  options: Record<string, JsonObject>;
  /** Possible outputs of tasks, by label. */
  outputs: Record<string, readonly unknown[]>;
}

/** Options that make each task time out before any of its own timers. */
const hasty: Sample = { options: { defaults: { _taskTimeout: 1 } }, outputs: {} };

const examplesOf = ({ machine }: Graph): readonly GraphExample<Tasks>[] => graphMeta(machine)?.examples ?? [{}];

/** Returns one sample for each example of the graph, at least one, and the additional ones. */
export function launchSamples(graph: Graph, more: readonly Sample[] = [hasty]): Sample[] {
  const exampleSamples = examplesOf(graph).map(({ options = {}, outputs = {} }) => ({ options, outputs }) as Sample);
  return [...(exampleSamples.length === 0 ? [{ options: {}, outputs: {} }] : exampleSamples), ...more].map(
    ({ options, outputs }) => ({
      options: { ...options, ...completeOptions(graph, options) },
      outputs: { ...outputs },
    }),
  );
}

/** Returns the options of each label that has some, with those that its task requires and the graph does not give. */
function completeOptions(graph: Graph, given: Sample['options']): Sample['options'] {
  const needed = [...graph.labels.values()].map(({ label, task, overrides }) => {
    const knownValues = { ...overrides, ...graph.options.defaults, ...graph.options[label] };
    const missing = Object.entries(requiredOf(task)).filter(([name]) => !(name in knownValues));
    return [label, { ...Object.fromEntries(missing), ...given[label] }] as const;
  });
  return Object.fromEntries(needed.filter(([, values]) => Object.keys(values).length > 0));
}

/** Returns the outputs that the examples of a graph name for its labels, without repeats. */
export function exampleOutputs(graph: Graph): Map<string, unknown[]> {
  const outputs = new Map<string, unknown[]>();
  const outputKeys = new Set<string>();
  for (const { outputs: named = {} } of examplesOf(graph)) {
    for (const [label, values] of Object.entries(named as Sample['outputs'])) {
      for (const value of values) {
        const key = `${label} ${JSON.stringify(value)}`;
        if (!outputKeys.has(key)) outputs.set(label, [...(outputs.get(label) ?? []), value]);
        outputKeys.add(key);
      }
    }
  }
  return outputs;
}
