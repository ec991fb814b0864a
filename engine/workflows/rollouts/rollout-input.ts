/** Collects what the next step of a rollout is based on: the ends of its workflows, and the targets that could begin. */
import type { Records } from '../../durable/runtime/records.ts';
import { now } from '../../platform/lib/clock.ts';
import { byIds, picking } from '../../platform/store/pages.ts';
import { type HealthState, isActive } from '../../vocabulary/states.ts';
import { gatesByHealth } from './rollout-gates.ts';
import {
  LAUNCHES_PER_STEP,
  limitOf,
  type RolloutBlock,
  type RolloutState,
  type StepInput,
  type TargetEnd,
  type TargetRejection,
} from './rollout-state.ts';
import { type RolloutTargets, targetState } from './rollout-targets.ts';
import type { StoredRollout, StoredTarget } from './stored-rollout.ts';

export interface InputScope {
  targets: RolloutTargets;
  records: {
    storedWorkflows: Pick<Records['storedWorkflows'], 'pick'>;
    storedNodes: Pick<Records['storedNodes'], 'pick'>;
    workflows: Pick<Records['workflows'], 'load'>;
  };
  /** Returns the health of a node. Absent, in a rehearsal: nodes stay well. */
  healthOf?(node: string): Promise<HealthState>;
  /** Returns those of the nodes that have a hold now. Absent, in a rehearsal: all. */
  heldAmong?(nodes: readonly string[]): Promise<ReadonlySet<string>>;
  /** Returns the reason for which the rollout may begin no target now. Absent: there is none. */
  blockedBy?(rollout: StoredRollout): Promise<RolloutBlock | undefined>;
}

/** Running targets that are looked at in one step, in turns if there are more. */
const LOOKED_AT = 1_000;
const ENDS_PER_STEP = 200;
/** Waiting targets that are looked at in one step. */
const WAITING_LIMIT = 500;
const LEFTOVERS_PER_STEP = 200;
const GROUPS_PER_STEP = 500;
/** ms until a launch that was rejected is tried again, although its node seems to be free, or is still held. */
const AGAIN_MS = { busy: 1_000, held: 15_000 } as const;

export class RolloutInputs {
  readonly #port: InputScope;
  /** By rollout: the place from which the next look continues. After a restart it begins at the first. */
  readonly #looked = new Map<string, string>();

  constructor(port: InputScope) {
    this.#port = port;
  }

