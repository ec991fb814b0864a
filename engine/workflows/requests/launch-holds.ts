/**
 * LaunchHolds: the holds of a node that refuse a launch, and those that a user overrides.
 *
 * 1. The claim of the node asks, in each start of a workflow that takes a node (`node-claim.ts`): by a request, a batch, a
 *    discovery, a retry, or a workflow on another node. A child on the node of its parent belongs to a workflow that runs.
 * 2. A hold of `power` refuses a launch that may change the power: a graph that is not known before it runs counts as one.
 * 3. A legal hold cannot be overridden.
 */
import type { HoldRecord, OverrideRequest } from '../../api-port/holds.ts';
import type { HoldOverride, SeenHolds } from '../../durable/actors/messages.ts';
import type { HoldRequests } from '../../inventory/holds/hold-requests.ts';
import { blocksAny } from '../../inventory/holds/stored-hold.ts';
import { NodewrightError, rejectViolations } from '../../vocabulary/errors.ts';
import type { CheckedLaunch } from './checked-launch.ts';
import type { LaunchPreparation } from './launch-preparation.ts';

/** The decision about the holds that a launch meets. */
export interface LaunchPass {
  seen: SeenHolds;
  /** Absent: it overrides none. */
  override?: HoldOverride;
}

export class LaunchHolds {
  readonly #holds: Pick<HoldRequests, 'on'>;
  readonly #preparation: Pick<LaunchPreparation, 'graphOf' | 'mayChangePower'>;

  constructor(holds: Pick<HoldRequests, 'on'>, preparation: Pick<LaunchPreparation, 'graphOf' | 'mayChangePower'>) {
    this.#holds = holds;
    this.#preparation = preparation;
  }

  /** @param mark of the actor, read before @throws NodewrightError NODE_HELD */
  async pass(launch: CheckedLaunch, mark: string): Promise<LaunchPass> {
    const { holds, isEmpty } = await this.#holds.on(launch.node ?? '');
    const seen = { mark, areGone: isEmpty };
    const obstacles = await this.#obstacles(holds, launch);
    if (obstacles.length === 0) return { seen };
    const { override } = launch;
    const remaining = obstacles.filter(({ id, kind }) => kind === 'legal' || override?.holds.includes(id) !== true);
    if (remaining.length > 0 || override === undefined) throw nodeHeld(remaining);
    const overridden = obstacles.map(({ id, kind, reason, createdBy }) => ({ id, kind, reason, createdBy }));
    return { seen, override: { holds: overridden, reason: override.reason, by: launch.operator } };
  }

  /** @throws NodewrightError NODE_HELD when the launch would be refused now */
  async check(launch: CheckedLaunch): Promise<void> {
    if (launch.node !== null) await this.pass(launch, '');
  }

  /** Rejects an override that names anything else than holds of the node. @throws NodewrightError INVALID */
  async checkOverride(node: string | null, override: OverrideRequest): Promise<void> {
    const { holds } = node === null ? { holds: [] } : await this.#holds.on(node);
    const ids = new Set(holds.map(({ id }) => id));
    rejectViolations(
      override.holds.flatMap((id, at) =>
        ids.has(id) ? [] : [{ path: `override.holds.${at}`, message: `${id} is no hold of the node, or has ended` }],
      ),
    );
  }

  async #obstacles(holds: readonly HoldRecord[], launch: CheckedLaunch): Promise<readonly HoldRecord[]> {
    const ofPower = holds.filter((hold) => blocksAny(hold, ['power']) && !blocksAny(hold, ['launch']));
    const isPower = ofPower.length > 0 && (await this.#mayChangePower(launch));
    return holds.filter((hold) => blocksAny(hold, isPower ? ['launch', 'power'] : ['launch']));
  }

  async #mayChangePower(launch: CheckedLaunch): Promise<boolean> {
    return this.#preparation.mayChangePower(await this.#preparation.graphOf(launch), launch);
  }
}

function nodeHeld(holds: readonly HoldRecord[]): NodewrightError {
  const violations = holds.map((hold) => ({ path: 'node', message: holdText(hold) }));
  const texts = violations.map(({ message }) => message).join('; ');
  return new NodewrightError('NODE_HELD', `the node is held: ${texts}`, { violations });
}

const holdText = ({ id, kind, reason, until, createdBy }: HoldRecord): string =>
  `${kind} by ${createdBy ?? 'an unknown user'}: ${reason} (hold ${id}${until === null ? '' : `, until ${until}`}${
    kind === 'legal' ? ', which cannot be overridden' : ''
  })`;
