/** Task runs: a graph invoked a label, and gets its task with the current options, or a failure with the reason. */
import { type FlatError, flatten } from '../define/errors.ts';
import { templateContext } from '../library/list-of-tasks.ts';
import { resolve } from '../library/options.ts';
import type { Label } from '../library/types.ts';
import { leaveVisit, taskScope, visitOf } from './callbacks.ts';
import { begin, type Draft, taskRunKey, tell } from './draft.ts';
import type { Spawn } from './interpret.ts';
import { setEntry } from './report.ts';

export function openTaskRun(draft: Draft, { id, src, input }: Spawn): void {
  const label = draft.graph.labels.get(draft.graph.labelOf(src, id));
  if (label === undefined) {
    throw new Error(
      `${draft.graph.name} invoked ${src}; it has the labels ${[...draft.graph.labels.keys()].join(', ')}`,
    );
  }
  draft.row.counts.taskRuns += 1;
  const taskRun = draft.row.counts.taskRuns;
  const resolved = optionsOf(draft, label, input);
  const visit = visitOf(draft.row, label.label);
  if ('error' in resolved) {
    leaveVisit(draft.row, { label: label.label, visit });
    refuse(draft, label.label, id, resolved.error);
  } else {
    const { options, timeoutMs } = resolved;
    const actor = { invokeId: id, label: label.label, visit, options };
    begin(draft, taskRunKey(taskRun), actor, { retry: label.task.retry ?? null, timeoutMs });
    draft.touched.add(taskRun);
  }
}

function optionsOf(draft: Draft, label: Label, input: unknown) {
  try {
    return resolve(draft.graph, label.label, draft.row.options, input, scopeOf(draft, label.label));
  } catch (error) {
    return { error: flatten(error, 'INVALID_OPTIONS') };
  }
}

/** The values that `{{ }}` can name in a running workflow. */
function scopeOf(draft: Draft, label: string): Record<string, unknown> {
  const { row, graph } = draft;
  const context = templateContext(graph, row.actors.graph?.snapshot.context);
  return { ...row.bindings, context, task: taskScope(row, graph, label) };
}

/** Fails the task run before it began. */
function refuse(draft: Draft, label: string, id: string, error: FlatError): void {
  setEntry(draft, label, { state: 'failed', error, output: null, waitingOn: null });
  const event = { error: { ...error, state: 'failed' }, actorId: id };
  tell(draft, 'graph', { type: `xstate.error.actor.${id}`, ...event });
}
