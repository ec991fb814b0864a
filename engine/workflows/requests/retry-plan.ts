/**
 * Decides for a retry which tasks count as done, and which `once` tasks would run again although they may have taken effect.
 *
 * 1. A task counts as done if it succeeded before `from` began; of `failed`, every task that succeeded. One that a
 *    compensation has undone, or was to undo, does not count.
 * 2. A `once` task that began is unsafe, whatever its end, unless it reported that nothing was done, or its definition says that a
 *    run with its options changes nothing.
 */
import type { CarriedTask } from '../../durable/actors/messages.ts';
import type { TaskEntry, WorkflowRow } from '../../durable/step/row.ts';
import { optionOf } from '../../library/forms/needs.ts';
import { readsOnly } from '../../library/options/reads-only.ts';
import type { Graph, Label } from '../../library/types.ts';
import { invalidInput, NodewrightError } from '../../vocabulary/errors.ts';
import type { JsonObject } from '../../vocabulary/json.ts';

/** `failed`, `start`, or a label. */
export type RetryFrom = string;

/** @throws NodewrightError INVALID for an unknown label, CONFLICT if there is nothing to retry from there */
export function carriedFrom(row: WorkflowRow, from: RetryFrom): Record<string, CarriedTask> {
  if (from === 'start') return {};
  const begun = from === 'failed' ? null : beginOf(row, from);
  if (from === 'failed' && row.status === 'succeeded')
    throw new NodewrightError('CONFLICT', `the workflow ${row.id} succeeded; retry it from a label or the start`);
  const undone = new Set(row.tasks.flatMap(({ compensates, startedAt }) => (startedAt === null ? [] : [compensates])));
  const done = row.tasks.filter(
    (entry) =>
      entry.state === 'succeeded' &&
      entry.compensates === undefined &&
      entry.label !== from &&
      !undone.has(entry.label) &&
      (begun === null || (entry.finishedAt ?? '') <= begun),
  );
  return Object.fromEntries(
    done.map(({ label, output, attempts, startedAt, finishedAt }) => [
      label,
      { output, attempts, startedAt, finishedAt },
    ]),
  );
}

function beginOf({ id, tasks }: WorkflowRow, from: string): string {
  const labels = tasks.filter(({ compensates }) => compensates === undefined);
  const entry = labels.find(({ label }) => label === from);
  if (entry === undefined) {
    const expected = ['failed', 'start', ...labels.map(({ label }) => label)].join(', ');
    throw invalidInput('from', `is ${JSON.stringify(from.slice(0, 100))}; expected one of ${expected}`);
  }
  if (entry.startedAt === null)
    throw new NodewrightError('CONFLICT', `${from} is ${entry.state} and did not begin in the workflow ${id}`);
  return entry.startedAt;
}

/** Returns the labels of `once` tasks that began and would run again. @param graph the version that they ran on */
export const unsafeLabels = (
  { tasks, options }: WorkflowRow,
  graph: Graph,
  carried: Readonly<Record<string, CarriedTask>>,
): string[] =>
  tasks
    .filter((entry) => !Object.hasOwn(carried, entry.label) && mayHaveActed(entry))
    .flatMap(({ label }) => graph.labels.get(label) ?? [])
    .filter((label) => label.task.recovery === 'once' && !onlyRead(graph, label, options))
    .map(({ label }) => label);

/** Whether the run of a label changed nothing. A value that a template or the graph computed is not known here. */
const onlyRead = (graph: Graph, label: Label, request: JsonObject): boolean =>
  readsOnly(label.task, (name) => optionOf(graph, label, request, name));

const mayHaveActed = ({ startedAt, error, compensates }: TaskEntry): boolean =>
  compensates === undefined && startedAt !== null && error?.nothingDone !== true;
