/**
 * The number of workflows of each graph and status, without counting all stored ones for each request.
 *
 * Owns the last count in memory. Relies on the store, which is counted again by the next request once the count is old.
 *
 * 1. Active workflows are counted each time: they are few, and an index has them.
 * 2. Launches, ends and removals in this process change the count as they are saved. Those in other processes, and those during a
 *    count, are in the next one.
 * 3. A count is old after many times its duration, so that counting takes a small share of the time, and after `maxAgeMs`: no answer is
 *    wrong for longer than that. One during which something changed may lack it, and is old sooner. A process that starts has no count.
 */
import type { Summary } from '../../api-port/index.ts';
import type { WorkflowRow } from '../../durable/step/row.ts';
import { stopwatch } from '../../platform/lib/stopwatch.ts';
import type { Collection } from '../../platform/store/port.ts';
import { isActive, type WorkflowStatus, workflowStatuses } from '../../vocabulary/states.ts';
import { MINUTE_MS } from '../../vocabulary/units.ts';

type CountedRow = Pick<WorkflowRow, 'status' | 'graphName'>;

export interface CountLimits {
  /** The age at which a count is old, in durations of the count. */
  durations: number;
  /** ms. */
  maxAgeMs: number;
}

/** Without other processes, only what happened during a count is late. */
export const aloneLimits: CountLimits = { durations: 1_000, maxAgeMs: MINUTE_MS };
export const sharedLimits: CountLimits = { durations: 100, maxAgeMs: 30_000 };

/** How much sooner a count is old during which something changed. */
const SOONER = 4;

interface LastCount {
  byStatus: Map<string, number>;
  byGraph: Map<string, number>;
  /** By the clock of `performance`. */
  until: number;
}

export class WorkflowCounts {
  readonly #stored: Pick<Collection<WorkflowRow>, 'count'>;
  readonly #limits: CountLimits;
  readonly #now: () => number;
  #last: LastCount | undefined;
  #counting: Promise<LastCount> | undefined;
  /** Something has changed since the last count began. */
  #hasChanged = false;

  /** @param now ms of the monotonic clock */
  constructor(stored: Pick<Collection<WorkflowRow>, 'count'>, limits: CountLimits, now = () => performance.now()) {
    this.#stored = stored;
    this.#limits = limits;
    this.#now = now;
  }

  /** Called when a step is first saved. @param before the row that it was taken on; absent: none */
  noteStep(row: CountedRow, before: CountedRow | undefined): void {
    if (before === undefined) this.#add('byGraph', row.graphName, 1);
    if (!isActive(row.status) && (before === undefined || isActive(before.status)))
      this.#add('byStatus', row.status, 1);
  }

  noteRemoval({ status, graphName }: CountedRow): void {
    this.#add('byGraph', graphName, -1);
    this.#add('byStatus', status, -1);
  }

  /** A name that was not counted yet is counted when it is asked for. */
  #add(what: 'byStatus' | 'byGraph', name: string, change: number): void {
    const counts = this.#last?.[what];
    const count = counts?.get(name);
    this.#hasChanged = true;
    if (count !== undefined) counts?.set(name, Math.max(0, count + change));
  }

  /** @param graphs names; those without a workflow are left out of the answer */
  async read(graphs: readonly string[]): Promise<Pick<Summary['workflows'], 'byStatus' | 'byGraph'>> {
    const last = await this.#lastCount(graphs);
    const missing = graphs.filter((name) => !last.byGraph.has(name));
    for (const [name, count] of await this.#countGraphs(missing)) last.byGraph.set(name, count);
    const active = await this.#countStatuses(workflowStatuses.filter(isActive));
    const counted = graphs.map((name) => [name, last.byGraph.get(name) ?? 0] as const);
    return {
      byStatus: Object.fromEntries([...active, ...last.byStatus]),
      byGraph: Object.fromEntries(counted.filter(([, count]) => count > 0)),
    };
  }

  #lastCount(graphs: readonly string[]): Promise<LastCount> | LastCount {
    if (this.#last !== undefined && this.#now() < this.#last.until) return this.#last;
    this.#counting ??= this.#count(graphs).finally(() => {
      this.#counting = undefined;
    });
    return this.#counting;
  }

  async #count(graphs: readonly string[]): Promise<LastCount> {
    const took = stopwatch();
    this.#hasChanged = false;
    const byStatus = await this.#countStatuses(workflowStatuses.filter((status) => !isActive(status)));
    const byGraph = await this.#countGraphs(graphs);
    const mostMs = Math.min(took() * this.#limits.durations, this.#limits.maxAgeMs);
    const ageMs = this.#hasChanged ? mostMs / SOONER : mostMs;
    this.#last = { byStatus, byGraph, until: this.#now() + ageMs };
    return this.#last;
  }

  #countStatuses(statuses: readonly WorkflowStatus[]): Promise<Map<string, number>> {
    return countsOf(statuses, (status) => this.#stored.count({ status }));
  }

  #countGraphs(names: readonly string[]): Promise<Map<string, number>> {
    return countsOf(names, (graphName) => this.#stored.count({ graphName }));
  }
}

async function countsOf(names: readonly string[], count: (name: string) => Promise<number>) {
  const counts = new Map<string, number>();
  for (const name of names) counts.set(name, await count(name));
  return counts;
}
