/**
 * How parents handle their children, per kind of machine: the workflow has the graph, and later perhaps the compensation;
 * both have task runs, a task run has its task's machine, and that has operations.
 *
 * 1. A task run that its graph stops is cancelled, not removed: it ends when its operations have ended.
 * 2. The end of a task run that its graph has left is not reported to the graph.
 */
import type { AnyStateMachine } from 'xstate';
import { FAILED } from '../../define/graph.ts';
import { type FlatError, flatten } from '../../vocabulary/errors.ts';
import { property } from '../../vocabulary/json.ts';
import { type CompletedRun, compensationMachine } from '../actors/compensation.ts';
import { type TaskRunFacts, type TaskRunResult, taskRunMachine } from '../actors/task-run.ts';
import { type WorkflowResult, workflowMachine } from '../actors/workflow.ts';
import {
  type ActorEvent,
  actorOf,
  begin,
  drop,
  isTaskRun,
  type StepBuilder,
  send,
  taskKey,
  taskRunKey,
  taskRunKeys,
  taskRunNumber,
  timeoutAt,
} from './builder.ts';
import { leaveVisit } from './callbacks.ts';
import { noteRun, parentOf, runsToUndo } from './compensations.ts';
import type { ActorKind, Child } from './interpret.ts';
import { savedStep } from './json-context.ts';
import type { Ending } from './logic.ts';
import { openOperation, stopOperation, takesTime } from './operations.ts';
import { isPaused } from './pausing.ts';
import { finishTaskRun, finishWorkflow, note } from './report.ts';
import type { ActorSnapshot } from './row.ts';
import { hasCarriedOut, unsettledCommands } from './sent.ts';
import { openCompensation, openTaskRun } from './task-runs.ts';

const graphChild: Child = { invokeId: 'graph', key: 'graph' };

const workflow: ActorKind = {
  machine: () => workflowMachine,
  dress: (builder, _key, event) => ({
    isQuiet: builder.actors.areUnowned,
    toCompensate: runsToUndo(builder.row).length,
    ...event,
  }),
  children: ({ row }) => ('graph' in row.actors && !row.actors.graph?.ended ? [graphChild] : []),
  spawn(builder, _key, child) {
    const { id, node, options, status } = builder.row;
    if (child.id === 'graph') {
      begin(builder, 'graph', { invokeId: 'graph' }, { workflowId: id, nodeId: node, options });
    } else {
      note(builder, 'workflow.compensating', status, status);
      begin(builder, 'compensation', { invokeId: 'compensation' }, { completed: runsToUndo(builder.row) });
    }
  },
  stop(builder) {
    stopGraph(builder);
  },
  onEnd(builder, _key, _actor, ending) {
    finishWorkflow(builder, 'error' in ending ? brokenResult(ending.error) : (ending.output as WorkflowResult));
  },
};

const brokenResult = (error: unknown): WorkflowResult => ({
  outcome: 'failed',
  output: null,
  error: flatten(error, 'GRAPH_FAILED'),
});

/** Stops the graph. Its last context stays in the row, for the record. */
function stopGraph(builder: StepBuilder): void {
  const actor = builder.row.actors.graph;
  if (actor !== undefined) builder.actors.set('graph', { ...actor, ended: true });
  builder.timers.deleteOf('graph');
  for (const key of taskRunKeys(builder)) cancelTaskRun(builder, key);
}

function cancelTaskRun(builder: StepBuilder, key: string): void {
  const actor = actorOf(builder, key);
  leaveVisit(builder.row, actor);
  builder.actors.set(key, { ...actor, detached: true });
  send(builder, key, { type: 'cancel' });
}

const graph: ActorKind = {
  machine: (builder) => builder.graph.machine,
  savedForm({ graph: { kind }, env: { stray } }, step, before) {
    if (stray !== undefined) throw stray;
    return kind === 'machine' ? savedStep(step, before) : step;
  },
  children: ({ row }) => {
    const children: Child[] = [];
    for (const key in row.actors) {
      const { invokeId, detached } = row.actors[key] as ActorSnapshot;
      if (isTaskRun(key) && !detached && invokeId !== undefined) children.push({ invokeId, key });
    }
    return children;
  },
  spawn(builder, _key, child) {
    openTaskRun(builder, child);
  },
  stop(builder, { key }) {
    cancelTaskRun(builder, key);
  },
  onEnd(builder, _key, actor, ending) {
    builder.actors.set('graph', { ...actor, ended: true });
    send(builder, 'workflow', graphEnd(actor, ending));
  },
};

/** Its children are task runs, like those of the graph, which has none any more. */
const compensation: ActorKind = {
  machine: () => compensationMachine,
  children: graph.children,
  stop: graph.stop,
  spawn(builder, _key, { id, input }) {
    openCompensation(builder, id, input as CompletedRun);
  },
  onEnd(builder, _key, _actor, ending) {
    const event =
      'error' in ending
        ? { type: 'xstate.error.actor.compensation', error: flatten(ending.error) }
        : { type: 'xstate.done.actor.compensation', output: ending.output };
    send(builder, 'workflow', event);
  },
};

