/** The engine's metrics, counted when a change is first saved, and those of the process. */
import { Counter, collectDefaultMetrics, Gauge, Registry } from 'prom-client';
import type { PassResult } from '../lib/reconciler.ts';
import type { PendingEffects } from '../step/row.ts';

export interface Gauges {
  activitiesRunning(): number;
  broker(): number;
  quarantined(): Promise<number>;
  /** Of `GET /events/stream`, in this process. */
  eventReaders(): number;
  eventReadersCut(): number;
  /** Of the SKUs: the current generation, the one by which all nodes are classified, and the progress. */
  regeneration(): { generation: number; done: number; seen: number; total: number } | undefined;
}

export class Metrics {
  readonly #registry: Registry;
  readonly #started: Counter;
  readonly #finished: Counter;
  readonly #tasks: Counter;
  readonly #published: Counter;
  readonly #deliveries: Counter;
  readonly #moves: Counter;
  readonly #passes: Counter;
  readonly #passSeconds: Counter;

  /** @param registry only for the page that lists the metrics */
  constructor(registry = new Registry()) {
    this.#registry = registry;
    const registers = [registry];
    collectDefaultMetrics({ register: registry });
    this.#started = new Counter({ name: 'nodewright_workflows_started_total', help: 'Started workflows.', registers });
    this.#finished = new Counter({
      name: 'nodewright_workflows_finished_total',
      help: 'Ended workflows by status.',
      labelNames: ['status'],
      registers,
    });
    this.#tasks = new Counter({
      name: 'nodewright_task_states_total',
      help: 'State changes of tasks.',
      labelNames: ['state'],
      registers,
    });
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
    gauge('nodewright_acts_running', 'Activities running in this process.', gauges.activitiesRunning, registers);
    gauge('nodewright_workflows_quarantined', 'Quarantined workflows.', gauges.quarantined, registers);
    gauge('nodewright_event_readers', 'Readers of the event stream in this process.', gauges.eventReaders, registers);
    gauge(
      'nodewright_event_readers_cut',
      'Readers of the event stream that this process has cut because they were too slow.',
      gauges.eventReadersCut,
      registers,
    );
    gauge('nodewright_broker_up', '1 while the AMQP broker is connected.', gauges.broker, registers);
  }

  /** Counts an event passed to the broker and the hooks: at least once, and again after a crash. */
  countPublished(): void {
    this.#published.inc();
  }

  /** Counts a saved workflow step: exactly once, so that a repeated event is not counted twice. */
  countStep({ events, lines }: Pick<PendingEffects, 'events' | 'lines'>): void {
    for (const { action, status } of events) {
      if (action === 'started') this.#started.inc();
      if (action === 'finished') this.#finished.inc({ status });
    }
    // A progress report is also an event of a task but does not change its state.
    for (const { label, from, to } of lines) if (label !== undefined && from !== to) this.#tasks.inc({ state: to });
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

function gauge(name: string, help: string, read: () => number | Promise<number>, registers: Registry[]): void {
  new Gauge({
    name,
    help,
    registers,
    async collect() {
      this.set(await read());
    },
  });
}
