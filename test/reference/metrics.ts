/** The page of all metrics, from the metrics that a daemon registers. */
import { Registry } from 'prom-client';
import { RequestMetrics } from '../../api/middleware/measure.ts';
import { type Gauges, Metrics } from '../../engine/durable/telemetry/metrics.ts';
import { bullets, code, pageOf } from './markdown.ts';

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
  quarantined: async () => 0,
  regeneration: () => undefined,
  survey: async () => ({ stuck: [], states: new Map(), oldest: new Map(), oldestMs: null }),
  backlog: { queue: async () => 0, events: async () => 0, hooks: async () => 0 },
  bmcsResting: async () => 0,
  agentsSeen: async () => 0,
  eventReaders: () => 0,
  eventReadersCut: () => 0,
};

export function metricsPage(): string {
  const registry = new Registry();
  new Metrics(registry).observe(unread);
  new RequestMetrics(registry);
  const all = registry.getMetricsAsArray() as unknown as Registered[];
  registry.clear();
  const isOwn = ({ name }: Registered) => name.startsWith('nodewright_');
  return pageOf(
    'Every metric',
    '`GET /metrics` on every endpoint returns them as Prometheus text; northbound the request needs a token. Each process has its own. Those of the process itself (`process_...`, `nodejs_...`) are the defaults of [prom-client](https://github.com/siimon/prom-client).',
    bullets(all.filter(isOwn).map(lineOf)),
  );
}

function lineOf(metric: Registered): string {
  const { name, help, labelNames } = metric;
  const labels = labelNames.length === 0 ? '' : ` Labels: ${labelNames.map(code).join(', ')}.`;
  return `**${code(name)}** (${metric.constructor.name.toLowerCase()}): ${sentence(help)}${labels}`;
}

const sentence = (text: string): string => (text.endsWith('.') ? text : `${text}.`);
