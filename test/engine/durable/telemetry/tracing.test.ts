/** The spans of workflows, as an SDK in this process receives them. */
import { setTimeout } from 'node:timers/promises';
import { context, SpanKind, SpanStatusCode, trace } from '@opentelemetry/api';
import {
  InMemorySpanExporter,
  NodeTracerProvider,
  type ReadableSpan,
  SimpleSpanProcessor,
} from '@opentelemetry/sdk-trace-node';
import anyTest, { type ExecutionContext, type TestFn } from 'ava';
import type { WorkflowRow } from '../../../../engine/durable/step/row.ts';
import { spanIds } from '../../../../engine/durable/telemetry/span-ids.mjs';
import { Tracing } from '../../../../engine/durable/telemetry/tracing.ts';
import type { EventPayload } from '../../../../engine/vocabulary/event.ts';
import { openEngine, type TestEngine } from '../../../support/engine/engine.ts';

const test = anyTest as TestFn<{ daemon: TestEngine }>;
const exporter = new InMemorySpanExporter();
const provider = new NodeTracerProvider({ idGenerator: spanIds, spanProcessors: [new SimpleSpanProcessor(exporter)] });

const caller = { traceId: '0af7651916cd43dd8448eb211c80319c', spanId: 'b7ad6b7169203331' };
const header = (flags: string) => `00-${caller.traceId}-${caller.spanId}-${flags}`;

const graph = (injectableName: string, tasks: object[]) => ({ friendlyName: injectableName, injectableName, tasks });
const sleeps = (label: string, more: object = {}) => ({
  label,
  taskName: 'Task.Sleep',
  optionOverrides: { duration: 30 },
  ...more,
});

test.before(async (t) => {
  provider.register();
  const daemon = await openEngine();
  t.context.daemon = daemon;
  const { library } = daemon.engine;
  const two = [sleeps('first'), sleeps('second', { waitOn: { first: 'succeeded' } })];
  await library.putGraph(graph('Graph.Trace.Two', two));
  const fails = { label: 'breaks', taskName: 'Task.Fixture.Fail' };
  await library.putGraph(graph('Graph.Trace.Fail', [sleeps('first'), { ...fails, waitOn: { first: 'succeeded' } }]));
  const runs = { label: 'runs', taskName: 'Task.Graph.Run', optionOverrides: { graphName: 'Graph.Trace.Two' } };
  await library.putGraph(graph('Graph.Trace.Parent', [runs]));
});
test.after.always(async (t) => {
  await t.context.daemon?.close();
  await provider.shutdown();
});

const idOf = (row: WorkflowRow) => row.traceparent?.slice(3, 35);
const parentIdOf = (row: WorkflowRow) => row.traceparent?.slice(36, 52);
const ofWorkflow = (id: string) =>
  exporter.getFinishedSpans().filter(({ attributes }) => attributes['nodewright.workflow.id'] === id);
const named = (spans: readonly ReadableSpan[], name: string) => {
  const found = spans.filter((span) => span.name === name);
  if (found.length !== 1) throw new Error(`${found.length} spans ${name} of ${spans.map((span) => span.name)}`);
  return found[0] as ReadableSpan;
};
/** Its end is saved, and can be read, a moment before its spans are made. */
async function endedWithSpans(daemon: TestEngine, id: string): Promise<WorkflowRow> {
  const row = await daemon.finished(id);
  await daemon.until(() => ofWorkflow(id).some(({ name }) => name === row.graphName));
  return row;
}
const isBelow = (t: ExecutionContext, span: ReadableSpan, parent: ReadableSpan) =>
  t.is(span.parentSpanContext?.spanId as string, parent.spanContext().spanId, `${span.name} below ${parent.name}`);
const msOf = ([seconds, nanos]: readonly [number, number]) => seconds * 1_000 + nanos / 1_000_000;

test('a workflow is one trace: its launch, below it the workflow, and below that each task', async (t) => {
  const { daemon } = t.context;
  const row = await endedWithSpans(daemon, (await daemon.launch('Graph.Trace.Two')).id);
  const spans = ofWorkflow(row.id);
  t.deepEqual(spans.map(({ name }) => name).sort(), [
    'Graph.Trace.Two',
    'launch Graph.Trace.Two',
    'task first',
    'task second',
  ]);
  for (const span of spans) t.is(span.spanContext().traceId, idOf(row) as string);
  const root = named(spans, 'launch Graph.Trace.Two');
  t.is(root.parentSpanContext, undefined);
  t.is(root.kind, SpanKind.PRODUCER);
  t.is(root.spanContext().spanId, parentIdOf(row) as string);
  const whole = named(spans, 'Graph.Trace.Two');
  isBelow(t, whole, root);
  for (const name of ['task first', 'task second']) isBelow(t, named(spans, name), whole);
  t.is(msOf(whole.startTime), Date.parse(row.startedAt as string));
  t.is(msOf(whole.endTime), Date.parse(row.finishedAt as string));
  t.is(whole.attributes['nodewright.workflow.status'], 'succeeded');
  t.is(whole.status.code, SpanStatusCode.UNSET);
  const [first] = row.tasks;
  const task = named(spans, 'task first');
  t.is(msOf(task.startTime), Date.parse(first?.startedAt as string));
  t.is(msOf(task.endTime), Date.parse(first?.finishedAt as string));
  t.like(task.attributes, { 'nodewright.task.name': 'Task.Sleep', 'nodewright.task.attempts': 1 });
});

