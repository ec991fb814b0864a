/** Traces of workflows in a process without an SDK: there are ids, and nothing is recorded. */
import { trace } from '@opentelemetry/api';
import test from 'ava';
import { openTracing } from '../../../../engine/durable/telemetry/open-tracing.ts';
import type { EventPayload } from '../../../../engine/vocabulary/event.ts';
import { traceIdOf } from '../../../../engine/vocabulary/traceparent.ts';
import { openEngine } from '../../../support/engine/engine.ts';

const TRACE = '0af7651916cd43dd8448eb211c80319c';
const PARENT = `00-${TRACE}-b7ad6b7169203331-01`;

test('each workflow has a trace id of its own, or that of its request, and so have its events', async (t) => {
  const daemon = await openEngine();
  t.teardown(() => daemon.close());
  const request = { name: 'Graph.noop-example', options: {}, nodeId: null };
  const { launches } = daemon.engine;
  const [one, other] = await Promise.all([launches.launch(request), launches.launch(request)]);
  t.regex(one.traceparent ?? '', /^00-[0-9a-f]{32}-[0-9a-f]{16}-00$/);
  t.not(traceIdOf(one), traceIdOf(other));
  const continued = await launches.launch({ ...request, traceparent: PARENT });
  t.is(continued.traceparent, PARENT);
  const ignored = await launches.launch({ ...request, traceparent: `ff${PARENT.slice(2)}` });
  t.not(traceIdOf(ignored), TRACE);
  for (const { id } of [one, continued]) {
    const row = await daemon.finished(id);
    await daemon.until(() => daemon.of(id, 'finished').length > 0);
    const events = daemon.events.map(({ body }) => body as EventPayload).filter(({ typeId }) => typeId === id);
    t.deepEqual([...new Set(events.map(({ traceId }) => traceId))], [traceIdOf(row)]);
  }
});

test.serial('an SDK with an older API than that of the daemon is reported in the log', async (t) => {
  const log: [object, string][] = [];
  const warn = (fields: object, message: string) => void log.push([fields, message]);
  t.false((await openTracing({ warn }, undefined)).isOn);
  t.deepEqual(log, []);
  const registered = Symbol.for('opentelemetry.js.api.1');
  Reflect.set(globalThis, registered, { version: '1.0.0', trace: trace.getTracerProvider() });
  t.teardown(() => Reflect.deleteProperty(globalThis, registered));
  t.false((await openTracing({ warn }, undefined)).isOn);
  t.like(log, [[{ version: '1.0.0' }]]);
});
