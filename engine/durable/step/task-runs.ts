/** Task runs: a graph invoked a label, and gets its task with the current options, or a failure with the reason. */

import { templateContext } from '../../library/forms/list-of-tasks.ts';
import { constantOptions, resolve } from '../../library/options/options.ts';
import { readsOnly } from '../../library/options/reads-only.ts';
import type { Scope } from '../../library/options/templates.ts';
import type { Label } from '../../library/types.ts';
import { type FlatError, flatten } from '../../vocabulary/errors.ts';
import type { JsonObject } from '../../vocabulary/json.ts';
import type { CompletedRun } from '../actors/compensation.ts';
import type { CarriedTask } from '../actors/messages.ts';
import type { TaskRunInput } from '../actors/task-run.ts';
import { begin, entryOf, type StepBuilder, send, taskRunKey } from './builder.ts';
import { leaveVisit, taskScope, visitOf } from './callbacks.ts';
import { inputFor, noteRun, overLimit, parentOf } from './compensations.ts';
import type { Spawn } from './interpret.ts';
import { addPaused, isPaused } from './pausing.ts';
import { setEntry } from './report.ts';

/** Begins the task run that undoes a run. */
export function openCompensation(builder: StepBuilder, id: string, run: CompletedRun): void {
  openTaskRun(builder, { id, src: run.label, input: () => inputFor(builder, run) });
}

/** @param spawn its input may be a function, whose error fails the task run */
export function openTaskRun(builder: StepBuilder, { id, src, input }: Spawn): void {
  const label = builder.graph.labels.get(builder.graph.labelOf(src, id));
  if (label === undefined) {
    throw new Error(
      `${builder.graph.name} invoked ${src}; it has the labels ${[...builder.graph.labels.keys()].join(', ')}`,
    );
  }
  const carried = builder.row.carried?.[label.label];
  if (carried !== undefined) {
    takeOver(builder, label, { id, src, input }, carried);
    return;
  }
  builder.row.counts.taskRuns += 1;
  const taskRun = builder.row.counts.taskRuns;
  const full = overLimit(builder, label);
  const resolved = full === undefined ? optionsOf(builder, label, input) : { error: full };
  const visit = visitOf(builder.row, label.label);
  if ('error' in resolved) {
    leaveVisit(builder.row, { label: label.label, visit });
    reject(builder, label.label, id, resolved.error);
  } else {
    const { options, timeoutMs } = resolved;
    const actor = { invokeId: id, label: label.label, visit, options };
    const given: TaskRunInput = { ...retryOf(label, options), timeoutMs };
    if (isPaused(builder.row)) addPaused(builder, taskRun, actor, given);
    else begin(builder, taskRunKey(taskRun), actor, given);
    builder.touched.add(taskRun);
  }
}

/**
 * A policy of the task says that its author has taken care of repeats; one of the graph says so of `once` tasks only when
 * they change nothing.
 */
function retryOf({ task, retry }: Label, options: JsonObject): Pick<TaskRunInput, 'retry' | 'once'> {
  const isUnsafe = task.recovery === 'once' && !readsOnly(task, (name) => options[name]);
  const isGuarded = retry !== undefined && isUnsafe && task.retry === undefined;
  return { retry: retry ?? task.retry ?? null, ...(isGuarded && { once: true }) };
}

function optionsOf(builder: StepBuilder, label: Label, input: unknown) {
  try {
    const given = typeof input === 'function' ? input() : input;
    const { graph, row } = builder;
    return (
      constantOptions(graph, label.label, row.options, given) ??
      resolve(graph, label.label, row.options, given, scopeOf(builder, label.label))
    );
  } catch (error) {
    return { error: flatten(error, 'INVALID_OPTIONS') };
  }
}

/** The values that `{{ }}` can name in a running workflow. */
function scopeOf({ row, graph, room }: StepBuilder, label: string): Scope {
  const context = templateContext(graph, row.actors.graph?.snapshot.context);
  return { ...row.bindings, room, context, task: taskScope(row, graph, label), byLabel: graph.kind === 'list' };
}

/** Completes a task with the result that it had in the workflow that is retried, without running it. */
function takeOver(builder: StepBuilder, { label }: Label, { id, input }: Spawn, carried: CarriedTask): void {
  const { row } = builder;
  const { output, attempts, startedAt, finishedAt } = carried;
  delete row.carried?.[label];
  setEntry(builder, label, { state: 'succeeded', output, attempts, error: null, waitingOn: null });
  const { index, entry } = entryOf(builder, label);
  if (entry !== undefined) row.tasks[index] = { ...entry, startedAt, finishedAt };
  const resolved = optionsOf(builder, builder.graph.labels.get(label) as Label, input);
  // The retry undoes what it took over, if it fails itself.
  if (!('error' in resolved))
    noteRun(builder, { label, options: resolved.options }, { end: 'succeeded', output, error: null });
  send(builder, parentOf(builder), { type: `xstate.done.actor.${id}`, output, actorId: id });
}

/** Fails the task run before it began. */
function reject(builder: StepBuilder, label: string, id: string, error: FlatError): void {
  setEntry(builder, label, { state: 'failed', error, output: null, waitingOn: null });
  const event = { error: { ...error, state: 'failed' }, actorId: id };
  send(builder, parentOf(builder), { type: `xstate.error.actor.${id}`, ...event });
}
