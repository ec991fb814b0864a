/**
 * A survey of the active workflows: which are stuck, how many there are of each graph and state, and how long the oldest
 * waits, and which nodes are busy. It reads all active rows, a page at a time; concurrent requests share one survey.
 */

import { withoutNumbers } from '../../durable/step/failure-cause.ts';
import type { WorkflowRow } from '../../durable/step/row.ts';
import { sinceOf, waitsOf } from '../../durable/step/waits.ts';
import type { StuckWorkflow, Survey } from '../../durable/telemetry/workflow-metrics.ts';
import { now } from '../../platform/lib/clock.ts';
import { pages } from '../../platform/store/pages.ts';
import type { Collection } from '../../platform/store/port.ts';
import type { Durations } from './durations.ts';
import { isAgentDue, type StuckCause, stuckCause } from './stuck.ts';

interface SurveyedNodes {
  /** When the agent of a node was last seen. */
  agent(node: string): Promise<{ lastSeenAt: string } | undefined>;
  /** @returns whether the circuit of the BMC of a node is open now */
  restingBmcs(): Promise<(node: string) => Promise<boolean>>;
}

export class Surveyor {
  readonly #stored: Pick<Collection<WorkflowRow>, 'find'>;
  readonly #durations: Pick<Durations, 'usualTimes'>;
  readonly #nodes: SurveyedNodes;
  #underWay: Promise<Survey> | undefined;

  constructor(
    stored: Pick<Collection<WorkflowRow>, 'find'>,
    durations: Pick<Durations, 'usualTimes'>,
    nodes: SurveyedNodes,
  ) {
    this.#stored = stored;
    this.#durations = durations;
    this.#nodes = nodes;
  }

  /** Begun after the call, unless one is waiting to begin: the answer shows what was saved before. */
  survey(): Promise<Survey> {
    const before = this.#underWay ?? Promise.resolve();
    const next = before
      .catch(() => {}) // it was reported to its own callers
      .then(() => this.#look())
      .finally(() => {
        if (this.#underWay === next) this.#underWay = undefined;
      });
    this.#underWay ??= next;
    return next;
  }

  async #look(): Promise<Survey> {
    const survey: Survey = { stuck: [], states: new Map(), oldest: new Map(), oldestMs: null, busyNodes: new Set() };
    const at = now();
    const isBmcResting = await this.#nodes.restingBmcs();
    for await (const row of this.#active()) {
      note(survey, row, at);
      const node = {
        seenAt: await this.#seenAt(row, at),
        isBmcResting: row.node !== null && (await isBmcResting(row.node)),
      };
      const cause = stuckCause(row, await this.#durations.usualTimes(row), at, node);
      if (cause !== undefined) survey.stuck.push(stuckWorkflow(row, cause));
    }
    return survey;
  }

  /** One status at a time, because an index has the rows of one in the order of their ids. */
  async *#active(): AsyncGenerator<WorkflowRow> {
    const pending = new Set<string>();
    for await (const row of pages(this.#stored, { status: 'pending' })) {
      pending.add(row.id);
      yield row;
    }
    for await (const row of pages(this.#stored, { status: 'running' })) if (!pending.has(row.id)) yield row;
  }

  async #seenAt(row: WorkflowRow, at: number): Promise<number | null> {
    const agent = row.node !== null && isAgentDue(row, at) ? await this.#nodes.agent(row.node) : undefined;
    return agent === undefined ? null : Date.parse(agent.lastSeenAt);
  }
}

function stuckWorkflow(row: WorkflowRow, { label, code, message, since }: StuckCause): StuckWorkflow {
  const { id, graphName, node, root, owner } = row;
  const cause = { graph: graphName, task: label, code, message: withoutNumbers(message) };
  const owned = owner === undefined ? {} : { owner };
  return { id, graphName, node, ...(root !== undefined && { root }), ...owned, cause, since };
}

function note(survey: Survey, row: WorkflowRow, at: number): void {
  if (row.node !== null) survey.busyNodes.add(row.node);
  const counts = survey.states.get(row.graphName) ?? new Map<string, number>();
  const state = stateOf(row);
  survey.states.set(row.graphName, counts.set(state, (counts.get(state) ?? 0) + 1));
  const oldest = survey.oldest.get(row.graphName) ?? new Map<string, number>();
  survey.oldest.set(row.graphName, oldest);
  for (const { entry } of waitsOf(row)) {
    const since = entry === undefined ? null : sinceOf(entry);
    if (since === null) continue;
    const ms = Math.max(0, at - Date.parse(since));
    const on = row.error !== null ? 'held' : (entry?.waitingOn ?? 'running');
    oldest.set(on, Math.max(ms, oldest.get(on) ?? 0));
    if (on !== 'running') survey.oldestMs = Math.max(ms, survey.oldestMs ?? 0);
  }
}

function stateOf({ error, paused, tasks }: WorkflowRow): string {
  if (error !== null) return 'suspended';
  if (paused) return 'paused';
  return tasks.some(({ state }) => state === 'waiting') && !tasks.some(({ state }) => state === 'running')
    ? 'waiting'
    : 'running';
}
