/** Finds the SDK of OpenTelemetry that the operator has loaded before the daemon, or starts that of the key `otlp`. */
import { ProxyTracerProvider, type Tracer, trace } from '@opentelemetry/api';
import { objectIn } from '../../vocabulary/json.ts';
import { withTimeout } from '../../vocabulary/with-timeout.ts';
import { startOtlp } from './otlp.ts';
import { Tracing } from './tracing.ts';

/** Time for the last spans to be exported when the daemon stops. */
const FLUSH_MS = 1_000;
/** The API's own place of what an SDK registers, shared by all copies of the package in the process. */
const REGISTERED = Symbol.for('opentelemetry.js.api.1');

/** @param otlp URL of a collector; undefined: spans are recorded by the operator's SDK only */
export async function openTracing(
  log: { warn(fields: object, message: string): void },
  otlp: string | undefined,
): Promise<Tracing> {
  if (otlp !== undefined && registeredTracer() === undefined) await startOtlp(otlp);
  else if (otlp !== undefined) log.warn({ otlp }, 'an OpenTelemetry SDK is loaded already; the key otlp has no effect');
  const tracer = registeredTracer();
  const { version, trace: registered } = objectIn(Reflect.get(globalThis, REGISTERED));
  if (tracer === undefined && registered !== undefined) {
    log.warn({ version }, 'an OpenTelemetry SDK is loaded, but its @opentelemetry/api is too old for the daemon');
  }
  return new Tracing(tracer);
}

/** The provider of the API itself has no delegate while no SDK is registered. */
function registeredTracer(): Tracer | undefined {
  const provider = trace.getTracerProvider();
  return provider instanceof ProxyTracerProvider
    ? provider.getDelegateTracer('nodewright')
    : provider.getTracer('nodewright');
}

/** Exports the spans that the SDK still holds, because the process exits afterwards. */
export async function flushSpans(): Promise<void> {
  const provider = trace.getTracerProvider() as { getDelegate?(): object };
  const sdk = (provider.getDelegate?.() ?? provider) as { forceFlush?(): Promise<void> };
  await withTimeout(Promise.resolve(sdk.forceFlush?.()), FLUSH_MS, () => {}).catch(() => {}); // the receiver may be away
}
