/**
 * The cause of a failed workflow: workflows of one graph that failed in the same task, with the same code and the same
 * message without its numbers and ids, are one failure.
 */
import { uuidOf } from '../../platform/lib/derived-uuid.ts';
import { failedTask } from '../../vocabulary/failed-task.ts';
import type { WorkflowRow } from './row.ts';

export interface FailureCause {
  graph: string;
  /** null: no task failed. */
  task: string | null;
  code: string;
  /** Ids are replaced by `<id>`, numbers by `<n>`. */
  message: string;
}

/** In this order. */
const varying: readonly [pattern: RegExp, placeholder: string][] = [
  [/[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}/gi, '<id>'],
  [/\b(?:[0-9a-f]{2}[:-]){5}[0-9a-f]{2}\b/gi, '<id>'],
  [/\b(?=[0-9a-f]*[0-9])(?=[0-9a-f]*[a-f])[0-9a-f]{8,64}\b/gi, '<id>'],
  [/\d+(?:[.:]\d+)*/g, '<n>'],
];

export const withoutNumbers = (message: string): string =>
  varying.reduce((text, [pattern, placeholder]) => text.replace(pattern, placeholder), message);

type FailedRow = Pick<WorkflowRow, 'graphName' | 'tasks' | 'error'>;

/** @returns undefined if it has no error */
export function failureCause({ graphName: graph, tasks, error }: FailedRow): FailureCause | undefined {
  if (error === null) return undefined;
  return {
    graph,
    task: failedTask(tasks, error)?.label ?? null,
    code: error.code,
    message: withoutNumbers(error.message),
  };
}

export const failureIdOf = ({ graph, task, code, message }: FailureCause): string =>
  uuidOf(JSON.stringify([graph, task, code, message]));
