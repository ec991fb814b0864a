/** The engine's metrics, counted when a change is first saved, and those of the process. */
import { Counter, collectDefaultMetrics, Gauge, Registry } from 'prom-client';
import type { PassResult } from '../../platform/lib/reconciler.ts';
import { type EventStreamState, eventStreamStates, type HealthState, healthStates } from '../../vocabulary/states.ts';
import { withOldMetric } from '../../vocabulary/until-0.2.ts';
import type { PendingEffects, WorkflowRow } from '../step/row.ts';
import { type Survey, surveyGauges, WorkflowMetrics } from './workflow-metrics.ts';

export interface Gauges {
  activitiesRunning(): number;
  broker(): number;
  quarantinedCount(): Promise<number>;
  survey(): Promise<Survey>;
  backlog: Record<'queue' | 'events' | 'hooks', () => Promise<number>>;
  openCircuits(): Promise<number>;
  agentsSeen(): Promise<number>;
  /** Returns the number of nodes in a state of health. */
  nodesWithHealth(state: HealthState): Promise<number>;
  /** Number of readers of `GET /events/stream` in this process. */
  eventReaders(): number;
  eventReadersCut(): number;
  /** Number of nodes with an event stream of their BMC in this state, which this process follows. */
  eventStreams(state: EventStreamState): number;
  /** Regeneration of SKUs: the current generation, the one by which all nodes are classified, and the progress. */
  regeneration(): { generation: number; done: number; seen: number; total: number } | undefined;
}

export class Metrics {
  readonly #registry: Registry;
  readonly #workflows: WorkflowMetrics;
  readonly #published: Counter;
  readonly #deliveries: Counter;
  readonly #moves: Counter;
  readonly #passes: Counter;
  readonly #passSeconds: Counter;

