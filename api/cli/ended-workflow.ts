/**
 * The lines of `nw why` about a workflow that has ended, as the answer of the daemon is about waits: the time of its end; if
 * it failed, the task, its attempts, the remedy, and the effect of a retry.
 */
import { failedTask } from '../../engine/vocabulary/failed-task.ts';
import { failedAttempts } from '../client/failed-attempts.ts';
import { meaningOf, onceLabels, recoveriesOf, remedyText } from '../client/failed-end.ts';
import type { Client } from './client.ts';
import { shownTime } from './shown-time.ts';
import type { Workflow, WorkflowTask } from './workflow-of.ts';

type NamedText = readonly [name: string, text: string];

export async function endTexts(client: Client, workflow: Workflow): Promise<NamedText[]> {
  const { status, finishedAt, tasks, error } = workflow;
  if (status !== 'failed') {
    const end = status === 'cancelled' ? 'was cancelled' : status;
    return [['waits', `for nothing: it ${end} ${shownTime(finishedAt)}`]];
  }
  const task = failedTask(tasks, error);
  return [
    ['failed', failureText(workflow, task)],
    ...(task === undefined ? [] : attemptTexts(task)),
    ...(error === null ? [] : remedyTexts(error.code, task)),
    ...(await retryTexts(client, workflow, task)),
  ];
}

/** The message of a list of tasks begins with the label. */
function failureText({ error, finishedAt }: Workflow, task: WorkflowTask | undefined): string {
  const reason = error === null ? 'without an error' : `${error.message} (${error.code})`;
  const label = task === undefined || error?.message.startsWith(`${task.label}: `) ? '' : `${task.label}: `;
  return `${shownTime(finishedAt)}: ${label}${reason}`;
}

const attemptTexts = (task: WorkflowTask): NamedText[] =>
  failedAttempts(task).map(({ attempt, at, code, message }) => [
    'attempt',
    `${attempt} of ${task.maxAttempts}, ended ${shownTime(at)}: ${message} (${code})`,
  ]);

function remedyTexts(code: string, task: WorkflowTask | undefined): NamedText[] {
  const more = meaningOf(code) === undefined ? '' : ` nw explain ${code} has more`;
  return [['remedy', remedyText(code, task) + more]];
}

/** A child is retried with the workflow at the top. */
async function retryTexts(
  client: Client,
  { id, root, tasks }: Workflow,
  task: WorkflowTask | undefined,
): Promise<NamedText[]> {
  if (root !== null) return [['do', `run the workflow that launched it again: nw retry ${root}`]];
  const from = task?.label ?? 'where it failed';
  const retry: NamedText = ['do', `run it again from ${from}; tasks that succeeded count as done: nw retry ${id}`];
  const labels = onceLabels(tasks, await recoveriesOf(client, tasks));
  if (labels.length === 0) return [retry];
  const options = labels.map((label) => `--acknowledge ${label}`).join(' ');
  const once = `${labels.join(', ')} may have taken effect, and would run again: check the node; if so, add ${options}`;
  return [retry, ['once', once]];
}
