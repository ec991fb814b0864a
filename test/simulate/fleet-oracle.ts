/**
 * Holds the rules of work on many nodes: limits and gates of rollouts, holds, tickets, due times. It judges each workflow when it is
 * saved first, and each step of a rollout, by what was saved before.
 */
import type { VirtualWorld } from '../../engine/assembly/virtual-world.ts';
import type { WorkflowRow } from '../../engine/durable/step/row.ts';
import { isActive } from '../../engine/vocabulary/states.ts';
import { isRolloutOver } from '../../engine/workflows/rollouts/rollout-state.ts';
import { rolloutSpec, type StoredRollout, targetSpec } from '../../engine/workflows/rollouts/stored-rollout.ts';
import {
  runSpec,
  type StoredRun,
  type StoredSchedule,
  scheduleSpec,
} from '../../engine/workflows/schedules/stored-schedule.ts';
import { fleetGraphs } from './kinds.ts';
import type { Rule } from './oracle-rules.ts';

/** Ends of targets of a rollout since it was resumed: all, and those that were saved before its last step. */
interface Ends {
  all: number;
  seen: number;
}

interface TargetEnds {
  failed: Ends;
  /** Ends on nodes whose health is critical. */
  sick: Ends;
}

/** A launch may be on its way while a daemon stands still. */
const UNDER_WAY_MS = 60_000;

export class FleetOracle {
  /** By node, its rack. */
  readonly racks = new Map<string, string>();
  /** Rollouts that were answered. */
  readonly rollouts = new Set<string>();
  /** Nodes whose health is critical. */
  readonly sick = new Set<string>();
  /** By rollout: the times at which its window is open, in ms since the epoch. */
  readonly windows = new Map<string, readonly { from: number; to: number }[]>();
  /** By rollout: how often its failed targets were asked to be retried. */
  readonly retries = new Map<string, number>();
  /** Holds that were answered, and whose removal was not asked for yet. `until`: ms since the epoch. */
  readonly holds = new Map<string, { node: string; until: number }>();
  /** Tickets whose approval was asked for. */
  readonly approved = new Set<string>();
  /** By schedule that was answered, its due times. */
  readonly schedules = new Map<string, string[]>();
  readonly #world: VirtualWorld;
  readonly #fail: (rule: Rule, found: string) => void;
  readonly #now: () => number;
  readonly #ends = new Map<string, TargetEnds>();
  /** By ticket or batch: the workflow or rollout that was started. */
  readonly #started = new Map<string, string>();
  /** By rollout and node: the workflows that were started. */
  readonly #tries = new Map<string, string[]>();

  constructor(world: VirtualWorld, now: () => number, fail: (rule: Rule, found: string) => void) {
    this.#world = world;
    this.#now = now;
    this.#fail = fail;
    world.documents.of<StoredRollout>(rolloutSpec).replaced = (before, after) => this.#stepped(before, after);
  }

  /** Called for each workflow that is saved. @param before undefined: it is new */
  wrote(row: WorkflowRow, before: WorkflowRow | undefined): void {
    if (before === undefined && row.parent === null) this.#began(row);
    const { rollout, status, node } = row;
    if (rollout === undefined || before === undefined || !isActive(before.status) || isActive(status)) return;
    const { failed, sick } = this.#endsOf(rollout);
    if (status === 'failed') failed.all += 1;
    if (node !== null && this.sick.has(node)) sick.all += 1;
  }

  #began(row: WorkflowRow): void {
    const { id, node, rollout, batch, ticket, graphName } = row;
    for (const [hold, held] of this.holds)
      if (held.node === node && this.#now() < held.until)
        this.#fail('HOLD', `${id} began on ${node}, under the hold ${hold}`);
    if (rollout !== undefined) {
      this.#checkTries(row, rollout);
      this.#checkWindow(id, rollout);
      this.#checkLimits(row, rollout);
    }
    if (graphName === fleetGraphs.scheduled) this.#once('DUE_TIME', `the due time of the batch ${batch}`, id);
    if (graphName !== fleetGraphs.approved) return;
    if (ticket === undefined || !this.approved.has(ticket.id))
      this.#fail('TICKET', `${id} began with the ticket ${ticket?.id}, which is not approved`);
    else this.#once('TICKET', `the ticket ${ticket.id}`, rollout ?? id);
  }

