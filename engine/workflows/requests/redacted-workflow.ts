/** Workflows as users see them: without secrets. Options are redacted by their schemas, the graph's context by field names. */
import { schemasOf } from '../../durable/runtime/opening.ts';
import { callbackOf } from '../../durable/step/callbacks.ts';
import type { TaskEntry, WorkflowRow } from '../../durable/step/row.ts';
import { earliestDue, leadingWait, waitsOf } from '../../durable/step/waits.ts';
import type { Graph } from '../../library/types.ts';
import { isoOf } from '../../platform/lib/clock.ts';
import { withoutNonces } from '../../vocabulary/callback.ts';
import { redact } from '../../vocabulary/conceal.ts';
import { isActive, isTaskRunEnd } from '../../vocabulary/states.ts';
import { mapTextsAndKeys } from '../../vocabulary/texts.ts';

/** @param graph its version; undefined: it is gone, and names decide what is secret */
export function redactedWorkflow(row: WorkflowRow, graph: Graph | undefined): WorkflowRow {
  const options = redactedOptions(row.options, graph);
  const waits = waitsOf(row);
  const due = new Map(waits.map(({ label, dueAt }) => [label, dueAt]));
  const tasks = row.tasks.map((entry) => ({
    ...shownEntry(row, graph, entry),
    dueAt: isoOf(due.get(entry.label) ?? null),
  }));
  const dueAt = isoOf(earliestDue([...due.values()]));
  const waiting = leadingWait(row, waits);
  return { ...row, options, tasks, actors: withoutSecrets(row.actors), dueAt, waiting };
}

/** By label. @param graph as in `redactedWorkflow` */
export const redactedOptions = (all: WorkflowRow['options'], graph: Graph | undefined): WorkflowRow['options'] =>
  Object.fromEntries(Object.entries(all).map(([label, options]) => [label, redact(schemasOf(graph, label), options)]));

/** Adds the callback of an entry that has not ended, if its task accepts notifications. */
function shownEntry(row: WorkflowRow, graph: Graph | undefined, entry: TaskEntry): TaskEntry {
  const { label, state } = entry;
  const output = mapTextsAndKeys(entry.output, withoutNonces);
  const isOpen = isActive(row.status) && !isTaskRunEnd(state) && state !== 'skipped';
  const takes = isOpen && graph?.labels.get(label)?.task.takesNotifications === true;
  const callback = takes ? callbackOf(row, label) : undefined;
  return { ...entry, output, ...(callback !== undefined && { callback }) };
}

function withoutSecrets(actors: WorkflowRow['actors']): WorkflowRow['actors'] {
  if (actors.graph === undefined) return actors;
  const { snapshot } = actors.graph;
  const context = redact([], snapshot.context) as typeof snapshot.context;
  return { ...actors, graph: { ...actors.graph, snapshot: { ...snapshot, context } } };
}
