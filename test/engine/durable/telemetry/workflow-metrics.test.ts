/** Names and codes come from authors and users, and each is a time series. */
import test from 'ava';
import { Registry } from 'prom-client';
import type { WorkflowRow } from '../../../../engine/durable/step/row.ts';
import { type Survey, surveyGauges, WorkflowMetrics } from '../../../../engine/durable/telemetry/workflow-metrics.ts';

const seriesOf = async (registry: Registry, name: string) =>
  (await registry.metrics()).split('\n').filter((line) => line.startsWith(`${name}{`));

test('codes of graphs are at most 2,000 series together, and each end is counted', async (t) => {
  const registry = new Registry();
  const metrics = new WorkflowMetrics(registry);
  for (let graph = 0; graph < 60; graph += 1) {
    for (let code = 0; code < 60; code += 1) {
      const row = { graphName: `Graph.${graph}`, status: 'failed', error: { code: `CODE_${code}` } };
      const times = { startedAt: null, finishedAt: null };
      metrics.countStep({ ...row, ...times } as unknown as WorkflowRow, { events: [], lines: [] });
    }
  }
  const series = await seriesOf(registry, 'nodewright_workflows_finished_total');
  t.true(series.length > 2_000);
  t.true(series.length <= 2_000 + 60);
  t.is(
    series.reduce((sum, line) => sum + Number(line.split(' ').at(-1)), 0),
    60 * 60,
  );
});

test('active workflows of the graphs beyond 500 are added up, and their oldest wait is the longest', async (t) => {
  const registry = new Registry();
  const names = Array.from({ length: 503 }, (_, at) => `Graph.${at}`);
  const survey = {
    stuck: [],
    states: new Map(names.map((name) => [name, new Map([['running', 2]])])),
    oldest: new Map(names.map((name, at) => [name, new Map([['notification', at * 1_000]])])),
  };
  surveyGauges(registry, async () => survey as unknown as Survey);
  const other = async (name: string) => (await seriesOf(registry, name)).filter((line) => line.includes('"other"'));
  t.deepEqual(await other('nodewright_workflows_active'), [
    'nodewright_workflows_active{graph="other",state="running"} 6',
  ]);
  t.deepEqual(await other('nodewright_workflow_oldest_seconds'), [
    'nodewright_workflow_oldest_seconds{graph="other",waiting_on="notification"} 502',
  ]);
});
