/** Nodes as members of their teams see them: a record names no node and no workflow of others. */
import type { Engine, NodeRecord, Why } from '../../engine/api-port/index.ts';
import { violationError } from '../../engine/vocabulary/errors.ts';
import type { TeamScope } from '../http/scope.ts';

/** @param scope undefined: the records as they are */
export async function nodesWithin(
  engine: Engine,
  scope: TeamScope | undefined,
  nodes: readonly NodeRecord[],
): Promise<readonly NodeRecord[]> {
  if (scope === undefined || nodes.length === 0) return nodes;
  const { teams } = scope;
  const targets = nodes.flatMap(({ relations }) => relations.flatMap((relation) => relation.targets));
  const ids = nodes.flatMap(({ workflows, active }) => [...workflows.map(String), ...(active ? [active.id] : [])]);
  const [ownNodes, ownWorkflows] = await Promise.all([
    engine.nodes.ownedBy(teams, targets),
    engine.workflows.ownedBy(teams, ids),
  ]);
  return nodes.map((node) => ({
    ...node,
    relations: node.relations
      .map((relation) => ({ ...relation, targets: relation.targets.filter((id) => ownNodes.has(id)) }))
      .filter((relation) => relation.targets.length > 0),
    workflows: node.workflows.filter((id) => ownWorkflows.has(String(id))),
    active: node.active && ownWorkflows.has(node.active.id) ? node.active : null,
  }));
}

/**
 * Why a node or a workflow waits, as members see it. Without the rollouts, which are of the site, and the console of the machine,
 * whose lines may be older than the time with this team.
 */
export async function whyWithin(engine: Engine, scope: TeamScope | undefined, why: Why): Promise<Why> {
  if (scope === undefined) return why;
  const { holder } = why;
  const isOwn = holder === null || (await engine.workflows.ownedBy(scope.teams, [holder.workflow])).size > 0;
  const waits = isOwn ? {} : { status: null, holder: null, waits: [], suggestions: [] };
  return { ...why, ...waits, rollouts: [], console: null, capture: null };
}

/** Identifiers, for example, are not among them: a rejection would disclose that another node has one. */
const changeable = ['name', 'tags', 'config'];

/** @throws NodewrightError FORBIDDEN for fields that only users of the whole site change */
export function checkMemberChange(scope: TeamScope | undefined, change: object): void {
  const others = scope === undefined ? [] : Object.keys(change).filter((field) => !changeable.includes(field));
  if (others.length === 0) return;
  const message = `is changed by users of the whole site only; members of a team change ${changeable.join(', ')}`;
  throw violationError(
    others.map((path) => ({ path, message })),
    { code: 'FORBIDDEN' },
  );
}
