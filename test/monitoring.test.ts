/**
 * The alert rules and the dashboard, with the metrics of a real engine: promtool evaluates the rules, and each expression
 * names metrics that the engine has.
 */
import { execFile } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import anyTest from 'ava';
import { ENOUGH_RUNS } from '../engine/workflows/diagnosis/durations.ts';
import { folder } from './support/ava/folder.ts';
import { needing } from './support/ava/needs.ts';
import { onPath } from './support/ava/on-path.ts';
import { openEngine, type TestEngine } from './support/engine/engine.ts';

const run = promisify(execFile);
const rules = new URL('../fixtures/deploy/monitoring/alerts.yml', import.meta.url).pathname;
const dashboard = new URL('../fixtures/deploy/monitoring/dashboard.json', import.meta.url);
const test = needing(onPath('promtool') === undefined ? 'promtool is not installed' : undefined);

/** By series, such as `name{label="x"}`. */
async function metricsOf({ engine }: TestEngine): Promise<Map<string, string>> {
  const lines = (await engine.metrics()).split('\n').filter((line) => line.startsWith('nodewright_'));
  return new Map(lines.map((line) => [line.slice(0, line.lastIndexOf(' ')), line.slice(line.lastIndexOf(' ') + 1)]));
}

/** As Prometheus would have scraped them: those of before for half an hour, if there are any, then those of after. */
function seriesOf(before: ReadonlyMap<string, string>, after: ReadonlyMap<string, string>): object[] {
  return [...after].map(([series, value]) => ({ series, values: `${before.get(series) ?? '_'}x30 ${value}x30` }));
}

const label = (annotations: Record<string, string>, labels: Record<string, string>) => ({
  exp_labels: { severity: 'warning', ...labels },
  exp_annotations: annotations,
});

test.serial('a stuck workflow and a failed one raise their alerts, and a quiet daemon raises none', async (t) => {
  const it = await openEngine();
  t.teardown(() => it.close());
  await it.engine.library.putGraph({
    friendlyName: 'Waits',
    injectableName: 'Graph.Test.Alerts',
    tasks: [{ label: 'wait', taskName: 'Task.Wait.Notification' }],
  });
  const node = await it.node();
  for (let n = 0; n < ENOUGH_RUNS; n += 1) {
    const { id } = await it.launch('Graph.Test.Alerts', {}, node.id);
    await it.engine.notifications.notify({}, node.id);
    await it.finished(id);
  }
  const before = await metricsOf(it);
  await it.engine.library.putGraph({
    friendlyName: 'Fails',
    injectableName: 'Graph.Test.AlertFails',
    tasks: [{ label: 'fail', taskName: 'Task.Fixture.Fail' }],
  });
  const { id } = await it.launch('Graph.Test.AlertFails');
  t.is((await it.finished(id)).status, 'failed');
  await it.launch('Graph.Test.Alerts', {}, node.id);
  await it.until(async () => (await metricsOf(it)).get('nodewright_workflows_stuck') === '1');
  const after = await metricsOf(it);
  const alerts = readFileSync(rules, 'utf8');
  const said = (alert: string, key: string) =>
    new RegExp(`alert: ${alert}[\\s\\S]*?${key}: ['"]([^'"\\n]*)['"]`).exec(alerts)?.[1] ?? '';
  const stuck = {
    summary: said('NodewrightWorkflowsStuck', 'summary').replace('{{ $value }}', '1'),
    description: said('NodewrightWorkflowsStuck', 'description'),
  };
  const fails = {
    summary: 'workflows of Graph.Test.AlertFails fail with X_FIXTURE_BROKE',
    description: said('NodewrightWorkflowsFail', 'description'),
  };
  const names = [...alerts.matchAll(/alert: (\w+)/g)].map(([, name]) => name as string);
  const at = (time: string, expected: Record<string, object[]>) =>
    names.map((alertname) => ({ eval_time: time, alertname, exp_alerts: expected[alertname] ?? [] }));
  const file = join(await folder(t), 'alerts.test.json');
  const tests = {
    rule_files: [rules],
    evaluation_interval: '1m',
    tests: [
      {
        interval: '1m',
        input_series: [...seriesOf(before, after), { series: 'up{job="nodewright"}', values: '1x60' }],
        alert_rule_test: [
          ...at('29m', {}),
          ...at('40m', {
            NodewrightWorkflowsStuck: [label(stuck, {})],
            NodewrightWorkflowsFail: [label(fails, { graph: 'Graph.Test.AlertFails', code: 'X_FIXTURE_BROKE' })],
          }),
        ],
      },
    ],
  };
  // JSON is YAML.
  await writeFile(file, JSON.stringify(tests));
  const { stdout, stderr } = await run('promtool', ['test', 'rules', file]).catch((error) => error);
  t.regex(String(stdout), /SUCCESS/, String(stderr));
});

test.serial('promtool accepts the rules', async (t) => {
  const { stdout } = await run('promtool', ['check', 'rules', rules]);
  t.regex(stdout, /SUCCESS: 9 rules found/);
});

anyTest('every metric in the rules and on the dashboard is one that the engine has', async (t) => {
  const it = await openEngine();
  t.teardown(() => it.close());
  const known = new Set(
    [...(await it.engine.metrics()).matchAll(/^# TYPE (nodewright_\w+)/gm)].map(([, name]) => name),
  );
  const used = [readFileSync(rules, 'utf8'), readFileSync(dashboard, 'utf8')]
    .flatMap((text) => [...text.matchAll(/nodewright_\w+/g)])
    .map(([name]) => name.replace(/_bucket$/, ''));
  t.true(used.length > 15);
  t.deepEqual(
    used.filter((name) => !known.has(name)),
    [],
  );
  const { panels } = JSON.parse(readFileSync(dashboard, 'utf8'));
  t.is(new Set(panels.map(({ id }: { id: number }) => id)).size, panels.length);
});
