/** The task runs that a step ended, as their spans show them. */
import { isTaskRunEnd, type TaskState } from '../../vocabulary/states.ts';
import { visitOf } from '../step/callbacks.ts';
import type { PendingEffects, TaskEntry, WorkflowRow } from '../step/row.ts';
import { taskPart } from './span-tree.ts';

export interface EndedTask {
  label: string;
  /** In the tree of spans. */
  part: string;
  attributes: Record<string, string | number>;
  /** ISO 8601. */
  startedAt: string;
  finishedAt: string;
  /** Absent: it did not fail. */
  code?: string;
  /** Its failed attempts, oldest first; the newest ten. */
  failures: readonly { attempt: number; at: string; code: string }[];
}

/** Returns attributes that every span of a workflow has. */
export const ofWorkflow = ({ id, graphName, node }: Pick<WorkflowRow, 'id' | 'graphName' | 'node'>) => ({
  'nodewright.workflow.id': id,
  'nodewright.workflow.graph': graphName,
  ...(node !== null && { 'nodewright.node.id': node }),
});

/**
 * Leaves out tasks that did not run: a retry takes over those that ran in the original, whose trace has their runs.
 * @param before the row that the step was taken on
 */
export function endedTasks(
  row: WorkflowRow,
  { lines, at }: Pick<PendingEffects, 'lines' | 'at'>,
  before: WorkflowRow | undefined,
): EndedTask[] {
  const ended: EndedTask[] = [];
  for (const { label, from, to, error } of lines) {
    if (label === undefined || from === 'pending' || from === to || !isTaskRunEnd(to as TaskState)) continue;
    const entry = entryOfRun(row, before, label);
    if (entry === undefined || entry.startedAt === null) continue;
    const attributes = {
      ...ofWorkflow(row),
      'nodewright.task.label': label,
      'nodewright.task.name': entry.taskName,
      'nodewright.task.state': String(to),
      'nodewright.task.attempts': entry.attempts,
    };
    const task: EndedTask = {
      label,
      // The step that ends a visit of a label counts the next one.
      part: taskPart(label, visitOf(row, label) - 1),
      attributes,
      startedAt: entry.startedAt,
      finishedAt: at,
      failures: entry.attemptErrors ?? [],
    };
    if (to === 'failed') task.code = error?.code ?? 'INTERNAL';
    ended.push(task);
  }
  return ended;
}

/** The step that ended the task run may have begun the next one of its label: then its entry is about that one. */
function entryOfRun(row: WorkflowRow, before: WorkflowRow | undefined, label: string): TaskEntry | undefined {
  const entry = row.tasks.find((task) => task.label === label);
  return entry?.finishedAt === null ? before?.tasks.find((task) => task.label === label) : entry;
}
