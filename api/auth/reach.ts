/**
 * Decides, for all routes, what users may reach with roles on the nodes of teams only.
 *
 * 1. A route without `reach` is denied.
 * 2. A node or workflow of another team, or of none, is answered as if there was none.
 * 3. Lists are limited in the query, so that pages and counts have no trace of the others.
 * 4. A handler has a scope only then: without one, the user may reach the whole site.
 */
import type { Engine } from '../../engine/api-port/index.ts';
import { invalidInput, NodewrightError } from '../../engine/vocabulary/errors.ts';
import { admitsGraph } from '../../engine/vocabulary/graph-patterns.ts';
import { MissingPrivilege, nodeIdNamed, noNode, noWorkflow } from '../http/rejections.ts';
import { holdsOne, neededPrivileges, personalAreas } from '../http/rights.ts';
import type { Identity, Route } from '../http/route.ts';
import type { Grant, OwnedRecords, TeamScope } from '../http/scope.ts';

/** @returns undefined: the whole site @throws MissingPrivilege */
export function scopeOf(
  { privileges, personal = [], grants = [] }: Pick<Identity, 'privileges' | 'personal' | 'grants'>,
  { resourceGroup, method, reach }: Pick<Route, 'resourceGroup' | 'method' | 'reach'>,
): TeamScope | undefined {
  const required = resourceGroup === 'open' ? [] : neededPrivileges(resourceGroup, method);
  if (holdsOne(privileges, required)) return undefined;
  if (personalAreas.has(resourceGroup) && holdsOne(personal, required)) return undefined;
  const sufficient = grants.filter((grant) => holdsOne(grant.privileges, required));
  if (reach === undefined || sufficient.length === 0)
    throw new MissingPrivilege(required, reach === undefined ? {} : { place: 'on the nodes of a team' });
  return { grants: sufficient, teams: teamsIn(sufficient), visible: teamsIn(grants), required };
}

const teamsIn = (grants: readonly Grant[]): string[] => [...new Set(grants.map(({ team }) => team))];

/** Returns the id of a node that the request may reach. @throws NodewrightError NOT_FOUND, MissingPrivilege */
export async function nodeInReach(
  engine: Engine,
  scope: TeamScope | undefined,
  identifier = '',
): Promise<{ id: string; team?: string }> {
  if (scope === undefined) return { id: await nodeIdNamed(engine, identifier) };
  const node = await engine.nodes.ownerOf(identifier);
  const team = teamWithin(scope, node, () => noNode(identifier));
  return { id: node?.id ?? '', team };
}

/** @returns the team of the workflow @throws NodewrightError NOT_FOUND, MissingPrivilege */
export async function checkWorkflow(
  engine: Engine,
  scope: TeamScope | undefined,
  id = '',
): Promise<string | undefined> {
  if (scope === undefined) return undefined;
  return teamWithin(scope, await engine.workflows.ownerOf(id), () => noWorkflow(id));
}

/** @returns the team of the record @throws NodewrightError NOT_FOUND, MissingPrivilege */
export async function checkRecord(engine: Engine, scope: TeamScope, records: OwnedRecords, id = ''): Promise<string> {
  const record = await records.get(engine, id);
  return teamWithin(scope, record && { owner: record.owner ?? null }, () => records.missing(id));
}

/**
 * Returns the scope of a change of many nodes, with its team: that of the first node, which the others have to belong to as well.
 * @param first absent: a filter selects them @param at path of the nodes in the request
 * @returns undefined for a user of the whole site @throws NodewrightError INVALID, NOT_FOUND, MissingPrivilege
 */
export async function scopeOfMany(
  engine: Engine,
  scope: TeamScope | undefined,
  first: string | undefined,
  at: string,
): Promise<TeamScope | undefined> {
  if (scope === undefined) return undefined;
  const teamOf = async (node: string) => (await nodeInReach(engine, scope, node)).team;
  const team = await teamOfMany(scope, { first, at, plural: 'nodes' }, teamOf);
  return { ...scope, ...(team !== undefined && { team }) };
}

interface ManyRecords {
  /** Absent: a filter selects them. */
  first: string | undefined;
  /** Their path in the request. */
  at: string;
  /** Such as `nodes`. */
  plural: string;
}

/**
 * Returns the team of a change of many records: the only one of the member, else that of the first record.
 * @throws NodewrightError INVALID, and those of `teamOf`
 */
export async function teamOfMany(
  { teams }: TeamScope,
  { first, at, plural }: ManyRecords,
  teamOf: (first: string) => Promise<string | undefined>,
): Promise<string | undefined> {
  const [only, ...others] = teams;
  if (others.length === 0) return only;
  if (first === undefined) throw invalidInput(at, `are missing; a member of several teams names the ${plural} of one`);
  return teamOf(first);
}

function teamWithin(
  { teams, visible, required }: TeamScope,
  owned: { owner: string | null } | undefined,
  missing: () => NodewrightError,
): string {
  const owner = owned?.owner ?? null;
  if (owner === null || !visible.includes(owner)) throw missing();
  if (!teams.includes(owner)) throw new MissingPrivilege(required, { place: `on the nodes of ${owner}` });
  return owner;
}

/** @throws NodewrightError FORBIDDEN for a graph that no binding to the team may launch */
export function checkGraph(scope: TeamScope | undefined, team: string | undefined, graph: string): void {
  const rejection = scope && graphRejection(scope, team, graph);
  if (rejection !== undefined) throw rejection;
}

/** @returns undefined: a binding to the team may launch the graph */
export function graphRejection(scope: TeamScope, team: string | undefined, graph: string): NodewrightError | undefined {
  const grants = scope.grants.filter((grant) => grant.team === team);
  if (grants.some((grant) => admitsGraph(grant, graph))) return undefined;
  const allowed = [...new Set(grants.flatMap(({ graphs = [] }) => graphs))].join(', ');
  const message = `${graph} is not among the graphs that this user may launch for the team ${team}; expected ${allowed}`;
  return new NodewrightError('FORBIDDEN', message, { violations: [{ path: 'name', message }] });
}
