/** The SDK of OpenTelemetry that the key `otlp` starts: it sends the spans of workflows to a collector. */
import { hostname } from 'node:os';
import { spanIds } from './span-ids.mjs';

/**
 * Loads the SDK, which a daemon without the key does not, and registers it. Its own variables (`OTEL_...`) count too.
 * @param collector URL that receives OTLP, without `/v1/traces`
 */
export async function startOtlp(collector: string): Promise<void> {
  const [
    { OTLPTraceExporter },
    { defaultResource, resourceFromAttributes },
    { BatchSpanProcessor, NodeTracerProvider },
  ] = await Promise.all([
    import('@opentelemetry/exporter-trace-otlp-http'),
    import('@opentelemetry/resources'),
    import('@opentelemetry/sdk-trace-node'),
  ]);
  const exporter = new OTLPTraceExporter({ url: `${collector.replace(/\/$/, '')}/v1/traces` });
  const resource = resourceFromAttributes({ 'service.name': 'nodewright', 'host.name': hostname() });
  new NodeTracerProvider({
    resource: defaultResource().merge(resource),
    spanProcessors: [new BatchSpanProcessor(exporter)],
    idGenerator: spanIds,
  }).register();
}