test('the events of a workflow have its trace, and the header by which it is continued', async (t) => {
  const { daemon } = t.context;
  const row = await endedWithSpans(daemon, (await daemon.launch('Graph.Trace.Two')).id);
  await daemon.until(() => daemon.of(row.id, 'finished').length > 0);
  const published = daemon.events.filter(({ body }) => (body as EventPayload).typeId === row.id);
  t.true(published.length >= 4);
  for (const { body, traceparent } of published) {
    t.is((body as EventPayload).traceId, idOf(row));
    t.is(traceparent, row.traceparent);
  }
});

test('a failed workflow, its task and its activity have the status error, with the code and without the message', async (t) => {
  const { daemon } = t.context;
  const { id } = await endedWithSpans(daemon, (await daemon.launch('Graph.Trace.Fail')).id);
  const spans = ofWorkflow(id);
  for (const name of ['Graph.Trace.Fail', 'task breaks', 'activity run']) {
    const { status, attributes } = named(spans, name);
    t.deepEqual(status, { code: SpanStatusCode.ERROR, message: attributes['error.type'] as string }, name);
  }
  t.is(named(spans, 'task breaks').attributes['error.type'], 'X_FIXTURE_BROKE');
  t.like(named(spans, 'activity run').attributes, { 'nodewright.task.label': 'breaks', 'nodewright.attempt': 1 });
  t.is(named(spans, 'task first').status.code, SpanStatusCode.UNSET);
  t.false(
    JSON.stringify(spans.map(({ attributes, status, events }) => [attributes, status, events])).includes('it broke'),
  );
});

test('each attempt of an activity is a span, and its failures are events of the task', async (t) => {
  const { daemon } = t.context;
  const options = { ledger: daemon.path('flaky'), line: 'x', failures: 2 };
  await daemon.engine.library.putGraph(
    graph('Graph.Trace.Flaky', [{ label: 'tries', taskName: 'Task.Fixture.Flaky', optionOverrides: options }]),
  );
  const { id } = await endedWithSpans(daemon, (await daemon.launch('Graph.Trace.Flaky')).id);
  const spans = ofWorkflow(id);
  const attempts = spans.filter(({ name }) => name === 'activity run');
  t.deepEqual(
    attempts.map(({ attributes, status }) => [attributes['nodewright.attempt'], status.code]),
    [
      [1, SpanStatusCode.ERROR],
      [2, SpanStatusCode.ERROR],
      [3, SpanStatusCode.UNSET],
    ],
  );
  const task = named(spans, 'task tries');
  for (const attempt of attempts) isBelow(t, attempt, task);
  t.is(task.attributes['nodewright.task.attempts'], 3);
  t.deepEqual(
    task.events.map(({ attributes }) => attributes?.['nodewright.attempt']),
    [1, 2],
  );
});

test('each visit of a label is a span of its own, above its activity', async (t) => {
  const { daemon } = t.context;
  const options = { write: { ledger: daemon.path('rounds'), line: 'x' } };
  const { id } = await endedWithSpans(daemon, (await daemon.launch('Graph.Fixture.Rounds', options)).id);
  const spans = ofWorkflow(id);
  const visits = spans.filter(({ name }) => name === 'task write');
  const activities = spans.filter(({ name }) => name === 'activity run');
  t.is(new Set(visits.map((span) => span.spanContext().spanId)).size, 3);
  t.is(activities.length, 3);
  for (const [at, activity] of activities.entries()) {
    const visit = visits[at] as ReadableSpan;
    isBelow(t, activity, visit);
    t.true(msOf(visit.startTime) <= msOf(activity.startTime) && msOf(visit.endTime) >= msOf(activity.startTime));
  }
});

test('a launch continues the trace of its request', async (t) => {
  const { daemon } = t.context;
  const request = { name: 'Graph.Trace.Two', options: {}, nodeId: null, traceparent: header('01') };
  const { id } = await daemon.engine.launches.launch(request);
  const root = named(ofWorkflow(id), 'launch Graph.Trace.Two');
  t.is(root.spanContext().traceId, caller.traceId);
  t.is(root.parentSpanContext?.spanId, caller.spanId);
  t.is(idOf(await daemon.finished(id)), caller.traceId);
});

