/** The roles of a user, for launches that the configuration restricts to some (`restrictions`). */
import type { LauncherRole } from '../../engine/api-port/index.ts';
import { admitsGraph } from '../../engine/vocabulary/graph-patterns.ts';
import type { Call, Identity } from '../http/route.ts';
import type { Grant } from '../http/scope.ts';

/**
 * Returns the roles that the request has, as a launch takes them. An API token has a role only with all of its privileges; a request
 * without a user has none.
 * @param graph of the launch: a binding that names graphs has to name it; absent: several, so that each such binding is left out
 * @returns nothing where no launch is restricted
 */
export function rolesForLaunch(
  { engine, identity }: Pick<Call, 'engine' | 'identity'>,
  graph?: string,
): { launcherRoles?: readonly LauncherRole[] } {
  if (engine.config.restrictions.length === 0) return {};
  return { launcherRoles: identity === undefined ? [] : rolesOf(identity, graph) };
}

/**
 * Returns the roles for a command that makes something begin. @param graphOf reads the graph; undefined: there is no such record
 * @returns undefined where no launch is restricted
 */
export async function rolesForCommand(
  { engine, identity }: Pick<Call, 'engine' | 'identity'>,
  graphOf: () => Promise<string | undefined>,
): Promise<readonly LauncherRole[] | undefined> {
  if (engine.config.restrictions.length === 0) return undefined;
  return rolesForLaunch({ engine, identity }, (await graphOf()) ?? '').launcherRoles;
}

/** Returns the roles for a command to a workflow. */
export const rolesForWorkflow = ({ engine, identity }: Pick<Call, 'engine' | 'identity'>, id: string) =>
  rolesForCommand({ engine, identity }, async () => (await engine.workflows.get(id))?.graphName);

function rolesOf({ role, isLimited, grants = [] }: Identity, graph: string | undefined): LauncherRole[] {
  const onSite = role === undefined || isLimited ? [] : [{ role }];
  const counts = (grant: Grant) =>
    !grant.isLimited && (graph === undefined ? grant.graphs === undefined : admitsGraph(grant, graph));
  return [...onSite, ...grants.filter(counts).map(({ role: bound, team }) => ({ role: bound, team }))];
}
