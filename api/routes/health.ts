/** /healthz, /readyz, /metrics: for monitoring. */
import { Type } from 'typebox';
import { route } from '../http/route.ts';
import type { RequestMetrics } from '../middleware/measure.ts';

const health = Type.Object({ status: Type.String() });

export const healthRoutes = (metrics: RequestMetrics) => [
  route({
    id: 'getHealth',
    summary: 'Check that the process is alive',
    method: 'GET',
    path: '/healthz',
    base: 'root',
    resourceGroup: 'open',
    answer: { status: 200, schema: health },
    handle: async () => ({ body: { status: 'ok' } }),
  }),
  route({
    id: 'getReadiness',
    summary: 'Check that stores answer, definitions are loaded and recovery is complete',
    method: 'GET',
    path: '/readyz',
    base: 'root',
    resourceGroup: 'open',
    answer: { status: 200, schema: health },
    handle: async ({ engine }) => {
      await engine.checkReady();
      return { body: { status: 'ready' } };
    },
  }),
  route({
    id: 'getMetrics',
    summary: 'Get metrics as Prometheus text',
    method: 'GET',
    path: '/metrics',
    base: 'root',
    resourceGroup: 'general',
    answer: { status: 200, schema: Type.String(), contentType: 'text/plain' },
    handle: async ({ engine }) => ({
      status: 200,
      body: `${await engine.metrics()}\n${await metrics.text()}`,
      headers: { 'Content-Type': 'text/plain; version=0.0.4; charset=utf-8' },
    }),
  }),
];
