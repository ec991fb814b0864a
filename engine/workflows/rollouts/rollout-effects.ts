/**
 * Runs the effects of a rollout's step, after the step is saved, and again after a crash: changes of targets, launches, cancels, events.
 *
 * 1. Targets change first, so that a target whose workflow may exist is always a running one.
 * 2. The id of a workflow follows from the rollout, the node and its earlier tries, and a launch under an id happens once.
 * 3. A step may be saved long before its effects run: a launch begins only if the window has room then, too.
 * 4. A launch that was rejected is no effect of its own: the next step is based on it. Until that is saved, the launch is
 *    repeated.
 */

import type { WorkflowControl } from '../../api-port/index.ts';
import type { Outbox } from '../../events/broker/outbox.ts';
import { uuidOf } from '../../platform/lib/derived-uuid.ts';
import { byIds } from '../../platform/store/pages.ts';
import type { Collection } from '../../platform/store/port.ts';
import { isRejection, type NodewrightError } from '../../vocabulary/errors.ts';
import { type Publication, publicationOf } from '../../vocabulary/event.ts';
import type { LaunchRequests } from '../requests/launch-requests.ts';
import { unknownNode } from '../requests/node-claim.ts';
import { cancelUnlessEnded } from '../requests/workflow-commands.ts';
import type { InputScope } from './rollout-input.ts';
import type { RolloutEffect, RolloutEventNote, TargetRejection } from './rollout-state.ts';
import { type RolloutTargets, targetState } from './rollout-targets.ts';
import type { StoredRollout, StoredTarget } from './stored-rollout.ts';

export interface EffectsScope extends Pick<InputScope, 'records' | 'blockedBy'> {
  stored: Collection<StoredTarget>;
  targets: RolloutTargets;
  launches: Pick<LaunchRequests, 'launchOnce' | 'retryOnce'>;
  control: Pick<WorkflowControl, 'cancel'>;
  /** Returns those of the ids that nodes have. */
  existingIds(ids: readonly string[]): Promise<ReadonlySet<string>>;
  outbox: Pick<Outbox, 'publish'>;
}

type Launch = Extract<RolloutEffect, { kind: 'launch' }>;

export class RolloutEffects {
  readonly #port: EffectsScope;

  constructor(port: EffectsScope) {
    this.#port = port;
  }

  /** @returns the launches that were rejected @throws if an effect has to be repeated */
  async run(rollout: StoredRollout): Promise<TargetRejection[]> {
    const { id, effects, steps, updatedAt } = rollout;
    if (effects.length === 0) return [];
    await this.#port.targets.apply(id, steps, updatedAt, effects);
    const rejected = await this.#launchAll(
      rollout,
      effects.filter((effect) => effect.kind === 'launch'),
    );
    for (const effect of effects)
      if (effect.kind === 'cancel') await cancelUnlessEnded(this.#port.control, effect.workflow, rollout.cancelledBy);
    const events = effects.flatMap((effect) =>
      effect.kind === 'event' ? [publicationFor(rollout, effect.event)] : [],
    );
    if (events.length > 0) await this.#port.outbox.publish(events);
    return rejected;
  }

  async #launchAll(rollout: StoredRollout, launches: readonly Launch[]): Promise<TargetRejection[]> {
    if (launches.length === 0) return [];
    const targets = await byIds(
      this.#port.stored,
      launches.map(({ target }) => target),
    );
    const existing = await this.#port.existingIds(launches.map(({ node }) => node));
    const isClosed = (await this.#port.blockedBy?.(rollout)) === 'window';
    const byId = new Map(launches.map((launch) => [launch.target, launch]));
    const outcomes = await Promise.allSettled(
      targets.map(async (stored) => {
        const launch = byId.get(stored.id);
        // A later step, of another process, has replaced this one.
        if (launch === undefined || stored.workflow !== launch.workflow || stored.status !== 'running')
          return undefined;
        if (!existing.has(stored.node)) return rejection(stored, unknownNode(stored.node));
        if (isClosed && (await this.#port.records.workflows.load(launch.workflow)) === undefined)
          return { target: targetState(stored), why: 'window' as const, error: CLOSED };
        return this.#launch(rollout, stored, launch.workflow);
      }),
    );
    const failure = outcomes.find((outcome) => outcome.status === 'rejected');
    if (failure !== undefined) throw failure.reason;
    return outcomes.flatMap((outcome) =>
      outcome.status === 'fulfilled' && outcome.value !== undefined ? [outcome.value] : [],
    );
  }

  async #launch(rollout: StoredRollout, stored: StoredTarget, workflow: string): Promise<TargetRejection | undefined> {
    const { id, graph: name, options, domain, createdBy, owner, definition, definitionHash, ticket } = rollout;
    const { launcherRoles, state } = rollout;
    const earlier = stored.attempts.findLast((attempt) => attempt.workflow !== null)?.workflow ?? null;
    const origin = {
      rollout: { id, phase: stored.phase },
      ...(createdBy !== null && { operator: createdBy }),
      ...(ticket !== null && { ticket }),
      ...(owner !== undefined && { team: owner }),
      ...(launcherRoles && { launcherRoles }),
    };
    const retry = {
      ...origin,
      acknowledge: state.phases[stored.phase]?.acknowledge === true,
      ...(definition === 'newest' && { definition }),
    };
    const launching = {
      name,
      options,
      nodeId: stored.node,
      isEncrypted: true as const,
      ...origin,
      ...(definition === 'pinned' && { definitionHash: stored.definitionHash ?? definitionHash }),
      ...(domain !== null && { domain }),
    };
    try {
      const isRetried = earlier !== null && (await this.#port.launches.retryOnce(workflow, earlier, retry));
      if (!isRetried) await this.#port.launches.launchOnce(workflow, launching);
      return undefined;
    } catch (error) {
      // A store that is away: the effect is repeated.
      if (!isRejection(error)) throw error;
      return rejection(stored, error);
    }
  }
}

const CLOSED = { code: 'CONFLICT', message: 'the window of the rollout has no room' };

function rejection(stored: StoredTarget, { code, message }: NodewrightError): TargetRejection {
  const isGone = code === 'NOT_FOUND' && message === unknownNode(stored.node).message;
  const isBusy = code === 'NODE_BUSY' || code === 'TEAM_QUOTA';
  const why = isBusy ? 'busy' : code === 'NODE_HELD' ? 'held' : isGone ? 'gone' : 'rejected';
  return { target: targetState(stored), why, error: { code, message } };
}

function publicationFor({ id, name, graph, owner }: StoredRollout, note: RolloutEventNote): Publication {
  const { n, at, action, severity, status, phase, counts, reason } = note;
  return publicationOf({
    id: uuidOf(`${id} event ${n}`),
    version: '1.0',
    type: 'rollout',
    action,
    severity,
    typeId: id,
    createdAt: at,
    nodeId: null,
    ...(owner !== undefined && { owner }),
    n,
    data: { rolloutId: id, name, graph, status, phase, counts, reason },
  });
}
