/** The columns of tables of workflows. */
import { failedTask } from '../../engine/vocabulary/failed-task.ts';
import { waitText } from '../client/wait-words.ts';
import type { NodeText } from './node-names.ts';
import { type OutputFormat, shortText, type TableColumn } from './output.ts';
import { shownTime } from './shown-time.ts';
import { colors } from './terminal.ts';
import type { Workflow, WorkflowTask } from './workflow-of.ts';

/** The task that it is at. */
const currentTask = ({ tasks }: Workflow): WorkflowTask | undefined =>
  tasks.findLast(({ state }) => state === 'running' || state === 'waiting');

/** That of the task that it waits for, is at, or failed by. Its graph may also succeed after a task has failed. */
export function shownLabel(workflow: Workflow): string | undefined {
  const { status, waiting, tasks, error } = workflow;
  const task = status === 'failed' ? failedTask(tasks, error) : currentTask(workflow);
  return waiting?.label ?? task?.label;
}

/** The error of the workflow, or of the last attempt of its task. */
const lastError = (workflow: Workflow) => workflow.error ?? currentTask(workflow)?.attemptErrors.at(-1) ?? null;

/** Characters of the message of an error; `-o wide` has all. */
const ERROR_TEXT = 60;

export function lastErrorText(workflow: Workflow, format: OutputFormat): string | null {
  const error = lastError(workflow);
  return error && `${format === 'wide' ? error.message : shortText(error.message, ERROR_TEXT)} (${error.code})`;
}

export const workflowListColumns = (nameOf: NodeText, format: OutputFormat): TableColumn<Workflow>[] => [
  { title: 'id', value: ({ id }) => id },
  { title: 'graph', value: ({ injectableName }) => injectableName },
  { title: 'node', value: ({ node }) => nameOf(node) },
  { title: 'status', value: ({ status }) => status, paint: paintStatus },
  { title: 'label', value: shownLabel },
  { title: 'waits for', value: ({ waiting }) => waiting && waitText(waiting) },
  { title: 'since', value: sinceOf },
  { title: 'due', value: ({ dueAt }) => shownTime(dueAt) },
  { title: 'last error', value: (workflow) => lastErrorText(workflow, format) },
  { title: 'launched', value: ({ createdAt }) => shownTime(createdAt), wide: true },
  { title: 'by', value: ({ launchedBy }) => launchedBy, wide: true },
];

const sinceOf = (workflow: Workflow): string | null =>
  shownTime(workflow.finishedAt ?? workflow.waiting?.since ?? currentTask(workflow)?.startedAt ?? workflow.createdAt);

export function paintStatus(text: string): string {
  if (text === 'succeeded') return colors.green(text);
  return text === 'failed' ? colors.red(text) : text;
}
