/**
 * LaunchRestrictions: the key `restrictions`, which says by their roles who may launch what. Every start of a workflow is compared: by a
 * request, a retry, a batch, a rollout, a schedule, a rule, a discovery, or a workflow.
 *
 * 1. The roles are those that the user had at the request. The record of the workflow, the batch, the rollout, the schedule or the
 *    action carries them, and children inherit them: no later launch asks who the user is, nor a provider of users.
 * 2. The rules are those of the daemon that launches, at that time.
 * 3. A record without roles gives no right: of a launch by the daemon itself, or from a time without rules.
 * 4. A role that is bound to a team counts on the nodes that belong to the team at the launch.
 * 5. A launch by a user who fulfils all rules on the whole site, and any launch without rules, costs nothing.
 */
import type { Nodes } from '../../api-port/nodes.ts';
import type { LauncherRole } from '../../durable/actors/messages.ts';
import type { RestrictionRule } from '../../platform/config/restrictions.ts';
import { pause } from '../../platform/lib/pause.ts';
import { NodewrightError } from '../../vocabulary/errors.ts';
import { fittingRules, isAmong, type MatchingRule } from '../approvals/launch-matching.ts';
import type { CheckedLaunch } from './checked-launch.ts';
import type { LaunchPreparation } from './launch-preparation.ts';

interface Dependencies {
  rules: readonly MatchingRule<RestrictionRule>[];
  preparation: Pick<LaunchPreparation, 'plannedWork'>;
  nodes: Pick<Nodes, 'list' | 'ownerOf'>;
}

/** A launch, as far as its restrictions depend on it. */
export type RestrictedLaunch = Pick<
  CheckedLaunch,
  'id' | 'name' | 'node' | 'options' | 'definitionHash' | 'retry' | 'launcherRoles'
>;

const NODES_AT_A_TIME = 20;

export class LaunchRestrictions {
  readonly #deps: Dependencies;

  constructor(deps: Dependencies) {
    this.#deps = deps;
  }

  /** @throws NodewrightError LAUNCH_RESTRICTED, NOT_FOUND (graph) */
  async check(launch: RestrictedLaunch): Promise<void> {
    const fitting = await this.#rulesFor(launch);
    if (fitting.length === 0) return;
    const { node, launcherRoles = [] } = launch;
    const isOwned = node !== null && launcherRoles.some(({ team }) => team !== undefined);
    const owner = isOwned ? ((await this.#deps.nodes.ownerOf(node))?.owner ?? undefined) : undefined;
    const counting = launcherRoles.filter(({ team }) => team === undefined || team === owner);
    const lacking = fitting.find((rule) => !fulfils(rule, counting));
    if (lacking !== undefined) throw launchRestricted(launch, lacking);
  }

  /**
   * Checks launches on many nodes, one by one only if the launch could be restricted on some node.
   * @param nodes undefined: not known yet @throws as `check`
   */
  async checkMany(launch: RestrictedLaunch, nodes: readonly string[] | undefined): Promise<void> {
    const [rule] = await this.#rulesFor({ ...launch, node: null });
    if (rule === undefined) return;
    if (nodes === undefined) throw launchRestricted(launch, rule);
    for (let at = 0; at < nodes.length; at += NODES_AT_A_TIME) {
      await pause();
      await Promise.all(nodes.slice(at, at + NODES_AT_A_TIME).map((node) => this.check({ ...launch, node })));
    }
  }

  /** Whether the configuration has rules. */
  get hasRules(): boolean {
    return this.#deps.rules.length > 0;
  }

  /** Returns the rules about the launch that the user does not fulfil on the whole site. */
  async #rulesFor(launch: RestrictedLaunch) {
    const { rules, preparation, nodes } = this.#deps;
    const onSite = launch.launcherRoles?.filter(({ team }) => team === undefined) ?? [];
    const open = rules.filter((rule) => !fulfils(rule, onSite));
    if (open.length === 0) return [];
    return fittingRules(open, await preparation.plannedWork(launch), isAmong(nodes, launch.node));
  }
}

const fulfils = ({ roles }: Pick<RestrictionRule, 'roles'>, held: readonly LauncherRole[]): boolean =>
  held.some(({ role }) => roles.includes(role));

function launchRestricted(
  { name, node, launcherRoles = [] }: RestrictedLaunch,
  { roles }: Pick<RestrictionRule, 'roles'>,
): NodewrightError {
  const place = node === null ? '' : ` on the node ${node}`;
  const held = launcherRoles.map(({ role, team }) => (team === undefined ? role : `${role} for the team ${team}`));
  const found = held.length === 0 ? 'no role of a user' : held.join(', ');
  const message =
    `${name} is restricted${place}: found ${found}; expected one of ${roles.join(', ')}` +
    `${node === null ? '' : ', on the whole site or for the team of the node'}; ask a user with such a role to launch it`;
  return new NodewrightError('LAUNCH_RESTRICTED', message);
}