  #once(rule: Rule, what: string, workflow: string): void {
    const other = this.#started.get(what);
    if (other !== undefined && other !== workflow) this.#fail(rule, `${what} started ${other} and ${workflow}`);
    this.#started.set(what, workflow);
  }

  #checkTries({ id, node }: WorkflowRow, rollout: string): void {
    const what = `${rollout} ${node}`;
    const tries = this.#tries.get(what) ?? [];
    this.#tries.set(what, [...tries, id]);
    const last = tries.at(-1);
    if (last === undefined || last === id) return;
    if (tries.length > (this.retries.get(rollout) ?? 0))
      this.#fail('TARGET_ONCE', `the node ${node} of the rollout ${rollout} started ${last} and ${id}`);
    const status = this.#world.rows.workflows.rows.all.get(last)?.status;
    if (status !== 'failed') this.#fail('RETRY', `${id} of ${rollout} repeats ${last}, which is ${status}`);
  }

  #checkWindow(id: string, rollout: string): void {
    const spans = this.windows.get(rollout);
    const at = this.#now();
    if (spans === undefined || spans.some(({ from, to }) => from <= at && at < to + UNDER_WAY_MS)) return;
    this.#fail('WINDOW', `${id} of ${rollout} began at ${new Date(at).toISOString()}, while its window is closed`);
  }

  #checkLimits({ id, node }: WorkflowRow, rollout: string): void {
    const stored = this.#world.documents.of<StoredRollout>(rolloutSpec).all.get(rollout);
    const { running = Number.POSITIVE_INFINITY, per = {} } = stored?.state.limits ?? {};
    const others = [...this.#world.rows.workflows.rows.all.values()].filter(
      (row) => row.rollout === rollout && row.id !== id && isActive(row.status),
    );
    if (others.length >= running)
      this.#fail('LIMIT', `${others.length + 1} targets of ${rollout} run, at most ${running}`);
    const rack = this.racks.get(node ?? '');
    const inRack = others.filter((row) => this.racks.get(row.node ?? '') === rack).length;
    const most = per.enclosedBy ?? Number.POSITIVE_INFINITY;
    if (inRack >= most)
      this.#fail('LIMIT', `${inRack + 1} targets of ${rollout} run in the rack ${rack}, at most ${most}`);
  }

  #endsOf(rollout: string): TargetEnds {
    const ends = this.#ends.get(rollout) ?? { failed: { all: 0, seen: 0 }, sick: { all: 0, seen: 0 } };
    this.#ends.set(rollout, ends);
    return ends;
  }

  /** A step is based on what was saved before the step before it, and more. */
  #stepped({ id, state }: StoredRollout, { state: next, effects }: StoredRollout): void {
    const ends = this.#endsOf(id);
    const isResumed = state.status === 'paused' && state.reason?.kind === 'gate' && next.status === 'running';
    const isRetried = next.phases.length > state.phases.length;
    if (isResumed || isRetried) for (const each of Object.values(ends)) each.all = 0;
    else if (effects.some(({ kind }) => kind === 'launch')) this.#checkGates(id, next, ends);
    for (const each of Object.values(ends)) each.seen = each.all;
  }

  #checkGates(id: string, { gates }: StoredRollout['state'], { failed, sick }: TargetEnds): void {
    for (const gate of gates) {
      if ('failures' in gate && failed.seen >= gate.failures)
        this.#fail(
          'GATE',
          `targets of ${id} begin after ${failed.seen} failures, and a gate trips at ${gate.failures}`,
        );
      if ('health' in gate && sick.seen > 0)
        this.#fail('GATE', `targets of ${id} begin after the end on a node that is critical`);
    }
  }

  /** Called when all has been quiet for long. Forgets what has ended. */
  rest(): void {
    this.#checkRollouts();
    this.#checkSchedules();
    for (const each of [this.#started, this.#tries, this.approved, this.rollouts, this.windows, this.retries])
      each.clear();
    this.schedules.clear();
  }

  #checkRollouts(): void {
    const { all } = this.#world.documents.of<StoredRollout>(rolloutSpec);
    const targets = this.#world.documents.of<{ id: string; rollout: string }>(targetSpec).all;
    for (const id of this.rollouts) {
      const rollout = all.get(id);
      if (rollout === undefined) this.#fail('ROLLOUT_ENDS', `the rollout ${id} was answered, and does not exist`);
      else if (!isRolloutOver(rollout.state))
        this.#fail('ROLLOUT_ENDS', `the rollout ${id} is ${rollout.status}: ${JSON.stringify(rollout.state.reason)}`);
    }
    for (const { id, state, pending } of all.values()) if (isRolloutOver(state) && !pending) all.delete(id);
    for (const { id, rollout } of targets.values()) if (!all.has(rollout)) targets.delete(id);
    for (const id of this.#ends.keys()) if (!all.has(id)) this.#ends.delete(id);
  }

  #checkSchedules(): void {
    const runs = [...this.#world.documents.of<StoredRun>(runSpec).all.values()];
    for (const [schedule, due] of this.schedules) {
      const own = new Map(runs.filter((run) => run.schedule === schedule).map((run) => [run.at, run]));
      for (const at of due) {
        const status = own.get(at)?.status;
        if (status === undefined) this.#fail('DUE_TIME', `${at} of the schedule ${schedule} was forgotten`);
        if (status === 'queued')
          this.#fail('DUE_TIME', `${at} of the schedule ${schedule} is in the queue, and nothing runs`);
      }
      const strange = [...own.keys()].find((at) => !due.includes(at));
      if (strange !== undefined)
        this.#fail('DUE_TIME', `the schedule ${schedule} ran at ${strange}, which was not due`);
    }
    this.#checkStarted(runs);
    this.#world.documents.of<StoredRun>(runSpec).all.clear();
    const schedules = this.#world.documents.of<StoredSchedule>(scheduleSpec).all;
    for (const { id, nextAt, lookAt } of schedules.values())
      if (nextAt === null && lookAt === null) schedules.delete(id);
  }

  /** Each workflow of a schedule belongs to a due time. */
  #checkStarted(runs: readonly StoredRun[]): void {
    const batches = new Set(runs.flatMap(({ status, batch }) => (status === 'started' ? (batch ?? []) : [])));
    for (const { id, graphName, batch } of this.#world.rows.workflows.rows.all.values())
      if (graphName === fleetGraphs.scheduled && !batches.has(batch ?? ''))
        this.#fail('DUE_TIME', `the workflow ${id} of the batch ${batch} belongs to no due time that was started`);
  }
}
