/** Starts the spans of workflows. No attribute has the message of an error: it may contain output of a machine. */
import {
  type Attributes,
  type Context,
  ROOT_CONTEXT,
  type Span,
  SpanKind,
  SpanStatusCode,
  type Tracer,
  trace,
} from '@opentelemetry/api';
import { launchedBy } from '../../vocabulary/cause.ts';
import { type Traceparent, traceparentIn } from '../../vocabulary/traceparent.ts';
import { taskRunKey } from '../step/builder.ts';
import type { Operation, WorkflowRow } from '../step/row.ts';
import { type EndedTask, ofWorkflow } from './ended.ts';
import { withSpanId } from './next-span-id.ts';
import { contextUnder, LAUNCH, remoteSpan, spanIdOf, WORKFLOW } from './span-tree.ts';

/** A launch, as its span shows it. */
export interface TracedLaunch {
  /** The workflow's id. */
  id: string;
  name: string;
  node: string | null;
  launchedBy: string | null;
  /** The request that launched the workflow, with its header: the span continues the trace of the request. */
  request?: { traceparent?: string } | undefined;
  /** Children only: the parent, whose trace the child continues, and the operation that launches it. */
  parent?: { row: WorkflowRow; operation: Pick<Operation, 'taskRun'> };
  /** Retries only: the `traceparent` of the original. */
  repeats?: string | undefined;
}

/** @param given the trace that it continues; undefined: a new one */
export function launchSpan(tracer: Tracer, launch: TracedLaunch, given: Traceparent | undefined): Span {
  const repeated = traceparentIn(launch.repeats ?? '');
  const attributes = {
    ...ofWorkflow({ id: launch.id, graphName: launch.name, node: launch.node }),
    ...launcher(launch.launchedBy),
  };
  const links = repeated === undefined ? [] : [{ context: remoteSpan(repeated) }];
  const parent = given === undefined ? ROOT_CONTEXT : trace.setSpanContext(ROOT_CONTEXT, remoteSpan(given));
  return withSpanId(spanIdOf(launch.id, LAUNCH), () =>
    tracer.startSpan(`launch ${launch.name}`, { kind: SpanKind.PRODUCER, attributes, links }, parent),
  );
}

/** Makes the spans of task runs that have ended. */
export function taskSpans(tracer: Tracer, tasks: readonly EndedTask[], workflow: string, parent: Context): void {
  for (const { label, part, attributes, startedAt, finishedAt, code, failures } of tasks) {
    const span = endSpan(tracer, `task ${label}`, spanIdOf(workflow, part), attributes, startedAt, parent);
    for (const { at, attempt, code: type } of failures) {
      span.addEvent('attempt failed', { 'nodewright.attempt': attempt, 'error.type': type }, new Date(at));
    }
    if (code !== undefined) markFailed(span, code);
    span.end(new Date(finishedAt));
  }
}

/** Makes the span of a workflow that has ended. */
export function workflowSpan(tracer: Tracer, row: WorkflowRow): void {
  const { graphName, status, error, createdAt, startedAt, finishedAt, updatedAt } = row;
  const attributes = {
    ...ofWorkflow(row),
    'nodewright.workflow.status': status,
    ...launcher(launchedBy(row)),
  };
  const parent = contextUnder(row, LAUNCH) ?? ROOT_CONTEXT;
  const span = endSpan(tracer, graphName, spanIdOf(row.id, WORKFLOW), attributes, startedAt ?? createdAt, parent);
  if (status === 'failed') markFailed(span, error?.code ?? 'INTERNAL');
  span.end(new Date(finishedAt ?? updatedAt));
}

export function activitySpan(tracer: Tracer, row: WorkflowRow, operation: Operation, parent: Context): Span {
  const attributes = {
    ...ofWorkflow(row),
    'nodewright.task.label': row.actors[taskRunKey(operation.taskRun)]?.label ?? '',
    'nodewright.activity': operation.src,
    'nodewright.attempt': operation.attempt,
  };
  return tracer.startSpan(`activity ${operation.src}`, { attributes }, parent);
}

/** Starts the span of what has ended. The time is a Date, because SDKs read some numbers as a time since their start. */
function endSpan(tracer: Tracer, name: string, id: string, attributes: Attributes, startedAt: string, parent: Context) {
  return withSpanId(id, () => tracer.startSpan(name, { attributes, startTime: new Date(startedAt) }, parent));
}

const launcher = (by: string | null): Attributes => (by === null ? {} : { 'nodewright.launched_by': by });

export function markFailed(span: Span, code: string): void {
  span.setStatus({ code: SpanStatusCode.ERROR, message: code });
  span.setAttribute('error.type', code);
}
