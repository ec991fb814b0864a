/**
 * Traces by OpenTelemetry: one trace for each workflow. This package only calls the API; the operator loads an SDK before
 * the daemon, and without one nothing is recorded.
 *
 * 1. A workflow may last for days and move between daemons, so no span is open longer than a launch or an activity. Each
 *    other one is made at its end, from the times in the row, by the process that saved that end: once. A process that is
 *    killed right after the save loses it.
 * 2. The parent of all spans of a workflow is the span of its launch. The row has its id (`traceparent`), so any daemon
 *    can name it.
 * 3. The sampler decides at the launch. A workflow that is not sampled there, or was launched by a daemon without an SDK
 *    and without a sampled `traceparent`, has no spans; it has a trace id.
 */
import { randomBytes } from 'node:crypto';
import {
  type Attributes,
  type Context,
  context,
  isSpanContextValid,
  type Link,
  ROOT_CONTEXT,
  type Span,
  SpanKind,
  SpanStatusCode,
  TraceFlags,
  type Tracer,
  trace,
} from '@opentelemetry/api';
import { launchedBy } from '../define/cause.ts';
import { codeOf } from '../define/thrown.ts';
import { type Traceparent, traceparentIn, traceparentText } from '../define/traceparent.ts';
import { taskKey } from '../step/builder.ts';
import type { Operation, PendingEffects, WorkflowRow } from '../step/row.ts';
import { endedTasks, ofWorkflow } from './ended.ts';

/** A launch, as its span shows it. */
export interface TracedLaunch {
  /** Of the workflow. */
  id: string;
  name: string;
  node: string | null;
  launchedBy: string | null;
  /** Of a launch by a request, with its header: it continues the trace of the request. */
  request?: { traceparent?: string } | undefined;
  /** Of a child: the `traceparent` of its parent, whose trace it continues. */
  parent?: string | undefined;
  /** Of the workflow that it repeats. */
  repeats?: string | undefined;
}

type Report = { type: 'work.done' } | { type: 'work.failed'; error: { code: string } };

export class Tracing {
  readonly #tracer: Tracer | undefined;

  /** @param tracer undefined: no SDK is loaded */
  constructor(tracer: Tracer | undefined) {
    this.#tracer = tracer;
  }

  /** Whether an SDK is loaded. */
  get isOn(): boolean {
    return this.#tracer !== undefined;
  }

  /** Launches a workflow in a span. @param run receives what the row keeps */
  async launch<R>(launch: TracedLaunch, run: (traceparent: string) => Promise<R>): Promise<R> {
    const given = givenTo(launch);
    const repeated = remoteOf(launch.repeats);
    if (this.#tracer === undefined) return run(traceparentText(given ?? untraced()));
    const links: Link[] = repeated === undefined ? [] : [{ context: repeated }];
    const attributes = {
      'nodewright.workflow.id': launch.id,
      'nodewright.workflow.graph': launch.name,
      ...(launch.node !== null && { 'nodewright.node.id': launch.node }),
      ...(launch.launchedBy !== null && { 'nodewright.launched_by': launch.launchedBy }),
    };
    const around = launch.request === undefined ? ROOT_CONTEXT : context.active();
    const span = this.#tracer.startSpan(
      `launch ${launch.name}`,
      { kind: SpanKind.PRODUCER, attributes, links },
      given === undefined ? around : trace.setSpanContext(around, remote(given)),
    );
    try {
      return await run(traceparentText(ofSpan(span) ?? untraced()));
    } catch (error) {
      markFailed(span, codeOf(error) || 'INTERNAL');
      throw error;
    } finally {
      span.end();
    }
  }

