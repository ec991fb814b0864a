/** Requests of users to rollouts: plans, creation, reads, commands, deletion. Steps are the dispatcher's. */

import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import type { UsualMs } from '../../api-port/diagnosis.ts';
import type { Page, PagedList } from '../../api-port/page.ts';
import {
  beginningCommands,
  type RolloutAction,
  type RolloutPlanRecord,
  type RolloutRecord,
  type RolloutRequest,
  type Rollouts,
  type TargetRecord,
} from '../../api-port/rollouts.ts';
import type { LauncherRole } from '../../durable/actors/messages.ts';
import type { Graph } from '../../library/types.ts';
import { now } from '../../platform/lib/clock.ts';
import { pages } from '../../platform/store/pages.ts';
import { changeVersioned } from '../../platform/store/versioned.ts';
import { countText } from '../../vocabulary/count-texts.ts';
import { NodewrightError, type Violation } from '../../vocabulary/errors.ts';
import { redactedOptions } from '../requests/redacted-workflow.ts';
import type { TeamQuota } from '../requests/team-quota.ts';
import { commandRollout, pausedBy } from './rollout-commands.ts';
import { type CreationScope, type NewRollout, RolloutCreation } from './rollout-creation.ts';
import { type DispatcherScope, RolloutDispatcher } from './rollout-dispatcher.ts';
import { type PlanScope, planRejections } from './rollout-rejections.ts';
import type { RolloutRestrictions } from './rollout-restrictions.ts';
import { isRolloutOver, type RolloutEffect, sumCounts } from './rollout-state.ts';
import { rolloutView, targetView } from './rollout-views.ts';
import { below, type StoredRollout, type StoredTarget } from './stored-rollout.ts';

export interface RolloutsPort extends CreationScope, DispatcherScope, PlanScope {
  tickets: {
    /** Keeps its ticket for a rollout. @throws NodewrightError TICKET_REQUIRED, TICKET_MISMATCH, NOT_FOUND (ticket) */
    admit(draft: NewRollout): Promise<void>;
    /** Uses the ticket of a rollout if it is approved. @returns whether its targets may begin */
    take(rollout: StoredRollout): Promise<boolean>;
  };
  restrictions: Pick<RolloutRestrictions, 'admit' | 'admitAgain'>;
  /** Returns a version of a graph. @throws NodewrightError DEFINITION_GONE */
  pinnedGraph(hash: string): Promise<Graph>;
  /** @param team only its workflows; absent: all */
  usualTimes(
    version: { definitionHash: string; graphName: string },
    team?: string,
  ): Promise<ReadonlyMap<string, UsualMs>>;
  quota: Pick<TeamQuota, 'run'>;
  /** @throws NodewrightError RETRY_UNSAFE if a retry would run `once` tasks again */
  checkRetry(workflow: string): Promise<void>;
}

/** Rollouts that have not ended. */
const OPEN_LIMIT = 100;
/** ms for the steps that follow a command, after which it is answered anyway; ms between two looks at them. */
const FOLLOWED_MS = 5_000;
const FOLLOW_MS = 50;
const CHECKS_AT_A_TIME = 20;

export class RolloutRequests implements Rollouts {
  readonly #port: RolloutsPort;
  readonly #creation: RolloutCreation;
  readonly #dispatcher: RolloutDispatcher;

  constructor(port: RolloutsPort) {
    this.#port = port;
    this.#creation = new RolloutCreation(port);
    this.#dispatcher = new RolloutDispatcher(port);
  }

  start(): Promise<void> {
    return this.#dispatcher.start();
  }

  close(): Promise<void> {
    return this.#dispatcher.close();
  }

  /** A workflow of a rollout ended. */
  noteEnd(): void {
    this.#dispatcher.announce();
  }

  async plan(request: RolloutRequest): Promise<RolloutPlanRecord> {
    return this.planOf(await this.draft(request));
  }

  /** Computes a rollout without storing anything. @throws as `plan` */
  draft(request: RolloutRequest): Promise<NewRollout> {
    return this.#creation.draft(randomUUID(), new Date(now()).toISOString(), request);
  }

