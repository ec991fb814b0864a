/** Parts of the pages of administration and of listeners that need no page. */
import test from 'ava';
import type { LogEvent } from '../../api/client/follow-events.ts';
import { metricsIn, processesIn } from '../../api/console/pages/admin/heartbeats.ts';
import { settingsIn } from '../../api/console/pages/admin/runtime-settings.ts';
import { jsonProblem } from '../../api/console/pages/graphs/json-problem.ts';
import { filledFilters, filterText } from '../../api/console/pages/listeners/hook-filters.ts';
import { eventsOf, filtersOf, hookTopics, usualTopics } from '../../api/console/pages/listeners/hook-topics.ts';

const beat = (seq: number, pid: number, nextUpdate: string, more: object = {}): LogEvent => ({
  seq,
  id: String(seq),
  version: '1.0',
  type: 'heartbeat',
  action: 'updated',
  severity: 'information',
  typeId: 'host.nodewright',
  createdAt: '2026-01-01T00:00:00.000Z',
  nodeId: null,
  data: { pid, nextUpdate, cpuUsage: '3%', memoryUsage: { rss: 1 }, versions: { node: '20.0.0' }, ...more },
});

test('each process has one row, by its latest heartbeat, and is silent when the next one is late', (t) => {
  const now = Date.parse('2026-01-01T00:01:00.000Z');
  const rows = processesIn(
    [
      beat(1, 7, '2026-01-01T00:00:10.000Z'),
      beat(3, 7, '2026-01-01T00:00:58.000Z'),
      beat(2, 8, '2026-01-01T00:00:10.000Z'),
      { ...beat(4, 9, ''), type: 'graph' },
    ],
    now,
  );
  t.deepEqual(
    rows.map(({ host, pid, isSilent }) => [host, pid, isSilent]),
    [
      ['host', 7, false],
      ['host', 8, true],
    ],
  );
  t.like(processesIn([beat(1, 7, '', { memoryUsage: null, versions: 'x' })], now)[0], { memory: 0, version: '' });
});

test('metrics are read from the text of Prometheus, without the buckets of histograms', (t) => {
  const text = [
    '# HELP nodewright_x y',
    'nodewright_x 1',
    'nodewright_y{graph="Graph.A b",state="running"} 2.5',
    'nodewright_z_bucket{le="1"} 3',
    'process_cpu 1',
  ].join('\n');
  t.deepEqual(metricsIn(text), [
    { name: 'nodewright_x', labels: '', value: '1' },
    { name: 'nodewright_y', labels: 'graph="Graph.A b",state="running"', value: '2.5' },
  ]);
});

test('only fields with a text become settings, and a wrong one is named', (t) => {
  const settings = (given: Record<string, string>) => settingsIn((name) => given[name]);
  t.deepEqual(
    settings({ log: 'debug', heartbeatIntervalSec: ' 5 ', enableLocalHostException: 'false', env: '{"a":1}' }),
    {
      log: { level: 'debug' },
      heartbeatIntervalSec: 5,
      enableLocalHostException: false,
      env: { a: 1 },
    },
  );
  t.throws(() => settings({}), { message: /every field is empty/ });
  t.throws(() => settings({ authTokenExpireIn: 'soon' }), { message: /Life of login tokens: found soon/ });
  t.throws(() => settings({ env: '{' }), { message: /expected an object as JSON/ });
});

test('the filters of a hook are one line, and empty ones are left out', (t) => {
  t.is(filterText([]), 'all');
  t.is(
    filterText([{ type: 'graph', status: 'failed' }, { severity: 'critical' }]),
    'type graph, status failed or severity critical',
  );
  t.deepEqual(filledFilters([{ type: '', action: 'finished' }, {}, { nodeId: '' }]), [{ action: 'finished' }]);
});

test('the topics of a hook are read from its filters, and the other filters stay', (t) => {
  const custom = { type: 'graph', graphName: '^Graph\\.Drive' };
  const { topics, others } = eventsOf([...filtersOf({ topics: usualTopics, others: [] }), custom]);
  t.deepEqual(topics, usualTopics);
  t.deepEqual(others, [custom]);
  t.is(
    filterText(filtersOf({ topics: hookTopics.slice(0, 1), others })),
    'Failed workflows or type graph, graphName ^Graph\\.Drive',
  );
  t.deepEqual(eventsOf([{ type: '^polleralert$' }]), { topics: [], others: [{ type: '^polleralert$' }] });
  t.deepEqual(eventsOf([]), { topics: [], others: [] });
});

test('a text that is no object says so, with the line where it can be known', (t) => {
  t.is(jsonProblem('{ "a": 1 }'), undefined);
  t.regex(jsonProblem('[]') ?? '', /found a list, expected an object/);
  t.regex(jsonProblem('7') ?? '', /found 7/);
  t.regex(jsonProblem('{\n "a": ,\n}') ?? '', /line 2|JSON/);
});
