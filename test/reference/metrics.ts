/** The page of all metrics, from the metrics that a daemon registers, and the page of each. */
import { Registry } from 'prom-client';
import { RequestMetrics } from '../../api/middleware/measure.ts';
import { type Gauges, Metrics } from '../../engine/durable/telemetry/metrics.ts';
import type { Entry } from './entry.ts';
import { bullets, code, fenced, pageOf } from './markdown.ts';

/** As prom-client keeps it. */
interface Registered {
  name: string;
  help: string;
  labelNames: readonly string[];
  constructor: { name: string };
}

const unread: Gauges = {
  activitiesRunning: () => 0,
  broker: () => 0,
  quarantinedCount: async () => 0,
  regeneration: () => undefined,
  survey: async () => ({ stuck: [], states: new Map(), oldest: new Map(), oldestMs: null, busyNodes: new Set() }),
  backlog: { queue: async () => 0, events: async () => 0, hooks: async () => 0 },
  openCircuits: async () => 0,
  agentsSeen: async () => 0,
  nodesWithHealth: async () => 0,
  eventReaders: () => 0,
  eventReadersCut: () => 0,
  eventStreams: () => 0,
};

function ownMetrics(): Registered[] {
  const registry = new Registry();
  new Metrics(registry).observe(unread);
  new RequestMetrics(undefined, registry);
  const all = registry.getMetricsAsArray() as unknown as Registered[];
  registry.clear();
  return all.filter(({ name }) => name.startsWith('nodewright_'));
}

export const metricsPage = (): string =>
  pageOf(
    'Every metric',
    '`GET /metrics` on every endpoint returns them as Prometheus text; northbound the request needs a token. Each process has its own. Those of the process itself (`process_...`, `nodejs_...`) are the defaults of [prom-client](https://github.com/siimon/prom-client).',
    bullets(ownMetrics().map(lineOf)),
  );

export const metricEntries = (): Entry[] =>
  ownMetrics().map((metric) => ({
    name: metric.name,
    parts: [
      ['Meaning', sentence(metric.help), `A ${typeOf(metric)}. ${labelsOf(metric) || 'It has no labels.'}`],
      ['How to read it', 'From each process, or from Prometheus over all of them:', fenced('text', queryOf(metric))],
    ],
    declared: 'engine/durable/telemetry/metrics.ts',
    sought: new RegExp(`\\b${metric.name}(?:_bucket|_sum|_count)?\\b`),
  }));

/** A counter is read by its rate. */
function queryOf(metric: Registered): string {
  const type = typeOf(metric);
  if (type === 'counter') return `sum(rate(${metric.name}[5m]))`;
  return type === 'histogram'
    ? `histogram_quantile(0.95, sum by (le) (rate(${metric.name}_bucket[5m])))`
    : `max(${metric.name})`;
}

const typeOf = (metric: Registered): string => metric.constructor.name.toLowerCase();

const labelsOf = ({ labelNames }: Registered): string =>
  labelNames.length === 0 ? '' : `Labels: ${labelNames.map(code).join(', ')}.`;

const lineOf = (metric: Registered): string =>
  `**${code(metric.name)}** (${typeOf(metric)}): ${[sentence(metric.help), labelsOf(metric)].join(' ').trim()}`;

const sentence = (text: string): string => (text.endsWith('.') ? text : `${text}.`);
