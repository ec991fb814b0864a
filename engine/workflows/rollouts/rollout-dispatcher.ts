/**
 * The dispatcher of rollouts: takes their steps. The holder of a lease does it, so one process of all.
 *
 * 1. The effects of the last step run before the next one; what they bring about is what it is based on.
 * 2. A step is saved by compare-and-set, then its effects run. If the process dies before the save, nothing has happened; if it dies
 *    after it, the next pass of any process runs the effects again.
 * 3. Two processes may work on one rollout, after a lease was lost: of two steps on one version one is saved, and the effects of
 *    an earlier one change nothing that a later one has changed (`rollout-targets.ts`).
 */

import type { Cluster } from '../../platform/cluster/cluster.ts';
import { now } from '../../platform/lib/clock.ts';
import type { Reconciler } from '../../platform/lib/reconciler.ts';
import type { Channel } from '../../platform/queue/port.ts';
import { pages } from '../../platform/store/pages.ts';
import type { Collection } from '../../platform/store/port.ts';
import { MINUTE_MS } from '../../vocabulary/units.ts';
import { type EffectsScope, RolloutEffects } from './rollout-effects.ts';
import { type InputScope, RolloutInputs } from './rollout-input.ts';
import { isBlocked, isRolloutOver, openIn, type RolloutState, sumCounts } from './rollout-state.ts';
import { stepRollout } from './rollout-step.ts';
import { below, type StoredRollout } from './stored-rollout.ts';

export interface DispatcherScope extends InputScope, EffectsScope {
  rollouts: Collection<StoredRollout>;
  cluster: Pick<Cluster, 'reconciler'>;
  /** Tells the other processes that there is something to do. */
  changes: Channel<null>;
  failed(error: unknown): void;
}

const ROLLOUT_INTERVAL_MS = 2_000;
/** Steps of one rollout in a pass, before others have their turn. */
const STEPS_PER_TURN = 50;
/** Ends within this time are one request. */
const TOGETHER_MS = 50;
/** The age from which a draft counts as abandoned. */
const DRAFT_MS = 10 * MINUTE_MS;

export class RolloutDispatcher {
  readonly #port: DispatcherScope;
  readonly #effects: RolloutEffects;
  readonly #inputs: RolloutInputs;
  readonly #reconciler: Reconciler<'changed'>;
  #unsubscribe: (() => Promise<void>) | undefined;
  #soon: NodeJS.Timeout | undefined;

  constructor(port: DispatcherScope) {
    this.#port = port;
    this.#effects = new RolloutEffects(port);
    this.#inputs = new RolloutInputs(port);
    this.#reconciler = port.cluster.reconciler<'changed'>({
      name: 'rollouts',
      everyMs: ROLLOUT_INTERVAL_MS,
      pass: ({ goesOn }) => this.#pass(goesOn),
      failed: port.failed,
    });
  }

  async start(): Promise<void> {
    this.#unsubscribe = await this.#port.changes.subscribe(() => void this.#reconciler.request('changed'));
    this.#reconciler.start();
  }

  /** Something happened to a rollout: a pass begins soon, in the process that has the lease. */
  announce(): void {
    this.#soon ??= setTimeout(() => {
      this.#soon = undefined;
      // The next pass looks anyway.
      this.#port.changes.publish(null).catch(() => {});
    }, TOGETHER_MS);
  }

  async close(): Promise<void> {
    clearTimeout(this.#soon);
    await this.#unsubscribe?.();
    await this.#reconciler.close();
  }

  async #pass(goesOn: () => Promise<boolean>): Promise<void> {
    let isBehind = false;
    for await (const { id } of pages(this.#port.rollouts, { pending: true })) {
      if (!(await goesOn())) return;
      // The failure of one rollout does not keep the others from their steps.
      const hasMore = await this.dispatch(id, goesOn).catch((error) => this.#port.failed(error));
      isBehind ||= hasMore === true;
    }
    await this.#removeDrafts();
    if (isBehind) void this.#reconciler.request('changed');
  }

  /** Takes the steps of a rollout that are possible now. @returns whether more are */
  async dispatch(id: string, goesOn: () => Promise<boolean> = async () => true): Promise<boolean> {
    for (let steps = 0; steps < STEPS_PER_TURN; steps += 1) {
      const rollout = await this.#port.rollouts.get(id);
      if (rollout === undefined || !rollout.pending || !(await goesOn())) return false;
      const rejected = await this.#effects.run(rollout);
      const input = await this.#inputs.collect(rollout, rejected);
      const next = stepRollout(rollout.state, input);
      const isQuiet = next.effects.length === 0 && sameFreed(rollout.state, next.state);
      const pending = !isIdle(next.state) || next.effects.length > 0;
      if (isQuiet && rollout.effects.length === 0 && pending === rollout.pending) return false;
      // After a concurrent change the effects run again, and the next step is based on that.
      await this.#port.rollouts.replace([
        {
          ...rollout,
          state: next.state,
          status: next.state.status,
          effects: next.effects,
          steps: rollout.steps + 1,
          pending,
          version: rollout.version + 1,
          updatedAt: input.at,
        },
      ]);
      if (isRolloutOver(next.state)) this.#inputs.forget(id);
    }
    return true;
  }

  async #removeDrafts(): Promise<void> {
    const before = new Date(now() - DRAFT_MS).toISOString();
    for (const { id } of await this.#port.rollouts.find({ isDraft: true, createdAt: { $lt: before } })) {
      await this.#port.stored.remove({ id: below(id) });
      await this.#port.rollouts.remove({ id, isDraft: true });
    }
  }
}

const sameFreed = (before: RolloutState, after: RolloutState): boolean => before.freed.length === after.freed.length;

/** Whether nothing happens before a command. */
function isIdle(state: RolloutState): boolean {
  if (isRolloutOver(state)) return true;
  if (state.isRetrying || state.status !== 'paused') return false;
  const isOver = openIn(sumCounts(state.phases)) === 0;
  return !isBlocked(state) && sumCounts(state.phases).running === 0 && !isOver;
}