  async planOf({ rollout, targets }: NewRollout): Promise<RolloutPlanRecord> {
    const {
      id: _,
      createdBy: __,
      owner: ______,
      createdAt: ___,
      updatedAt: ____,
      finishedAt: _____,
      ...planned
    } = await this.#view(rollout);
    return {
      ...planned,
      targets: targets.map(({ node, phase, sequence }) => ({ node, phase, sequence })),
      rejections: await planRejections(this.#port, rollout, targets),
    };
  }

  /**
   * Checks a rollout that will have no ticket. Nothing is stored.
   * @returns its options with their secrets encrypted @throws NodewrightError as `create`
   */
  async check(request: RolloutRequest): Promise<Record<string, unknown>> {
    const { ticket: _, ...own } = request;
    const draft = await this.draft(own);
    await this.#port.restrictions.admit(draft);
    await this.#port.tickets.admit(draft);
    return draft.rollout.options;
  }

  create(request: RolloutRequest): Promise<RolloutRecord> {
    return this.#create(randomUUID(), request);
  }

  /**
   * Creates a rollout at most once under this id. A draft that a dead process left is in the way until the dispatcher removes it.
   * @param request its options are encrypted already
   * @throws NodewrightError as `create`, UNAVAILABLE (there is such a draft)
   */
  async createOnce(id: string, request: RolloutRequest): Promise<void> {
    const stored = await this.#port.rollouts.get(id);
    if (stored?.isDraft)
      throw new NodewrightError('UNAVAILABLE', `the rollout ${id} is being created; try again shortly`);
    if (stored === undefined) await this.#create(id, request, true);
  }

  async #create(id: string, request: RolloutRequest, isEncrypted?: true): Promise<RolloutRecord> {
    const draft = await this.#creation.draft(id, new Date(now()).toISOString(), request, isEncrypted);
    const open = await this.#port.rollouts.count({ status: { $in: ['running', 'paused'] }, isDraft: false });
    if (open >= OPEN_LIMIT)
      throw new NodewrightError('TOO_MANY_REQUESTS', `${open} rollouts have not ended; wait for one, or cancel one`);
    await this.#port.restrictions.admit(draft);
    await this.#port.quota.run(draft.rollout.owner, async () => {
      await this.#port.tickets.admit(draft);
      await this.#pauseBlocked(draft.rollout);
      await this.#creation.store(draft);
    });
    this.#dispatcher.announce();
    return this.#view(draft.rollout);
  }

  /** A rollout that may not begin yet is paused from the beginning. */
  async #pauseBlocked(rollout: StoredRollout): Promise<void> {
    const kind = await this.#port.blockedBy?.(rollout);
    if (kind === undefined) return;
    const { state, effects } = pausedBy(rollout.state, kind, rollout.createdAt);
    Object.assign(rollout, { state, status: state.status, effects: [...rollout.effects, ...effects] });
  }

  async get(id: string): Promise<RolloutRecord | undefined> {
    const rollout = await this.#rolloutOf(id);
    return rollout && this.#view(rollout);
  }

  async list({ filter, ...page }: Page): Promise<PagedList<RolloutRecord>> {
    const listed = { $and: [{ isDraft: false }, filter] };
    const rollouts = await this.#port.rollouts.find(listed, { ...page, sort: page.sort ?? { createdAt: 1 } });
    return {
      items: await Promise.all(rollouts.map((rollout) => this.#view(rollout))),
      total: await this.#port.rollouts.count(listed),
    };
  }

  async targets(id: string, { filter, ...page }: Page): Promise<PagedList<TargetRecord> | undefined> {
    const rollout = await this.#rolloutOf(id);
    if (rollout === undefined) return undefined;
    const listed = { $and: [{ id: below(id) }, filter] };
    const targets = await this.#port.stored.find(listed, page);
    return {
      items: targets.map((target) => targetView(target, rollout.state)),
      total: await this.#port.stored.count(listed),
    };
  }

  async act(
    id: string,
    action: RolloutAction,
    by?: string,
    roles?: readonly LauncherRole[],
  ): Promise<RolloutRecord | undefined> {
    // Only the retry of an ended one adds to those that count.
    const before = action.command === 'retry-failed' ? await this.#rolloutOf(id) : undefined;
    const begins = before !== undefined && isRolloutOver(before.state);
    const change = () => this.#change(id, action, by, roles);
    const saved = await (begins ? this.#port.quota.run(before.owner, change) : change());
    if (saved === undefined) return undefined;
    this.#dispatcher.announce();
    return this.#view(await this.#awaitSteps(saved));
  }

  /** Waits for the steps after a command, so that the targets that are read after its answer are as it says. */
  async #awaitSteps(saved: StoredRollout): Promise<StoredRollout> {
    let rollout = saved;
    for (const until = now() + FOLLOWED_MS; isFollowing(rollout) && now() < until; ) {
      await sleep(FOLLOW_MS);
      rollout = (await this.#rolloutOf(saved.id)) ?? rollout;
    }
    return rollout;
  }

  #change(
    id: string,
    action: RolloutAction,
    by: string | undefined,
    launcherRoles: readonly LauncherRole[] = [],
  ): Promise<StoredRollout | undefined> {
    const begins = beginningCommands.includes(action.command);
    return changeVersioned(this.#port.rollouts, 'rollout', id, async (rollout) => {
      if (rollout.isDraft) return undefined;
      const at = new Date(now()).toISOString();
      const { state, effects } = commandRollout(rollout.state, { ...action, at, ...(by !== undefined && { by }) });
      if (begins) await this.#port.restrictions.admitAgain(rollout, launcherRoles);
      if (action.command === 'retry-failed' && action.acknowledge !== true) await this.#checkRetries(id);
      return {
        ...rollout,
        state,
        status: state.status,
        effects: [...rollout.effects, ...effects],
        pending: true,
        ...(begins && { launcherRoles }),
        ...(action.command === 'cancel' && { cancelledBy: by ?? null }),
        updatedAt: at,
      };
    });
  }

  /** @throws NodewrightError RETRY_UNSAFE with the workflows */
  async #checkRetries(id: string): Promise<void> {
    const unsafe: Violation[] = [];
    const check = async ({ node, workflow }: StoredTarget) => {
      try {
        if (workflow !== null) await this.#port.checkRetry(workflow);
      } catch (error) {
        if (!(error instanceof NodewrightError) || error.code !== 'RETRY_UNSAFE') throw error;
        unsafe.push({ path: `targets.${node}`, message: `${workflow}: ${error.message}` });
      }
    };
    let group: StoredTarget[] = [];
    for await (const target of pages(this.#port.stored, { rollout: id, status: 'failed' })) {
      group.push(target);
      if (group.length < CHECKS_AT_A_TIME) continue;
      await Promise.all(group.map(check));
      group = [];
    }
    await Promise.all(group.map(check));
    if (unsafe.length === 0) return;
    const message = `${countText(unsafe.length, 'target')} ${unsafe.length === 1 ? 'has' : 'have'} once tasks that may have taken effect; check their nodes, then send "acknowledge": true`;
    throw new NodewrightError('RETRY_UNSAFE', message, { violations: unsafe });
  }

  async remove(id: string): Promise<boolean> {
    let rollout = await this.#rolloutOf(id);
    if (rollout !== undefined && isRolloutOver(rollout.state) && rollout.pending) {
      // Its last event may not be published yet.
      await this.#dispatcher.dispatch(id);
      rollout = await this.#rolloutOf(id);
    }
    if (rollout === undefined) return false;
    if (!isRolloutOver(rollout.state) || rollout.effects.length > 0) {
      const { status } = rollout.state;
      throw new NodewrightError('CONFLICT', `the rollout ${id} is ${status} and has not ended; cancel it, or wait`);
    }
    await this.#creation.remove(id);
    return true;
  }

  /** For the deletion of windows. A draft uses its window, too. */
  async userOf(window: string): Promise<string | undefined> {
    const [rollout] = await this.#port.rollouts.find({ window, status: { $in: ['running', 'paused'] } }, { limit: 1 });
    return rollout && `the rollout ${rollout.id}`;
  }

  /** For the retention. */
  async removeBefore(before: string): Promise<void> {
    for await (const rollout of pages(this.#port.rollouts, { pending: false, createdAt: { $lt: before } }))
      if (isRolloutOver(rollout.state) && (rollout.state.finishedAt ?? '') < before)
        await this.#creation.remove(rollout.id);
  }

  async #rolloutOf(id: string): Promise<StoredRollout | undefined> {
    const rollout = await this.#port.rollouts.get(id);
    return rollout?.isDraft ? undefined : rollout;
  }

  async #view(rollout: StoredRollout): Promise<RolloutRecord> {
    const { definitionHash, graph: graphName, options, window, owner } = rollout;
    const graph = await this.#port.pinnedGraph(definitionHash).catch(() => undefined);
    const usual = await this.#port.usualTimes({ definitionHash, graphName }, owner);
    const times = window === null ? undefined : await this.#port.windows.get(window);
    return rolloutView(rollout, redactedOptions(options, graph), usual.get(''), times);
  }
}

/** Whether targets are still to be skipped, or moved to a phase of their own. */
function isFollowing({ state, effects }: StoredRollout): boolean {
  const { pending, waiting } = sumCounts(state.phases);
  const has = (kind: RolloutEffect['kind']) => effects.some((effect) => effect.kind === kind);
  if (state.status === 'cancelled') return pending + waiting > 0 || has('settle');
  return state.isRetrying || has('move');
}
