/**
 * How parents handle their children, per kind of machine: the workflow has the graph, the graph has task runs, a task
 * run has its task's machine, and that has operations.
 *
 * 1. A task run that its graph stops is cancelled, not removed: it ends when its operations have ended.
 * 2. The end of a task run that its graph has left is not reported to the graph.
 */
import type { AnyStateMachine } from 'xstate';
import { type TaskRunFacts, type TaskRunResult, taskRunMachine } from '../actors/task-run.ts';
import { type WorkflowResult, workflowMachine } from '../actors/workflow.ts';
import { type FlatError, flatten } from '../define/errors.ts';
import { FAILED } from '../define/graph.ts';
import { leaveVisit } from './callbacks.ts';
import {
  begin,
  type Draft,
  drop,
  dropTimers,
  operationsOf,
  taskKey,
  taskRunKey,
  taskRunKeys,
  taskRunNumber,
  tell,
  timeoutAt,
} from './draft.ts';
import type { ActorKind, Ending } from './interpret.ts';
import { openOperation, stopOperation, takesTime } from './operations.ts';
import { finishTaskRun, finishWorkflow } from './report.ts';
import type { ActorSnapshot } from './row.ts';
import { unsettled } from './sent.ts';
import { openTaskRun } from './task-runs.ts';

const workflow: ActorKind = {
  machine: () => workflowMachine,
  dress: (draft) => ({ open: taskRunKeys(draft).length }),
  children: ({ row }) => ('graph' in row.actors && !row.actors.graph?.ended ? ['graph'] : []),
  spawn(draft) {
    const { id, node, options } = draft.row;
    begin(draft, 'graph', { invokeId: 'graph' }, { workflowId: id, nodeId: node, options });
  },
  stop(draft) {
    stopGraph(draft);
  },
  ended(draft, _key, _actor, ending) {
    finishWorkflow(draft, 'error' in ending ? broken(ending.error) : (ending.output as WorkflowResult));
  },
};

const broken = (error: unknown): WorkflowResult => ({
  outcome: 'failed',
  output: null,
  error: flatten(error, 'GRAPH_FAILED'),
});

/** Stops the graph. Its last context stays in the row, for the record. */
function stopGraph(draft: Draft): void {
  const actor = draft.row.actors.graph;
  if (actor !== undefined) draft.row.actors.graph = { ...actor, ended: true };
  dropTimers(draft, 'graph');
  for (const key of taskRunKeys(draft)) cancelTaskRun(draft, key);
}

function cancelTaskRun(draft: Draft, key: string): void {
  const actor = draft.row.actors[key] as ActorSnapshot;
  leaveVisit(draft.row, actor);
  draft.row.actors[key] = { ...actor, detached: true };
  tell(draft, key, { type: 'cancel' });
}

const openTaskRuns = (draft: Draft) => taskRunKeys(draft).filter((key) => !draft.row.actors[key]?.detached);

const graph: ActorKind = {
  machine: (draft) => draft.graph.machine,
  children: (draft) => openTaskRuns(draft).map((key) => draft.row.actors[key]?.invokeId as string),
  spawn(draft, _key, child) {
    openTaskRun(draft, child);
  },
  stop(draft, _key, invokeId) {
    const key = openTaskRuns(draft).find((taskRun) => draft.row.actors[taskRun]?.invokeId === invokeId);
    if (key !== undefined) cancelTaskRun(draft, key);
  },
  ended(draft, _key, actor, ending) {
    draft.row.actors.graph = { ...actor, ended: true };
    tell(draft, 'workflow', graphEnd(actor, ending));
  },
};

function graphEnd(actor: ActorSnapshot, ending: Ending) {
  if ('error' in ending) return { type: 'xstate.error.actor.graph', error: flatten(ending.error, 'GRAPH_FAILED') };
  const failed = ending.tags.has(FAILED) ? failureOf(actor, ending.value) : null;
  return { type: 'xstate.done.actor.graph', output: ending.output ?? null, failed };
}

