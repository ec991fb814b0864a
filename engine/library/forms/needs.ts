/** Computes what a graph needs from its node before it starts, from its definition and the request's options. Pure. */

import type { ObmService } from '../../define/node.ts';
import { type JsonObject, property } from '../../vocabulary/json.ts';
import { mergeOptions } from '../options/options.ts';
import type { Graph, Label } from '../types.ts';
import { type ListEntry, type ListGraph, waitOnOf } from './list-json.ts';
import { canSucceed } from './machine-checks.ts';

/** A value that is known only when the task run begins. */
export const UNKNOWN = Symbol('unknown');

/** Returns the option's value for the task run, or UNKNOWN. */
export function optionOf(graph: Graph, label: Label, request: JsonObject, name: string): unknown {
  const computed = isComputed(label, name) ? { [name]: UNKNOWN } : {};
  const value = mergeOptions(graph, label.label, request, computed)[name];
  return typeof value === 'string' && value.includes('{{') ? UNKNOWN : (value ?? undefined);
}

/** Whether the graph may compute the option when the task begins: no constant, and none that the task does not have. */
function isComputed({ dynamic, task }: Label, name: string): boolean {
  const option = property(property(task.schema, 'properties'), name);
  if (option === undefined) return dynamic && property(task.schema, 'additionalProperties') !== false;
  return dynamic && property(option, 'const') === undefined;
}

/** Returns the obms that a label needs. */
export function neededBy(graph: Graph, label: Label, request: JsonObject): (ObmService | 'any')[] {
  const option = (name: string) => optionOf(graph, label, request, name);
  return label.task.needs.flatMap(({ obm, named, unless }) => {
    const instead = unless?.map(option) ?? [undefined];
    if (instead.includes(UNKNOWN) || !instead.includes(undefined)) return [];
    const name = named === undefined ? undefined : option(named);
    return [typeof name === 'string' ? (name as ObmService) : obm];
  });
}

/** Returns the labels that have ended whenever this one begins. Known only for list graphs. */
export function before(graph: Graph, label: string): ReadonlySet<string> {
  if (graph.kind !== 'list') return new Set();
  const entries = entriesOf(graph);
  const visitedLabels = new Set([label]);
  for (const one of visitedLabels)
    for (const { on } of waitOnOf(entries.get(one) as ListEntry).all) visitedLabels.add(on);
  visitedLabels.delete(label);
  return visitedLabels;
}

/** Whether the graph must fail if these labels fail. Only `true` is certain. */
export function failsWithout(graph: Graph, labels: ReadonlySet<string>): boolean {
  if (graph.kind === 'machine') return !canSucceed(graph.machine, (src, id) => labels.has(graph.labelOf(src, id)));
  if (labels.size === 0) return false;
  const entries = entriesOf(graph);
  const isHandled = handledLabels(entries);
  const verdicts = new Map<string, boolean>();
  return [...labels].some((label) => !isHandled(label) && isCertain(entries, isHandled, label, verdicts));
}

/** Whether the graph begins one of these labels in every run. Of a machine it is not known, and counts as true. */
export function begins(graph: Graph, labels: ReadonlySet<string>): boolean {
  if (graph.kind === 'machine' || labels.size === 0) return labels.size > 0;
  const entries = entriesOf(graph);
  const isHandled = handledLabels(entries);
  const verdicts = new Map<string, boolean>();
  return [...labels].some((label) => isCertain(entries, isHandled, label, verdicts));
}

const entriesOf = ({ definition }: Graph): ReadonlyMap<string, ListEntry> =>
  new Map((definition as unknown as ListGraph).tasks.map((entry) => [entry.label, entry]));

/** Whether the graph may continue after the label has failed. */
function handledLabels(entries: ReadonlyMap<string, ListEntry>): (label: string) => boolean {
  const waits = [...entries.values()].map(waitOnOf).flatMap(({ all, any }) => [...all, ...any.flat()]);
  const labels = new Set(waits.flatMap(({ on, states }) => (states.includes('failed') ? [on] : [])));
  return (label) => labels.has(label) || entries.get(label)?.ignoreFailure === true;
}

/** Whether the label begins in every run in which no failure ends the graph. */
function isCertain(
  entries: ReadonlyMap<string, ListEntry>,
  isHandled: (label: string) => boolean,
  label: string,
  verdicts: Map<string, boolean>,
): boolean {
  const verdict = verdicts.get(label);
  if (verdict !== undefined) return verdict;
  const { all, any } = waitOnOf(entries.get(label) as ListEntry);
  const certain =
    any.length === 0 &&
    all.every(({ on, states }) => {
      const comes = states.includes('succeeded') && (!isHandled(on) || states.includes('failed'));
      return comes && isCertain(entries, isHandled, on, verdicts);
    });
  verdicts.set(label, certain);
  return certain;
}
