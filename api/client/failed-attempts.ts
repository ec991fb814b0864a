/** The attempts of a task that failed, for the command line and the console. */
import type { GetAnswer } from './requests.ts';

type EndedTask = GetAnswer<'/workflows/:id'>['tasks'][number];

export interface FailedAttempt {
  attempt: number;
  at: string | null;
  code: string;
  message: string;
}

/** The end of the last attempt is in the record of the task. */
export function failedAttempts({
  attempts,
  attemptErrors,
  error,
  finishedAt,
}: Pick<EndedTask, 'attempts' | 'attemptErrors' | 'error' | 'finishedAt'>): FailedAttempt[] {
  if (error === null || attemptErrors.at(-1)?.attempt === attempts) return attemptErrors;
  return [...attemptErrors, { attempt: attempts, at: finishedAt, code: error.code, message: error.message }];
}
