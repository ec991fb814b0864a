/** The spans of workflows under an SDK that makes the ids of spans itself. */
import { InMemorySpanExporter, NodeTracerProvider, SimpleSpanProcessor } from '@opentelemetry/sdk-trace-node';
import test from 'ava';
import { openEngine } from '../../../support/engine/engine.ts';

test('all spans of a workflow and of its child are below the spans of their launches', async (t) => {
  const exporter = new InMemorySpanExporter();
  const provider = new NodeTracerProvider({ spanProcessors: [new SimpleSpanProcessor(exporter)] });
  provider.register();
  t.teardown(() => provider.shutdown());
  const daemon = await openEngine();
  t.teardown(() => daemon.close());
  const put = (injectableName: string, task: object) =>
    daemon.engine.library.putGraph({ friendlyName: injectableName, injectableName, tasks: [task] });
  const options = { ledger: daemon.path('ledger'), line: 'x' };
  await put('Graph.Foreign.Child', { label: 'writes', taskName: 'Task.Fixture.Write', optionOverrides: options });
  const child = { graphName: 'Graph.Foreign.Child' };
  await put('Graph.Foreign', { label: 'runs', taskName: 'Task.Graph.Run', optionOverrides: child });
  await daemon.finished((await daemon.launch('Graph.Foreign')).id);
  const spans = exporter.getFinishedSpans();
  const idOf = (name: string) => spans.find((span) => span.name === name)?.spanContext().spanId;
  const [root, below] = [idOf('launch Graph.Foreign'), idOf('launch Graph.Foreign.Child')];
  t.deepEqual(Object.fromEntries(spans.map(({ name, parentSpanContext }) => [name, parentSpanContext?.spanId])), {
    'launch Graph.Foreign': undefined,
    'Graph.Foreign': root,
    'task runs': root,
    'launch Graph.Foreign.Child': root,
    'Graph.Foreign.Child': below,
    'task writes': below,
    'activity run': below,
  });
  t.is(new Set(spans.map((span) => span.spanContext().traceId)).size, 1);
});
