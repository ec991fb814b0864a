/** The restrictions of rollouts: a user who creates one, or makes its targets begin, may launch its graph on each of them. */
import type { LauncherRole } from '../../durable/actors/messages.ts';
import { pages } from '../../platform/store/pages.ts';
import type { Collection } from '../../platform/store/port.ts';
import type { LaunchRestrictions } from '../requests/launch-restrictions.ts';
import type { NewRollout } from './rollout-creation.ts';
import type { StoredRollout, StoredTarget } from './stored-rollout.ts';

export class RolloutRestrictions {
  readonly #restrictions: Pick<LaunchRestrictions, 'checkMany' | 'hasRules'>;
  readonly #stored: Pick<Collection<StoredTarget>, 'find'>;

  constructor(
    restrictions: Pick<LaunchRestrictions, 'checkMany' | 'hasRules'>,
    stored: Pick<Collection<StoredTarget>, 'find'>,
  ) {
    this.#restrictions = restrictions;
    this.#stored = stored;
  }

  /** @throws NodewrightError LAUNCH_RESTRICTED */
  async admit({ rollout, targets }: NewRollout): Promise<void> {
    if (!this.#restrictions.hasRules) return;
    for (const [definitionHash, nodes] of nodesByVersion(rollout, targets)) {
      const { id, graph: name, options, launcherRoles } = rollout;
      const launch = { id, name, node: null, options, definitionHash, ...(launcherRoles && { launcherRoles }) };
      await this.#restrictions.checkMany(launch, nodes);
    }
  }

  /** @param launcherRoles of the user whose command makes targets begin @throws NodewrightError LAUNCH_RESTRICTED */
  async admitAgain(rollout: StoredRollout, launcherRoles: readonly LauncherRole[]): Promise<void> {
    if (!this.#restrictions.hasRules) return;
    const targets: StoredTarget[] = [];
    for await (const target of pages(this.#stored, { rollout: rollout.id }))
      if (target.status !== 'succeeded') targets.push(target);
    await this.admit({ rollout: { ...rollout, launcherRoles }, targets });
  }
}

/** A SKU may have a version of the graph of its own. */
function nodesByVersion(
  { definitionHash }: Pick<StoredRollout, 'definitionHash'>,
  targets: readonly StoredTarget[],
): ReadonlyMap<string, readonly string[]> {
  const byVersion = new Map<string, string[]>();
  for (const { node, definitionHash: hash = definitionHash } of targets) {
    const nodes = byVersion.get(hash);
    if (nodes === undefined) byVersion.set(hash, [node]);
    else nodes.push(node);
  }
  return byVersion;
}
