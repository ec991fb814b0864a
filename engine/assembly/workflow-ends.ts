/**
 * Logs the end of each workflow, when the step that ends it is first saved: by the process that saved it, exactly once. A
 * process that is killed right after the save logs nothing; the events and the record have the end.
 */

import type { PendingEffects, WorkflowRow } from '../durable/step/row.ts';
import { traceIdOf } from '../vocabulary/traceparent.ts';

interface EndLog {
  info(fields: object, message: string): void;
  warn(fields: object, message: string): void;
}

type EndedRow = Pick<
  WorkflowRow,
  'id' | 'graphName' | 'node' | 'operator' | 'status' | 'error' | 'startedAt' | 'finishedAt' | 'traceparent'
>;

/** @param left of the step that was saved */
export function logEnd(log: EndLog, { events }: Pick<PendingEffects, 'events'>, row: EndedRow): void {
  if (!hasEnd({ events })) return;
  const { id: workflow, graphName: graph, node, operator, status, error, startedAt, finishedAt } = row;
  const ms = startedAt === null || finishedAt === null ? undefined : Date.parse(finishedAt) - Date.parse(startedAt);
  // Not the message: it may contain output of a machine, of any length.
  const traceId = traceIdOf(row);
  const fields = { workflow, graph, node, user: operator, status, code: error?.code, ms, traceId };
  log[status === 'failed' ? 'warn' : 'info'](fields, 'workflow ended');
}

/** Whether a workflow ended in the step. */
export const hasEnd = ({ events }: Pick<PendingEffects, 'events'>): boolean =>
  events.some(({ action }) => action === 'finished');
