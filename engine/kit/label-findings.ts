/** Labels of a graph that its author should look at again, although the graph is valid. */
import type { AnyStateNode } from 'xstate';
import { type OperationKind, operationKind } from '../define/operation.ts';
import { nodesOf } from '../library/forms/machine-nodes.ts';
import { TIMEOUT } from '../library/options/static-checks.ts';
import type { Graph, Label, Task } from '../library/types.ts';

/** Operations that may never end by themselves. */
const waits: readonly (OperationKind | undefined)[] = ['notification', 'command', 'release'];

const hasLimit = (node: AnyStateNode | undefined): boolean =>
  node !== undefined && (node.after.length > 0 || hasLimit(node.parent));

/** Whether a state of the task waits for something from outside, without an `after` around it. */
function waitsForEver({ machine }: Task): boolean {
  const actors = machine.implementations.actors as Record<string, unknown>;
  return nodesOf(machine).some(
    (node) =>
      !hasLimit(node) &&
      node.invoke.some(({ src }) => waits.includes(operationKind(typeof src === 'string' ? actors[src] : src))),
  );
}

/** Whether the graph, the label or the task sets the timeout. A computed input may set it too. */
function hasTimeout({ options }: Graph, { label, task, overrides }: Label): boolean {
  return [task.defaults, overrides, options.defaults, options[label]].some(
    (given) => given !== undefined && TIMEOUT in given,
  );
}

/** Returns the labels that wait up to the default timeout of 24 h: neither a timeout nor an `after` limits them. */
export function labelsWithoutTimeout(graph: Graph): string[] {
  const limited = new Set(
    nodesOf(graph.machine)
      .filter(hasLimit)
      .flatMap(({ invoke }) => invoke.map(({ src, id }) => graph.labelOf(String(src), id))),
  );
  return [...graph.labels.values()]
    .filter((label) => waitsForEver(label.task) && !hasTimeout(graph, label) && !limited.has(label.label))
    .map(({ label }) => label);
}

/** Returns the labels of `once` tasks whose interruption nothing can look into: after a crash they end as TASK_INTERRUPTED. */
export const onceWithoutProbe = ({ labels }: Graph): string[] =>
  [...labels.values()]
    .filter(({ task }) => task.recovery === 'once' && task.probe === undefined)
    .map(({ label }) => label);

/** Returns the labels whose `input` is a function with a template in its text: values that code returns are not rendered. */
export const labelsWithTemplates = ({ machine, labelOf }: Graph): string[] =>
  nodesOf(machine)
    .flatMap(({ invoke }) => invoke)
    .filter(({ input }) => typeof input === 'function' && /['"`][^'"`]*\{\{/.test(String(input)))
    .map(({ src, id }) => labelOf(String(src), id));
