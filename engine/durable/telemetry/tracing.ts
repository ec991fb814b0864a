/**
 * Traces by OpenTelemetry: one trace for each workflow. The daemon only calls the API of OpenTelemetry; the key `otlp` starts
 * an SDK, or the operator loads one before the daemon, and without one nothing is recorded.
 *
 * 1. A workflow may last for days and move between daemons, so no span is open longer than a launch or an activity. Each
 *    other one is made at its end, from the times in the row, by the process that saved that end: once. A process that is
 *    killed right after the save loses it.
 * 2. A span names its parent before that has ended (`span-tree.ts`). The root is the span of the launch, whose id is in the
 *    row (`traceparent`).
 * 3. The sampler decides at the launch. A workflow that is not sampled there, or was launched by a daemon without an SDK
 *    and without a sampled `traceparent`, has no spans; it has a trace id.
 */
import { randomBytes } from 'node:crypto';
import { context, isSpanContextValid, type Span, TraceFlags, type Tracer, trace } from '@opentelemetry/api';
import { codeOf } from '../../vocabulary/thrown-values.ts';
import { type Traceparent, traceparentIn, traceparentText } from '../../vocabulary/traceparent.ts';
import type { Operation, PendingEffects, WorkflowRow } from '../step/row.ts';
import { endedTasks } from './ended.ts';
import { contextUnder, partOf, under, WORKFLOW } from './span-tree.ts';
import { activitySpan, launchSpan, markFailed, type TracedLaunch, taskSpans, workflowSpan } from './spans.ts';

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
    if (this.#tracer === undefined) return run(traceparentText(given ?? untracedParent()));
    const span = launchSpan(this.#tracer, launch, given);
    try {
      return await run(traceparentText(ofSpan(span) ?? untracedParent()));
    } catch (error) {
      markFailed(span, codeOf(error) || 'INTERNAL');
      throw error;
    } finally {
      span.end();
    }
  }

  /** Makes the spans of what a step ended. Called once for each step. @param before the row that it was taken on */
  noteStep(row: WorkflowRow, left: Pick<PendingEffects, 'lines' | 'events' | 'at'>, before?: WorkflowRow): void {
    if (this.#tracer === undefined) return;
    const parent = contextUnder(row, WORKFLOW);
    if (parent === undefined) return;
    taskSpans(this.#tracer, endedTasks(row, left, before), row.id, parent);
    if (left.events.some(({ action }) => action === 'finished')) workflowSpan(this.#tracer, row);
  }

  /** Runs an activity in a span, so that those of its requests are below it. */
  async activity<R extends Report>(
    row: WorkflowRow,
    operation: Operation,
    run: () => Promise<R | undefined>,
  ): Promise<R | undefined> {
    const parent = contextUnder(row, partOf(row, operation));
    if (this.#tracer === undefined || parent === undefined) return run();
    const span = activitySpan(this.#tracer, row, operation, parent);
    const report = await context.with(trace.setSpan(parent, span), run);
    // Another process runs it: a span without an end is never exported.
    if (report === undefined) return undefined;
    if (report.type === 'work.failed') markFailed(span, report.error.code);
    span.end();
    return report;
  }
}

/** Returns the trace that a launch continues. The span of the request in this process is below that of the header. */
function givenTo({ parent, request }: TracedLaunch): Traceparent | undefined {
  if (parent !== undefined) return under(parent.row, partOf(parent.row, parent.operation));
  if (request === undefined) return undefined;
  return ofSpan(trace.getActiveSpan()) ?? traceparentIn(request.traceparent ?? '');
}

function ofSpan(span: Span | undefined): Traceparent | undefined {
  const found = span?.spanContext();
  if (found === undefined || !isSpanContextValid(found)) return undefined;
  const { traceId, spanId, traceFlags } = found;
  return { traceId, spanId, isSampled: (traceFlags & TraceFlags.SAMPLED) !== 0 };
}

/** A trace of which nothing is recorded. */
const untracedParent = (): Traceparent => ({
  traceId: randomBytes(16).toString('hex'),
  spanId: randomBytes(8).toString('hex'),
  isSampled: false,
});