test('a span of the request that is active in this process comes before its header', async (t) => {
  const { daemon } = t.context;
  const server = provider.getTracer('http').startSpan('POST', { root: true });
  const request = { name: 'Graph.Trace.Two', options: {}, nodeId: null, traceparent: header('01') };
  const launched = context.with(trace.setSpan(context.active(), server), () => daemon.engine.launches.launch(request));
  const root = named(ofWorkflow((await launched).id), 'launch Graph.Trace.Two');
  t.is(root.parentSpanContext?.spanId, server.spanContext().spanId);
  t.is(root.spanContext().traceId, server.spanContext().traceId);
});

test('a workflow whose request is not sampled has no spans, and keeps the trace', async (t) => {
  const { daemon } = t.context;
  const request = { name: 'Graph.Trace.Fail', options: {}, nodeId: null, traceparent: header('00') };
  const row = await daemon.finished((await daemon.engine.launches.launch(request)).id);
  t.is(idOf(row), caller.traceId);
  t.deepEqual(ofWorkflow(row.id), []);
});

test('a rejected launch is a span with the code of its error', async (t) => {
  const { daemon } = t.context;
  await t.throwsAsync(daemon.launch('Graph.Trace.None'), { code: 'NOT_FOUND' });
  const span = named(exporter.getFinishedSpans(), 'launch Graph.Trace.None');
  t.deepEqual(span.status, { code: SpanStatusCode.ERROR, message: 'NOT_FOUND' });
});

test('a child continues the trace of its parent', async (t) => {
  const { daemon } = t.context;
  const parent = await endedWithSpans(daemon, (await daemon.launch('Graph.Trace.Parent')).id);
  const [child] = (await daemon.engine.workflows.list({ skip: 0, limit: 2, filter: { root: parent.id } })).items;
  t.is(child && idOf(child), idOf(parent));
  const root = named(ofWorkflow(child?.id ?? ''), 'launch Graph.Trace.Two');
  isBelow(t, root, named(ofWorkflow(parent.id), 'task runs'));
  t.is(ofWorkflow(child?.id ?? '').length, 4);
});

test('a retry has a trace of its own, with a link to that of the original, and no spans of what it takes over', async (t) => {
  const { daemon } = t.context;
  const original = await endedWithSpans(daemon, (await daemon.launch('Graph.Trace.Fail')).id);
  const retry = await endedWithSpans(daemon, (await daemon.engine.launches.retry(original.id, {}))?.id ?? '');
  t.not(idOf(retry), idOf(original));
  const spans = ofWorkflow(retry.id);
  const [link] = named(spans, 'launch Graph.Trace.Fail').links;
  t.is(link?.context.traceId, idOf(original));
  t.is(link?.context.spanId, parentIdOf(original));
  t.deepEqual(spans.map(({ name }) => name).sort(), [
    'Graph.Trace.Fail',
    'activity run',
    'launch Graph.Trace.Fail',
    'task breaks',
  ]);
});

test('a workflow that no request launched has a trace of its own, whatever span is active', async (t) => {
  const { daemon } = t.context;
  const { id: nodeId } = await daemon.node();
  const request = { name: 'Graph.Trace.Two', options: {}, nodeId };
  const batch = provider.getTracer('http').startSpan('POST', { root: true });
  const created = context.with(trace.setSpan(context.active(), batch), () =>
    daemon.engine.batches.create({ ...request, nodes: [nodeId] }),
  );
  const id = (await created).launched[0]?.workflow ?? '';
  t.is(named(ofWorkflow(id), 'launch Graph.Trace.Two').parentSpanContext, undefined);
  t.not(idOf(await daemon.finished(id)), batch.spanContext().traceId);
});

test('the span of an activity is active while it runs, and is not exported if another process runs it', async (t) => {
  const tracing = new Tracing(provider.getTracer('test'));
  const row = { id: 'w', graphName: 'g', node: null, actors: {}, traceparent: header('01') } as unknown as WorkflowRow;
  const operation = { id: '1', src: 'asks', taskRun: 1, attempt: 1 } as Parameters<Tracing['activity']>[1];
  const active: (string | undefined)[] = [];
  const run = <R>(report: R) =>
    tracing.activity(row, operation, async () => {
      await setTimeout(1);
      active.push(trace.getActiveSpan()?.spanContext().spanId);
      return report as { type: 'work.done' } | undefined;
    });
  await run({ type: 'work.done' });
  await run(undefined);
  const span = named(ofWorkflow('w'), 'activity asks');
  t.is(active[0], span.spanContext().spanId);
  t.is(span.parentSpanContext?.spanId, caller.spanId);
});
