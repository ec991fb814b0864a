/** The task by which a workflow failed. */
import type { TaskState } from './states.ts';

interface EndedTask {
  label: string;
  state: TaskState;
  error: { message: string } | null;
}

/**
 * If several failed, returns the one whose error the workflow has, which a list of tasks prefixes with its label; else the last.
 * @returns undefined if no task failed
 */
export function failedTask<T extends EndedTask>(tasks: readonly T[], error: { message: string } | null): T | undefined {
  const failed = tasks.filter(({ state }) => state === 'failed' || state === 'timeout');
  const isCause = ({ label, error: taskError }: T) =>
    taskError !== null && [taskError.message, `${label}: ${taskError.message}`].includes(error?.message ?? '');
  return failed.find(isCause) ?? failed.at(-1);
}
