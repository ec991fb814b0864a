/**
 * The tree of a workflow's spans: its launch, below it the workflow, its task runs, their activities and children. Their
 * ids are derived from the workflow's, so that a span can name its parent before that has ended, on any daemon.
 *
 * An SDK without `spanIds` gives them other ids. The row then has the id of the launch that the SDK gave, and all spans of
 * the workflow are below that one.
 */
import { createHash } from 'node:crypto';
import { type Context, ROOT_CONTEXT, type SpanContext, TraceFlags, trace } from '@opentelemetry/api';
import { type Traceparent, traceparentIn } from '../../vocabulary/traceparent.ts';
import { taskRunKey } from '../step/builder.ts';
import type { Operation, WorkflowRow } from '../step/row.ts';

/** Parts of a workflow that have a span. */
export const LAUNCH = 'launch';
export const WORKFLOW = 'workflow';
export const taskPart = (label: string, visit: number): string => `task ${visit} ${label}`;

const ID_DIGITS = 16;

export const spanIdOf = (workflow: string, part: string): string =>
  createHash('sha256').update(`${workflow} ${part}`).digest('hex').slice(0, ID_DIGITS);

/** Returns the part that an operation is below. */
export function partOf({ actors }: Pick<WorkflowRow, 'actors'>, { taskRun }: Pick<Operation, 'taskRun'>): string {
  const { label, visit = 1 } = actors[taskRunKey(taskRun)] ?? {};
  return label === undefined ? WORKFLOW : taskPart(label, visit);
}

/** Returns the parent of what is below a part of a workflow; undefined: the workflow has no trace. */
export function under({ id, traceparent }: WorkflowRow, part: string): Traceparent | undefined {
  const found = traceparentIn(traceparent ?? '');
  if (found === undefined || found.spanId !== spanIdOf(id, LAUNCH)) return found;
  return { ...found, spanId: spanIdOf(id, part) };
}

export const remoteSpan = ({ traceId, spanId, isSampled }: Traceparent): SpanContext => ({
  traceId,
  spanId,
  traceFlags: isSampled ? TraceFlags.SAMPLED : TraceFlags.NONE,
  isRemote: true,
});

/** The same for a span; undefined: the workflow has no spans. */
export function contextUnder(row: WorkflowRow, part: string): Context | undefined {
  const found = under(row, part);
  return found?.isSampled ? trace.setSpanContext(ROOT_CONTEXT, remoteSpan(found)) : undefined;
}