/** A graph that ends in a failed state may put the reason in `error` of its context. */
function failureOf(actor: ActorSnapshot, value: unknown): FlatError {
  const error = (actor.snapshot.context as { error?: unknown } | null)?.error;
  return flatten(error ?? { message: `the graph ended in its state ${JSON.stringify(value)}` }, 'GRAPH_FAILED');
}

const taskRun: ActorKind = {
  machine: () => taskRunMachine,
  dress: (draft, key) =>
    ({
      open: operationsOf(draft, taskRunNumber(key)).filter(takesTime).length,
      now: draft.env.now,
      endsAt: timeoutAt(draft.row, taskRunNumber(key)),
      unsettled: unsettled(draft.row.actors[key]),
    }) satisfies TaskRunFacts,
  children: (draft, key) => (taskKey(taskRunNumber(key)) in draft.row.actors ? ['task'] : []),
  spawn(draft, key) {
    const { options, label } = draft.row.actors[key] as ActorSnapshot;
    const { id, node } = draft.row;
    const actor = label === undefined ? { invokeId: 'task' } : { invokeId: 'task', label };
    begin(draft, taskKey(taskRunNumber(key)), actor, { options, nodeId: node, workflowId: id });
  },
  stop(draft, key) {
    const task = taskKey(taskRunNumber(key));
    for (const id of tasks.children(draft, task)) tasks.stop(draft, task, id);
    drop(draft, task);
  },
  ended(draft, key, actor, ending) {
    for (const operation of operationsOf(draft, taskRunNumber(key))) delete draft.row.operations[operation.id];
    leaveVisit(draft.row, actor);
    const result = 'error' in ending ? brokenTaskRun(ending.error) : (ending.output as TaskRunResult);
    finishTaskRun(draft, actor, result);
    if (!actor.detached) tell(draft, 'graph', taskRunEnd(actor.invokeId as string, result));
    if (taskRunKeys(draft).length === 0) tell(draft, 'workflow', { type: 'quiet' });
  },
};

const brokenTaskRun = (error: unknown): TaskRunResult => ({ end: 'failed', output: null, error: flatten(error) });

const taskRunEnd = (id: string, { end, output, error }: TaskRunResult) =>
  end === 'succeeded'
    ? { type: `xstate.done.actor.${id}`, output, actorId: id }
    : { type: `xstate.error.actor.${id}`, error: { ...error, state: end }, actorId: id };

const tasks: ActorKind = {
  machine: (draft, key, actor) => taskOf(draft, key, actor).machine,
  children: (draft, key) =>
    operationsOf(draft, taskRunNumber(key))
      .filter((operation) => !operation.aborting)
      .map((operation) => operation.invokeId),
  spawn(draft, key, child) {
    const { machine } = taskOf(draft, key, draft.row.actors[key] as ActorSnapshot);
    openOperation(draft, key, logicOf(machine, child.src), child);
  },
  stop(draft, key, invokeId) {
    const operation = operationsOf(draft, taskRunNumber(key)).find(
      (open) => open.invokeId === invokeId && !open.aborting,
    );
    if (operation !== undefined) stopOperation(draft, operation);
  },
  ended(draft, key, _actor, ending) {
    const event =
      'error' in ending
        ? { type: 'xstate.error.actor.task', error: flatten(ending.error) }
        : { type: 'xstate.done.actor.task', output: ending.output ?? null };
    tell(draft, taskRunKey(taskRunNumber(key)), event);
  },
};

const logicOf = (machine: AnyStateMachine, src: string): unknown =>
  (machine.implementations.actors as Record<string, unknown>)[src];

export function taskOf(draft: Draft, key: string, actor: Omit<ActorSnapshot, 'snapshot'>) {
  const label = actor.label === undefined ? undefined : draft.graph.labels.get(actor.label);
  if (label === undefined) throw new Error(`${key}: the graph ${draft.graph.name} has no label ${actor.label}`);
  return label.task;
}

const kinds: Record<string, ActorKind> = { workflow, graph, taskRun, task: tasks };

export const kindOf = (key: string): ActorKind => kinds[key.split(':')[0] as string] as ActorKind;
