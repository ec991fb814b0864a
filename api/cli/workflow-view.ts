/** Shows a workflow: its fields, its tasks, and their outputs. */

import { preciseDuration } from '../client/usual-time.ts';
import { showRecord, type TableColumn, tableText } from './output.ts';
import { shownTime } from './shown-time.ts';
import { colors, printableText, say } from './terminal.ts';
import type { Workflow, WorkflowTask } from './workflow-of.ts';

const columns: TableColumn<WorkflowTask>[] = [
  { title: 'task', value: ({ label }) => label },
  { title: 'state', value: ({ state }) => state },
  { title: 'waits for', value: ({ waitingOn }) => waitingOn },
  {
    title: 'attempt',
    value: ({ attempts, maxAttempts }) => (maxAttempts > 1 ? `${attempts}/${maxAttempts}` : attempts),
  },
  { title: 'due', value: ({ nextAttemptAt, dueAt }) => shownTime(nextAttemptAt ?? dueAt) },
  { title: 'took', value: tookOf },
  { title: 'progress', value: ({ progress }) => progress && `${progress.percentage} ${progress.description}`.trim() },
  { title: 'error', value: errorText },
];

/** Characters of an output that are shown; `--output json` has all. */
const OUTPUT_TEXT = 1_000;

/** Most tasks have none, or an empty one. */
const hasOutput = ({ output }: WorkflowTask): boolean => !['null', '{}', '""'].includes(JSON.stringify(output ?? null));

const outputText = ({ output }: WorkflowTask): string => {
  const text = typeof output === 'string' ? output : JSON.stringify(output);
  return text.length > OUTPUT_TEXT ? `${text.slice(0, OUTPUT_TEXT)} ... (${text.length} characters)` : text;
};

function tookOf({ startedAt, finishedAt }: WorkflowTask): string | null {
  if (startedAt === null) return null;
  const end = finishedAt === null ? Date.now() : Date.parse(finishedAt);
  return preciseDuration(end - Date.parse(startedAt));
}

function errorText({ state, error, attemptErrors }: WorkflowTask): string | null {
  const lastError = error ?? (state === 'succeeded' ? undefined : attemptErrors.at(-1));
  return lastError === undefined ? null : `${lastError.message} (${lastError.code})`;
}

/** @param node name of its node */
export function showWorkflow(workflow: Workflow, node: string | null): void {
  const { error, progress } = workflow;
  const fields = [
    ['id', workflow.id],
    ['graph', `${workflow.injectableName} ${workflow.definitionHash.slice(0, 6)}`],
    ['node', node],
    ['status', workflow.status],
    ['progress', `${progress.percentage} ${progress.description}`.trim()],
    ['error', error && `${error.message} (${error.code})`],
    ['by', workflow.launchedBy],
    ['retry of', workflow.retryOf],
    ['due', shownTime(workflow.dueAt)],
    ['created', shownTime(workflow.createdAt)],
    ['finished', shownTime(workflow.finishedAt)],
  ] as const;
  showRecord(
    workflow,
    fields.filter(([, value]) => value !== null && value !== undefined),
    'table',
  );
  if (workflow.tasks.length > 0) say(`\n${tableText(workflow.tasks, columns, false)}`);
  for (const task of workflow.tasks.filter(hasOutput))
    say(`\n${colors.dim(`output of ${printableText(task.label)}`)}\n${printableText(outputText(task))}`);
}
