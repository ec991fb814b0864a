/** Checks the retry policies of tasks and labels. */
import { currentRetry, type EarlierRetry, type Retry, retryProblem } from '../../define/retry.ts';
import { Rejection } from '../options/rejection.ts';

/** @param of the task or label @throws Refusal */
export function checkedRetry(of: string, retry: Retry): Retry {
  const problem = retryProblem(retry);
  if (problem !== undefined) throw new Rejection(`${of} with ${problem.found}`, problem.expected);
  return retry;
}

/** A policy under the earlier names is not checked: workflows may be pinned to a task that has it. @throws Refusal */
export const retryOfTask = (name: string, retry: Retry | EarlierRetry): Retry =>
  'backoffMs' in retry ? currentRetry(retry) : checkedRetry(name, retry);