  /** Makes the spans of what a step ended. Called once for each step. */
  noteStep(row: WorkflowRow, left: Pick<PendingEffects, 'lines' | 'events' | 'at'>): void {
    const parent = this.#tracer && parentIn(row);
    if (parent === undefined) return;
    for (const { name, attributes, startedAt, finishedAt, code, failures } of endedTasks(row, left)) {
      const span = this.#begin(name, attributes, parent, new Date(startedAt));
      for (const { at, attempt, code: type } of failures) {
        span?.addEvent('attempt failed', { 'nodewright.attempt': attempt, 'error.type': type }, new Date(at));
      }
      if (code !== undefined) markFailed(span, code);
      span?.end(new Date(finishedAt));
    }
    if (left.events.some(({ action }) => action === 'finished')) this.#noteEnd(row, parent);
  }

  #noteEnd(row: WorkflowRow, parent: Context): void {
    const { graphName, status, error, createdAt, startedAt, finishedAt, updatedAt } = row;
    const by = launchedBy(row);
    const attributes = {
      ...ofWorkflow(row),
      'nodewright.workflow.status': status,
      ...(by !== null && { 'nodewright.launched_by': by }),
    };
    const span = this.#begin(graphName, attributes, parent, new Date(startedAt ?? createdAt));
    if (status === 'failed') markFailed(span, error?.code ?? 'INTERNAL');
    span?.end(new Date(finishedAt ?? updatedAt));
  }

  /** Runs an activity in a span, so that those of its requests are below it. */
  async activity<R extends Report>(
    row: WorkflowRow,
    operation: Operation,
    run: () => Promise<R | undefined>,
  ): Promise<R | undefined> {
    const parent = this.#tracer && parentIn(row);
    if (parent === undefined) return run();
    const attributes = {
      ...ofWorkflow(row),
      'nodewright.task.label': row.actors[taskKey(operation.taskRun)]?.label ?? '',
      'nodewright.activity': operation.src,
      'nodewright.attempt': operation.attempt,
    };
    const span = this.#begin(`activity ${operation.src}`, attributes, parent);
    if (span === undefined) return run();
    const report = await context.with(trace.setSpan(parent, span), run);
    // Another process runs it: a span without an end is never exported.
    if (report === undefined) return undefined;
    if (report.type === 'work.failed') markFailed(span, report.error.code);
    span.end();
    return report;
  }

  #begin(name: string, attributes: Attributes, parent: Context, startTime = new Date()): Span | undefined {
    return this.#tracer?.startSpan(name, { attributes, startTime }, parent);
  }
}

/** Not the message of an error: it may contain output of a machine. */
function markFailed(span: Span | undefined, code: string): void {
  span?.setStatus({ code: SpanStatusCode.ERROR, message: code });
  span?.setAttribute('error.type', code);
}

/** Returns the trace that a launch continues. The span of the request in this process is below that of the header. */
function givenTo({ parent, request }: TracedLaunch): Traceparent | undefined {
  if (request === undefined) return traceparentIn(parent ?? '');
  return ofSpan(trace.getActiveSpan()) ?? traceparentIn(request.traceparent ?? '');
}

function ofSpan(span: Span | undefined): Traceparent | undefined {
  const found = span?.spanContext();
  if (found === undefined || !isSpanContextValid(found)) return undefined;
  const { traceId, spanId, traceFlags } = found;
  return { traceId, spanId, isSampled: (traceFlags & TraceFlags.SAMPLED) !== 0 };
}

/** A trace of which nothing is recorded. */
const untraced = (): Traceparent => ({
  traceId: randomBytes(16).toString('hex'),
  spanId: randomBytes(8).toString('hex'),
  isSampled: false,
});

const remote = ({ traceId, spanId, isSampled }: Traceparent) => ({
  traceId,
  spanId,
  traceFlags: isSampled ? TraceFlags.SAMPLED : TraceFlags.NONE,
  isRemote: true,
});

function remoteOf(text: string | undefined) {
  const found = text === undefined ? undefined : traceparentIn(text);
  return found && remote(found);
}

/** @returns undefined: the workflow has no spans */
function parentIn({ traceparent }: WorkflowRow): Context | undefined {
  const found = remoteOf(traceparent);
  return found?.traceFlags === TraceFlags.SAMPLED ? trace.setSpanContext(ROOT_CONTEXT, found) : undefined;
}