  /**
   * @param registry only for the page that lists the metrics
   * @param ofProcess measures the process too, until the process ends
   */
  constructor(registry = new Registry(), ofProcess = true) {
    this.#registry = registry;
    const registers = [registry];
    if (ofProcess) collectDefaultMetrics({ register: registry });
    this.#workflows = new WorkflowMetrics(registry);
    this.#published = new Counter({ name: 'nodewright_events_total', help: 'Published events.', registers });
    this.#deliveries = new Counter({
      name: 'nodewright_hook_deliveries_total',
      help: 'Deliveries to web hooks by result: delivered, retried (an attempt failed, another follows), failed (abandoned).',
      labelNames: ['result'],
      registers,
    });
    this.#moves = new Counter({
      name: 'nodewright_sku_moves_total',
      help: 'Changes of the SKU of nodes: assigned, unassigned or updated.',
      labelNames: ['action'],
      registers,
    });
    this.#passes = new Counter({
      name: 'nodewright_reconciler_passes_total',
      help: 'Passes of reconcilers by result: done, failed, timeout, elsewhere (another daemon makes them).',
      labelNames: ['name', 'result'],
      registers,
    });
    this.#passSeconds = new Counter({
      name: 'nodewright_reconciler_seconds_total',
      help: 'Time that passes of reconcilers took.',
      labelNames: ['name'],
      registers,
    });
  }

  /** Counts a pass of a reconciler. @param result `elsewhere`: another process holds the lease */
  countPass(name: string, result: PassResult, ms: number): void {
    this.#passes.inc({ name, result });
    this.#passSeconds.inc({ name }, ms / 1_000);
  }

  /** Adds what is read when the metrics are. */
  observe(gauges: Gauges): void {
    const registers = [this.#registry];
    const regeneration = (name: string, help: string, of: 'generation' | 'done' | 'seen' | 'total') =>
      gauge(name, help, () => gauges.regeneration()?.[of] ?? 0, registers);
    regeneration(
      'nodewright_sku_generation',
      'Current SKU generation; each change of SKUs increments it.',
      'generation',
    );
    regeneration('nodewright_sku_generation_done', 'SKU generation by which all nodes are classified.', 'done');
    regeneration('nodewright_sku_regeneration_seen', 'Nodes that the regeneration has processed.', 'seen');
    regeneration('nodewright_sku_regeneration_nodes', 'Nodes that the regeneration has to process.', 'total');
    for (const name of withOldMetric('nodewright_activities_running'))
      gauge(name, 'Activities running in this process.', gauges.activitiesRunning, registers);
    gauge('nodewright_workflows_quarantined', 'Quarantined workflows.', gauges.quarantinedCount, registers);
    surveyGauges(this.#registry, gauges.survey);
    const { queue, events, hooks } = gauges.backlog;
    gauge('nodewright_queue_waiting', 'Activities that wait for a worker.', queue, registers);
    gauge('nodewright_events_waiting', 'Events that wait for the broker.', events, registers);
    gauge('nodewright_hooks_waiting', 'Deliveries to web hooks that wait for an attempt.', hooks, registers);
    for (const name of withOldMetric('nodewright_bmc_circuits_open'))
      gauge(name, 'BMCs to which no command is sent for some time.', gauges.openCircuits, registers);
    const nodes = {
      name: 'nodewright_nodes',
      help: 'Nodes by their health: ok, warning, critical, unknown.',
      registers,
    };
    gaugeBy('health', healthStates, gauges.nodesWithHealth, nodes);
    gauge(
      'nodewright_agents_seen',
      'Nodes whose agents were seen in the last five minutes.',
      gauges.agentsSeen,
      registers,
    );
    gauge('nodewright_event_readers', 'Readers of the event stream in this process.', gauges.eventReaders, registers);
    gauge(
      'nodewright_event_readers_cut',
      'Readers of the event stream that this process has cut because they were too slow.',
      gauges.eventReadersCut,
      registers,
    );
    const streams = {
      name: 'nodewright_bmc_event_streams',
      help: 'Nodes whose BMC is followed by this process, by its event stream: open, waiting (for the BMC, or after a failure), none (it has no stream).',
      registers,
    };
    gaugeBy('state', eventStreamStates, gauges.eventStreams, streams);
    gauge('nodewright_broker_up', '1 while the AMQP broker is connected.', gauges.broker, registers);
  }

  /** Counts an event passed to the broker and the hooks: at least once, and again after a crash. */
  countPublished(): void {
    this.#published.inc();
  }

  countStep(row: WorkflowRow, step: Pick<PendingEffects, 'events' | 'lines'>): void {
    this.#workflows.countStep(row, step);
  }

  /** @param ms from the message to the saved step */
  countStepTime(ms: number): void {
    this.#workflows.countStepTime(ms);
  }

  /** Counts a saved change of a node's SKU. @param action assigned, unassigned or updated */
  countMove(action: string): void {
    this.#moves.inc({ action });
  }

  /** @param result delivered, retried or failed */
  countDelivery(result: string, times = 1): void {
    this.#deliveries.inc({ result }, times);
  }

  text(): Promise<string> {
    return this.#registry.metrics();
  }

  close(): void {
    this.#registry.clear();
  }
}

interface NamedGauge {
  name: string;
  help: string;
  registers: Registry[];
}

/** A gauge with a value for each value of a label. */
function gaugeBy<V extends string>(
  label: string,
  values: readonly V[],
  count: (value: V) => number | Promise<number>,
  named: NamedGauge,
): void {
  new Gauge({
    ...named,
    labelNames: [label],
    async collect() {
      for (const value of values) {
        const number = await numberOf(() => count(value));
        if (number !== undefined) this.set({ [label]: value }, number);
      }
    },
  });
}

/** Without its store a gauge keeps its last value, and the others are still read. */
const numberOf = (read: () => number | Promise<number>): Promise<number | undefined> =>
  Promise.resolve()
    .then(read)
    .catch(() => undefined);

function gauge(name: string, help: string, read: () => number | Promise<number>, registers: Registry[]): void {
  new Gauge({
    name,
    help,
    registers,
    async collect() {
      const value = await numberOf(read);
      if (value !== undefined) this.set(value);
    },
  });
}
