/**
 * The metrics of workflows: counted when a step is first saved, and a survey of the active ones when the metrics are read. At
 * most one survey in ten seconds: it reads all active rows.
 */
import { Counter, Gauge, Histogram, type Registry } from 'prom-client';
import { isActive } from '../../vocabulary/states.ts';
import type { FailureCause } from '../step/failure-cause.ts';
import type { PendingEffects, WorkflowRow } from '../step/row.ts';

/** Others count as `other`: names and codes come from authors and users, and each is a time series. */
const NAMES = 500;
/** Series of ended workflows by graph, status and code: further codes of a graph count as `other`. */
const ENDS = 2_000;
const SURVEY_MS = 10_000;
const OTHER = 'other';

/** Seconds: from a command to an installation that takes a day. */
const WORKFLOW_BUCKETS = [1, 5, 15, 60, 300, 900, 3_600, 10_800, 43_200, 86_400];
const STEP_BUCKETS = [0.001, 0.002, 0.005, 0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1, 5];

/** The reason of a wait; `running`: an activity runs; `none`: nothing that its row shows. */
type SurveyedWait = string;

/** A workflow that is stuck, with the cause, and since when. */
export interface StuckWorkflow extends Pick<WorkflowRow, 'id' | 'graphName' | 'node' | 'root' | 'owner'> {
  cause: FailureCause;
  since: string;
}

export interface Survey {
  stuck: StuckWorkflow[];
  /** By graph, then by `running`, `waiting`, `paused` or `suspended`. */
  states: Map<string, Map<string, number>>;
  /** By graph, then by what it waits for: ms of the oldest wait. */
  oldest: Map<string, Map<SurveyedWait, number>>;
  /** ms of the oldest wait of all graphs; null: nothing waits. */
  oldestMs: number | null;
  /** Nodes with an active workflow. */
  busyNodes: Set<string>;
}

export class WorkflowMetrics {
  readonly #started: Counter;
  readonly #finished: Counter;
  readonly #tasks: Counter;
  readonly #seconds: Histogram;
  readonly #steps: Histogram;
  readonly #graphs = new Set<string>();
  readonly #codes = new Set<string>();
  readonly #ends = new Set<string>();

  constructor(registry: Registry) {
    const registers = [registry];
    this.#started = new Counter({ name: 'nodewright_workflows_started_total', help: 'Started workflows.', registers });
    this.#finished = new Counter({
      name: 'nodewright_workflows_finished_total',
      help: 'Ended workflows by graph, status and the code of their error.',
      labelNames: ['graph', 'status', 'code'],
      registers,
    });
    this.#seconds = new Histogram({
      name: 'nodewright_workflow_seconds',
      help: 'Time from the start of ended workflows to their end.',
      labelNames: ['graph', 'status'],
      buckets: WORKFLOW_BUCKETS,
      registers,
    });
    this.#steps = new Histogram({
      name: 'nodewright_step_seconds',
      help: 'Time from a message to its saved step.',
      buckets: STEP_BUCKETS,
      registers,
    });
    this.#tasks = new Counter({
      name: 'nodewright_task_states_total',
      help: 'State changes of tasks.',
      labelNames: ['state'],
      registers,
    });
  }

  /** Counts a saved workflow step: exactly once, so that a repeated event is not counted twice. */
  countStep(row: WorkflowRow, { events, lines }: Pick<PendingEffects, 'events' | 'lines'>): void {
    for (const { action } of events) if (action === 'started') this.#started.inc();
    // A progress report is also an event of a task but does not change its state.
    for (const { label, from, to } of lines)
      if (label !== undefined && from !== to) this.#tasks.inc({ state: String(to) });
    if (!isActive(row.status)) this.#countEnd(row);
  }

  #countEnd({ graphName, status, error, startedAt, finishedAt }: WorkflowRow): void {
    const graph = boundedName(this.#graphs, graphName);
    this.#finished.inc({ graph, status, code: error === null ? '' : this.#codeOf(graph, status, error.code) });
    if (startedAt !== null && finishedAt !== null)
      this.#seconds.observe({ graph, status }, (Date.parse(finishedAt) - Date.parse(startedAt)) / 1_000);
  }

  #codeOf(graph: string, status: string, name: string): string {
    const code = boundedName(this.#codes, name);
    const end = JSON.stringify([graph, status, code]);
    return boundedName(this.#ends, end, ENDS) === end ? code : OTHER;
  }

  countStepTime(ms: number): void {
    this.#steps.observe(ms / 1_000);
  }
}

function boundedName(known: Set<string>, name: string, most = NAMES): string {
  if (known.has(name)) return name;
  if (known.size >= most) return OTHER;
  known.add(name);
  return name;
}

/** Adds the gauges of the survey, which share one. */
export function surveyGauges(registry: Registry, survey: () => Promise<Survey>): void {
  const registers = [registry];
  let last: { at: number; survey: Promise<Survey> } | undefined;
  const recentSurvey = (): Promise<Survey> => {
    const at = performance.now();
    if (last === undefined || at - last.at > SURVEY_MS) last = { at, survey: survey() };
    return last.survey;
  };
  const gauge = (
    name: string,
    help: string,
    label: string,
    read: (survey: Survey) => Map<string, Map<string, number>>,
    together: (one: number, other: number) => number,
  ) =>
    new Gauge({
      name,
      help,
      labelNames: ['graph', label],
      registers,
      async collect() {
        const found = await recentSurvey().catch(() => undefined); // the store may be away; the others are still read
        this.reset();
        if (found === undefined) return;
        const others = new Map<string, number>();
        let left = NAMES;
        for (const [graph, values] of read(found)) {
          left -= 1;
          for (const [value, amount] of values) {
            if (left >= 0) this.set({ graph, [label]: value }, amount);
            else others.set(value, together(others.get(value) ?? 0, amount));
          }
        }
        for (const [value, amount] of others) this.set({ graph: OTHER, [label]: value }, amount);
      },
    });
  gauge(
    'nodewright_workflows_active',
    'Active workflows by graph and state: running, waiting, paused, suspended.',
    'state',
    ({ states }) => states,
    (one, other) => one + other,
  );
  gauge(
    'nodewright_workflow_oldest_seconds',
    'The oldest wait of the active workflows of a graph, by what they wait for; `running`: an activity runs.',
    'waiting_on',
    ({ oldest }) => inSeconds(oldest),
    Math.max,
  );
  new Gauge({
    name: 'nodewright_workflows_stuck',
    help: 'Active workflows that are stuck, as `GET /workflows?stuck=true` lists them.',
    registers,
    async collect() {
      const found = await recentSurvey().catch(() => undefined);
      if (found !== undefined) this.set(found.stuck.length);
    },
  });
}

const inSeconds = (oldest: Survey['oldest']): Map<string, Map<string, number>> =>
  new Map([...oldest].map(([graph, waits]) => [graph, new Map([...waits].map(([on, ms]) => [on, ms / 1_000]))]));