function graphEnd(actor: ActorSnapshot, ending: Ending) {
  if ('error' in ending) return { type: 'xstate.error.actor.graph', error: flatten(ending.error, 'GRAPH_FAILED') };
  const failed = ending.tags.has(FAILED) ? failureOf(actor, ending.value) : null;
  return { type: 'xstate.done.actor.graph', output: ending.output ?? null, failed };
}

/** A graph that ends in a failed state may put the reason in `error` of its context. */
function failureOf(actor: ActorSnapshot, value: unknown): FlatError {
  const error = property(actor.snapshot.context, 'error');
  return flatten(error ?? { message: `the graph ended in its state ${JSON.stringify(value)}` }, 'GRAPH_FAILED');
}

const taskRun: ActorKind = {
  machine: () => taskRunMachine,
  dress(builder, key, event) {
    let [open, children] = [0, 0];
    for (const operation of builder.operations.of(taskRunNumber(key))) {
      if (takesTime(operation)) open += 1;
      if (operation.kind === 'graph') children += 1;
    }
    return {
      open,
      children,
      paused: isPaused(builder.row),
      carriedOut: hasCarriedOut(builder.row.actors[key]),
      now: builder.env.now,
      endsAt: timeoutAt(builder.timers.of(key)),
      unsettled: unsettledCommands(builder.row.actors[key]),
      ...event,
    } satisfies TaskRunFacts & ActorEvent;
  },
  children({ row }, key) {
    const task = taskKey(taskRunNumber(key));
    return task in row.actors ? [{ invokeId: 'task', key: task }] : [];
  },
  spawn(builder, key) {
    const { options, label } = actorOf(builder, key);
    const { id, node } = builder.row;
    const actor = label === undefined ? { invokeId: 'task' } : { invokeId: 'task', label };
    begin(builder, taskKey(taskRunNumber(key)), actor, { options, nodeId: node, workflowId: id });
  },
  stop(builder, { key }) {
    for (const child of tasks.children(builder, key)) tasks.stop(builder, child);
    drop(builder, key);
  },
  onEnd(builder, key, actor, ending) {
    builder.operations.deleteOf(taskRunNumber(key));
    leaveVisit(builder.row, actor);
    const result = 'error' in ending ? brokenTaskRun(ending.error) : (ending.output as TaskRunResult);
    finishTaskRun(builder, actor, result);
    noteRun(builder, actor, result);
    if (!actor.detached) send(builder, parentOf(builder), taskRunEnd(actor.invokeId as string, result));
    if (builder.actors.areUnowned) send(builder, 'workflow', { type: 'quiet' });
  },
};

const brokenTaskRun = (error: unknown): TaskRunResult => ({ end: 'failed', output: null, error: flatten(error) });

const taskRunEnd = (id: string, { end, output, error }: TaskRunResult) =>
  end === 'succeeded'
    ? { type: `xstate.done.actor.${id}`, output, actorId: id }
    : { type: `xstate.error.actor.${id}`, error: { ...error, state: end }, actorId: id };

const tasks: ActorKind = {
  machine: (builder, key, actor) => taskOf(builder, key, actor).machine,
  savedForm: (_builder, step, before) => savedStep(step, before),
  children: (builder, key) =>
    builder.operations
      .of(taskRunNumber(key))
      .filter((operation) => !operation.aborting)
      .map(({ id, invokeId }) => ({ invokeId, key: id })),
  spawn(builder, key, child) {
    const { machine } = taskOf(builder, key, actorOf(builder, key));
    openOperation(builder, key, logicOf(machine, child.src), child);
  },
  stop(builder, { key }) {
    const operation = builder.row.operations[key];
    if (operation !== undefined) stopOperation(builder, operation);
  },
  onEnd(builder, key, _actor, ending) {
    const event =
      'error' in ending
        ? { type: 'xstate.error.actor.task', error: flatten(ending.error) }
        : { type: 'xstate.done.actor.task', output: ending.output ?? null };
    send(builder, taskRunKey(taskRunNumber(key)), event);
  },
};

const logicOf = (machine: AnyStateMachine, src: string): unknown =>
  (machine.implementations.actors as Record<string, unknown>)[src];

function taskOf(builder: StepBuilder, key: string, actor: Omit<ActorSnapshot, 'snapshot'>) {
  const label = actor.label === undefined ? undefined : builder.graph.labels.get(actor.label);
  if (label === undefined) throw new Error(`${key}: the graph ${builder.graph.name} has no label ${actor.label}`);
  return label.task;
}

const kinds: Record<string, ActorKind> = { workflow, graph, compensation, taskRun, task: tasks };

export const kindOf = (key: string): ActorKind =>
  kinds[isTaskRun(key) ? 'taskRun' : key.startsWith('task:') ? 'task' : key] as ActorKind;