  async collect(rollout: StoredRollout, rejected: readonly TargetRejection[]): Promise<StepInput> {
    const { id, state } = rollout;
    const running = await this.#runningTargets(rollout);
    const ended = await this.#ended(rollout, running, rejected);
    const input: StepInput = {
      at: new Date(now()).toISOString(),
      ended,
      rejected,
      nextTargets: [],
      busy: {},
      drained: [],
      leftovers: [],
      running: [],
      failed: [],
    };
    const blockedBy = state.status === 'cancelled' ? undefined : await this.#port.blockedBy?.(rollout);
    if (blockedBy !== undefined) input.blockedBy = blockedBy;
    if (state.isRetrying) {
      const failed = await this.#port.targets.findFailed(id, state.phases.length - 1, LEFTOVERS_PER_STEP);
      return { ...input, failed: failed.map(targetState) };
    }
    if (state.status === 'cancelled') {
      const leftovers = await this.#port.targets.leftovers(id, LEFTOVERS_PER_STEP);
      const settled = new Set([...ended, ...rejected].map(({ target }) => target.id));
      const toStop = running.filter((target) => target.place.includes('/on/') && !settled.has(target.id));
      return {
        ...input,
        leftovers: leftovers.map(targetState),
        running: state.cancelRunning ? toStop.slice(0, LEFTOVERS_PER_STEP).map(targetState) : [],
      };
    }
    const mayBegin = state.status === 'running' && blockedBy === undefined;
    return mayBegin ? { ...input, ...(await this.#nextTargets(state, ended, rejected)) } : input;
  }

  forget(id: string): void {
    this.#looked.delete(id);
  }

  async #runningTargets({ id, state }: StoredRollout): Promise<StoredTarget[]> {
    if (state.phases.every(({ counts }) => counts.running === 0)) return [];
    const page = await this.#port.targets.findRunning(id, LOOKED_AT, this.#looked.get(id));
    const last = page.at(-1);
    if (page.length < LOOKED_AT || last === undefined) {
      const isPart = this.#looked.delete(id);
      return isPart && page.length === 0 ? this.#port.targets.findRunning(id, LOOKED_AT) : page;
    }
    this.#looked.set(id, last.place);
    return page;
  }

  async #ended(
    { state }: StoredRollout,
    running: readonly StoredTarget[],
    rejected: readonly TargetRejection[],
  ): Promise<TargetEnd[]> {
    const isRejected = new Set(rejected.map(({ target }) => target.id));
    const looked = running.filter(({ id, workflow }) => workflow !== null && !isRejected.has(id));
    const ids = looked.flatMap(({ workflow }) => workflow ?? []);
    const rows = await byIds(picking(this.#port.records.storedWorkflows, ['status']), ids);
    const statuses = new Map(rows.map(({ id, status }) => [id, status]));
    const over = looked.filter(({ workflow }) => !isActive(statuses.get(workflow ?? '') ?? 'failed'));
    const ends = await Promise.all(over.slice(0, ENDS_PER_STEP).map((target) => this.#end(state, target)));
    return ends.filter((end) => end !== undefined);
  }

  async #end(state: RolloutState, stored: StoredTarget): Promise<TargetEnd | undefined> {
    const row = await this.#port.records.workflows.load(stored.workflow ?? '');
    const target = targetState(stored);
    // Its launch was confirmed before this step: a user deleted it after its end.
    if (row === undefined) return { target, status: 'failed', error: DELETED };
    const { status, error } = row;
    if (isActive(status) || status === 'pending' || status === 'running') return undefined;
    const health = state.gates.some((gate) => 'health' in gate) ? await this.#port.healthOf?.(stored.node) : undefined;
    return {
      target,
      status,
      error: error === null ? null : { code: error.code, message: error.message },
      ...(health !== undefined && { badHealth: gatesByHealth(state.gates, health) }),
    };
  }

  async #nextTargets(
    state: RolloutState,
    ended: readonly TargetEnd[],
    rejected: readonly TargetRejection[],
  ): Promise<Pick<StepInput, 'nextTargets' | 'busy' | 'drained'>> {
    const { id, limits } = state;
    const { counts } = state.phases[state.phase] ?? {};
    const over = [...ended, ...rejected];
    const running = state.phases.reduce((sum, phase) => sum + phase.counts.running, 0) - over.length;
    const room = Math.min(LAUNCHES_PER_STEP, (limits.running ?? Number.POSITIVE_INFINITY) - running);
    // A phase whose last target ends now is followed by the next one in the step; its targets come with the one after.
    if (counts === undefined || room <= 0) return { nextTargets: [], busy: {}, drained: [] };
    const freed = [...new Set([...state.freed, ...over.flatMap(({ target }) => target.groups)])].slice(
      0,
      GROUPS_PER_STEP,
    );
    const heads = await Promise.all(
      freed.map((group) =>
        this.#port.targets.findParked(id, state.phase, group, Math.min(LAUNCHES_PER_STEP, limitOf(limits, group))),
      ),
    );
    const pending =
      counts.pending === 0 ? [] : await this.#port.targets.findPending(id, state.phase, 2 * LAUNCHES_PER_STEP);
    const waiting = counts.waiting === 0 ? [] : await this.#free(await this.#dueTargets(state));
    const nextTargets = [...pending, ...heads.flat(), ...waiting].map(targetState);
    const groups = [...new Set([...freed, ...nextTargets.flatMap((target) => target.groups)])];
    return {
      nextTargets,
      busy: await this.#port.targets.busy(id, groups),
      drained: freed.filter((_, index) => heads[index]?.length === 0),
    };
  }

  async #dueTargets({ id, phase }: RolloutState): Promise<StoredTarget[]> {
    const waiting = await this.#port.targets.findWaiting(id, phase, WAITING_LIMIT);
    const rejected = waiting.flatMap(({ reason, node }) => (reason === 'held' ? node : []));
    const held = (rejected.length > 0 && (await this.#port.heldAmong?.(rejected))) || new Set(rejected);
    const isDue = ({ node, triedAt = '' }: StoredTarget) =>
      now() - Date.parse(triedAt) >= AGAIN_MS[held.has(node) ? 'held' : 'busy'];
    return waiting.filter(isDue);
  }

  /** Returns those whose nodes no workflow holds. */
  async #free(waiting: readonly StoredTarget[]): Promise<StoredTarget[]> {
    const ids = waiting.map(({ node }) => node);
    const rows = await byIds(picking(this.#port.records.storedNodes, ['workflow']), ids);
    const held = new Set(rows.flatMap(({ id, workflow }) => (workflow === null ? [] : [id])));
    return waiting.filter(({ node }) => !held.has(node));
  }
}

const DELETED = { code: 'NOT_FOUND', message: 'the workflow was deleted before its end was counted' };
