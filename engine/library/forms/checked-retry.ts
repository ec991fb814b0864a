/** Checks the retry policies of tasks and labels. */
import { type Retry, retryProblem } from '../../define/retry.ts';
import { Rejection } from '../options/rejection.ts';

/** @param of the task or label @throws Rejection */
export function checkedRetry(of: string, retry: Retry): Retry {
  const problem = retryProblem(retry);
  if (problem !== undefined) throw new Rejection(`${of} with ${problem.found}`, problem.expected);
  return retry;
}
