/** The changes of a watched workflow, for a pipe. Pure. */
import { printableText } from '../terminal.ts';
import type { Workflow, WorkflowTask } from '../workflow-of.ts';
import type { WatchState } from './watched-workflow.ts';

/** One change: of a task, or without `label` of the workflow. */
export interface WatchChange {
  at: string;
  workflow: string;
  graph: string;
  node: string | null;
  status: Workflow['status'];
  percentage: string;
  label?: string;
  state?: WorkflowTask['state'];
  waitingOn?: WorkflowTask['waitingOn'];
  dueAt?: string | null;
  attempts?: number;
  progress?: WorkflowTask['progress'];
  error?: { code: string; message: string } | null;
}

/** @param before undefined: all that has begun is new */
export function changesOf(before: WatchState | undefined, { workflow, node }: WatchState): WatchChange[] {
  const { updatedAt: at, id, injectableName: graph, status, progress } = workflow;
  const common = { at, workflow: id, graph, node, status, percentage: progress.percentage };
  const earlier = new Map(before?.workflow.tasks.map((task) => [task.instanceId, shownOf(task)]));
  const changed = workflow.tasks
    .filter(({ state }) => before !== undefined || state !== 'pending')
    .filter((task) => JSON.stringify(earlier.get(task.instanceId)) !== JSON.stringify(shownOf(task)))
    .map((task): WatchChange => ({ ...common, ...shownOf(task) }));
  const isNew = before?.workflow.status !== status;
  if (!isNew) return changed;
  const ofWorkflow: WatchChange = { ...common, error: errorIn(workflow.error) };
  // Its beginning before its tasks, its end after them.
  return status === 'pending' || status === 'running' ? [ofWorkflow, ...changed] : [...changed, ofWorkflow];
}

const errorIn = (error: { code: string; message: string } | null | undefined) =>
  error ? { code: error.code, message: error.message } : null;

const shownOf = ({ label, state, waitingOn, dueAt, attempts, progress, error, attemptErrors }: WorkflowTask) => ({
  label,
  state,
  waitingOn,
  dueAt,
  attempts,
  progress,
  error: errorIn(error ?? (state === 'succeeded' ? null : attemptErrors.at(-1))),
});

export function changeLine({ at, graph, node, status, label, state, ...more }: WatchChange): string {
  const target = node === null ? graph : `${graph} on ${node}`;
  const parts = label === undefined ? [target, status] : [label, state ?? ''];
  if (more.waitingOn) parts.push(`waits for ${more.waitingOn}`);
  if (more.waitingOn && more.dueAt) parts.push(`until ${more.dueAt}`);
  if ((more.attempts ?? 0) > 1) parts.push(`attempt ${more.attempts}`);
  if (more.progress) parts.push(more.progress.percentage, more.progress.description);
  if (more.error) parts.push(`${more.error.message} (${more.error.code})`);
  return printableText([at, ...parts].filter((part) => part !== '').join('  '));
}
