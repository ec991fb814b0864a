/**
 * How the calls of a simulation end. A call is an operation that a worker, an agent or another workflow would carry out:
 * an activity, a command, a child graph. Calls of a label end as given for it, in order, and the last one repeats; others
 * succeed. A wait for a notification ends by itself only if an end is given for its label.
 */

import type { Operation } from '../durable/step/row.ts';
import { shownJson } from '../library/options/rejection.ts';
import type { Graph } from '../library/types.ts';
import type { FlatError } from '../vocabulary/errors.ts';
import { isObject, objectIn } from '../vocabulary/json.ts';
import { exampleOutputs } from './launch-samples.ts';
import { misuse, namesText } from './misuse.ts';

/**
 * `ok`: succeeds with the default output. `fail`: fails with TASK_FAILED. `{ output }`: succeeds with it. `{ fail }`: fails
 * with that code; `retry: false`: another attempt cannot help.
 */
export type CallEnd = 'ok' | 'fail' | { output: unknown } | { fail: string; message?: string; retry?: false };

/** By label. */
export type CallEnds = Record<string, CallEnd | readonly CallEnd[]>;

export type DecidedEnd = { output: unknown } | { error: FlatError };

/** By task name: outputs of earlier runs on a node, the newest first. */
export type TaskOutputs = Readonly<Record<string, readonly unknown[]>>;

export class EndsOfCalls {
  readonly #graph: Graph;
  readonly #given = new Map<string, readonly CallEnd[]>();
  readonly #calls = new Map<string, number>();
  readonly #outputs: TaskOutputs;
  readonly #examples: Map<string, unknown[]>;

  constructor(graph: Graph, ends: CallEnds, outputs: TaskOutputs) {
    this.#graph = graph;
    this.#outputs = outputs;
    this.#examples = exampleOutputs(graph);
    for (const [label, end] of Object.entries(ends)) {
      checkLabel(graph, label, 'ends');
      const list = Array.isArray(end) ? (end as readonly CallEnd[]) : [end as CallEnd];
      if (list.length === 0)
        throw misuse(`ends.${label} []`, 'at least one end', 'leave the label out if its calls succeed');
      for (const [at, one] of list.entries()) checkEnd(one, `ends.${label}.${at}`);
      this.#given.set(label, list);
    }
  }

  isGivenFor(label: string): boolean {
    return this.#given.has(label);
  }

  /** Returns the end of the next call of a label. */
  next(label: string, operation: Operation): DecidedEnd {
    const given = this.#given.get(label) ?? ['ok'];
    const count = this.#calls.get(label) ?? 0;
    this.#calls.set(label, count + 1);
    const end = given[Math.min(count, given.length - 1)] as CallEnd;
    if (end === 'fail') return { error: failureWith('TASK_FAILED') };
    if (typeof end === 'object' && 'fail' in end) {
      const { fail, message, retry } = end;
      return { error: { ...failureWith(fail, message), ...(retry === false && { retry }) } };
    }
    return {
      output: end === 'ok' ? this.defaultOutput(label, operation, count) : ofKind(operation, end.output, count),
    };
  }

  /**
   * Returns the output of the task on the recorded node, or else the graph's first example of it, or else `{}`.
   * @param count calls of the label so far
   */
  defaultOutput(label: string, operation: Operation, count = 0): unknown {
    const name = this.#graph.labels.get(label)?.task.name ?? '';
    const [recorded] = Object.hasOwn(this.#outputs, name) ? (this.#outputs[name] ?? []) : [];
    const [example] = this.#examples.get(label) ?? [];
    return ofKind(operation, recorded ?? example ?? {}, count);
  }
}

/** Recordings and examples have the outputs of tasks. The task of a child graph returns its end, one of commands their results. */
export function ofKind({ kind }: Operation, output: unknown, count: number): unknown {
  const { results } = objectIn(output);
  if (kind === 'command' && Array.isArray(results)) return results[count % Math.max(1, results.length)] ?? {};
  if (kind !== 'graph' || (isObject(output) && 'workflowId' in output)) return output;
  return { workflowId: 'child', output };
}

export const failureWith = (code: string, message = 'the call failed'): FlatError => ({ name: 'Error', message, code });

/** @throws NodewrightError INVALID */
export function checkLabel({ name, labels }: Graph, label: string, where: string): void {
  if (labels.has(label)) return;
  throw misuse(`${where} of '${label}'`, `a label of ${name}`, `it has ${namesText(labels.keys())}`);
}

function checkEnd(end: unknown, at: string): void {
  if (end === 'ok' || end === 'fail') return;
  if (isObject(end) && ('output' in end || typeof end.fail === 'string')) return;
  throw misuse(`${at} ${shownJson(end)}`, "'ok', 'fail', { output } or { fail: '<code>' }", 'correct it');
}
