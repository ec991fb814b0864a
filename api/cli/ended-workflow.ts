/**
 * The lines of `nw why` about a workflow that has ended, as the answer of the daemon is about waits: the time of its end; if
 * it failed, the task, its attempts, the remedy, and the effect of a retry.
 */
import { failedTask } from '../../engine/vocabulary/failed-task.ts';
import { ApiError, meaningOf } from './api-error.ts';
import type { Client } from './client.ts';
import { terminalText } from './explanations.ts';
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

/** The end of the last attempt is in the record of the task. */
function attemptTexts({ attempts, maxAttempts, attemptErrors, error, finishedAt }: WorkflowTask): NamedText[] {
  const last = error !== null && attemptErrors.at(-1)?.attempt !== attempts;
  const ends = [...attemptErrors, ...(last ? [{ attempt: attempts, at: finishedAt, ...error }] : [])];
  return ends.map(({ attempt, at, code, message }) => [
    'attempt',
    `${attempt} of ${maxAttempts}, ended ${shownTime(at)}: ${message} (${code})`,
  ]);
}

function remedyTexts(code: string, task: WorkflowTask | undefined): NamedText[] {
  const meaning = meaningOf(code);
  if (meaning === undefined) {
    const author = task === undefined ? 'its graph' : task.taskName;
    return [['remedy', `the author of ${author} defines ${code}; its message says what to do`]];
  }
  return [['remedy', `${terminalText(meaning.help, (text) => text)} nw explain ${code} has more`]];
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
  const labels = await onceLabels(client, tasks);
  if (labels.length === 0) return [retry];
  const options = labels.map((label) => `--acknowledge ${label}`).join(' ');
  const once = `${labels.join(', ')} may have taken effect, and would run again: check the node; if so, add ${options}`;
  return [retry, ['once', once]];
}

/** Those of tasks that began, did not succeed, and run once. A task that no longer exists may be one, as for a retry. */
async function onceLabels(client: Client, tasks: readonly WorkflowTask[]): Promise<string[]> {
  const again = tasks.filter(
    ({ compensates, startedAt, state }) => compensates === undefined && startedAt !== null && state !== 'succeeded',
  );
  const names = [...new Set(again.map(({ taskName }) => taskName))];
  const recoveries = new Map(
    await Promise.all(names.map(async (name) => [name, await recoveryOf(client, name)] as const)),
  );
  return again.filter(({ taskName }) => recoveries.get(taskName) === 'once').map(({ label }) => label);
}

async function recoveryOf(client: Client, name: string): Promise<string> {
  try {
    return (await client.get('/workflows/tasks/:name', { params: { name } })).body.recovery;
  } catch (error) {
    if (error instanceof ApiError && error.status === 404) return 'once';
    throw error;
  }
}
