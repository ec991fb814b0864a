/** Shared by the two routes that start a workflow: the request's body and query, the node, and the graph name. */

import { Type } from 'typebox';
import { type OverrideRequest, overrideRequest } from '../../engine/api-port/holds.ts';
import { anyObject, nonEmpty } from '../../engine/api-port/schemas.ts';
import type { WorkflowRow } from '../../engine/api-port/workflows.ts';
import { invalidInput } from '../../engine/vocabulary/errors.ts';
import { rolesForLaunch } from '../auth/launcher-roles.ts';
import { checkGraph, nodeInReach } from '../auth/reach.ts';
import { MissingPrivilege } from '../http/rejections.ts';
import { holdsOne, neededPrivileges } from '../http/rights.ts';
import type { Call } from '../http/route.ts';
import type { TeamScope } from '../http/scope.ts';

export const launchQuery = Type.Object({ name: Type.Optional(nonEmpty) });

/** It is indexed. */
const MAX_DOMAIN = 500;

/** `options` by task label, or `defaults` for all tasks. */
export const launchBody = Type.Object(
  {
    name: Type.Optional(nonEmpty),
    options: Type.Optional(Type.Record(Type.String(), anyObject)),
    domain: Type.Optional(Type.String({ minLength: 1, maxLength: MAX_DOMAIN })),
    override: Type.Optional(overrideRequest),
    ticket: Type.Optional(Type.String({ minLength: 1, description: 'id of the ticket under which it starts' })),
  },
  { additionalProperties: false },
);

interface Launch {
  name?: string;
  options?: Record<string, Record<string, unknown>>;
  domain?: string;
  override?: OverrideRequest;
  ticket?: string;
}

interface LaunchRequest extends Pick<Call, 'engine' | 'identity' | 'header' | 'notes' | 'scope'> {
  query: { name?: string };
  body: Launch;
}

/** The header by which the workflow continues the trace of the caller. */
export function tracedBy({ header }: Pick<Call, 'header'>): { traceparent?: string } {
  const traceparent = header('traceparent');
  return traceparent === '' ? {} : { traceparent };
}

const overriding = neededPrivileges('config', 'PUT');

/** Returns the override of a request, and notes it for the audit log. @throws MissingPrivilege */
export function overrideOf(
  { identity, notes }: Pick<Call, 'identity' | 'notes'>,
  { override }: { override?: OverrideRequest },
): { override?: OverrideRequest } {
  if (override === undefined) return {};
  if (identity !== undefined && !holdsOne(identity.privileges, overriding)) throw new MissingPrivilege(overriding);
  notes.override = override;
  return { override };
}

/** Notes for the audit log the ticket under which a workflow started. */
export function noteTicket({ notes }: Pick<Call, 'notes'>, { ticket }: Pick<WorkflowRow, 'ticket'>): void {
  if (ticket !== undefined) notes.ticket = ticket;
}

/**
 * Returns the node that the body of a request names, and the scope with its team. Members name one: without a node, a workflow would
 * belong to no team.
 * @throws NodewrightError NOT_FOUND, INVALID, MissingPrivilege
 */
export async function bodyNode(
  { engine, scope }: Pick<Call, 'engine' | 'scope'>,
  identifier: string | undefined,
  resolve: (identifier: string) => Promise<string>,
): Promise<{ node: string | null; scope?: TeamScope }> {
  if (scope === undefined) return { node: identifier === undefined ? null : await resolve(identifier) };
  if (identifier === undefined) throw invalidInput('node', 'is missing; a member of a team names a node of the team');
  const { id, team } = await nodeInReach(engine, scope, identifier);
  return { node: id, scope: { ...scope, ...(team !== undefined && { team }) } };
}

/** Undefined: the whole site. */
export interface MemberScope {
  scope?: TeamScope | undefined;
}

/** Returns the team in whose name a member launches. @throws NodewrightError FORBIDDEN for a graph that the member may not launch */
export function teamOf({ scope }: MemberScope, graph: string): { team?: string } {
  checkGraph(scope, scope?.team, graph);
  return scope?.team === undefined ? {} : { team: scope.team };
}

/**
 * The query's name takes precedence over the body's.
 * @throws NodewrightError INVALID when both are missing, MissingPrivilege
 */
export function launchOf(call: LaunchRequest, nodeId: string | null) {
  const { query, body, identity, header } = call;
  const name = query.name ?? body.name;
  if (name === undefined) throw invalidInput('name', 'is missing; name the graph in the query or the body');
  const { options = {}, domain, ticket } = body;
  const operator = identity === undefined ? {} : { operator: identity.username };
  return {
    name,
    options,
    nodeId,
    ...(domain !== undefined && { domain }),
    ...(ticket !== undefined && { ticket }),
    ...operator,
    ...teamOf(call, name),
    ...rolesForLaunch(call, name),
    ...overrideOf(call, body),
    ...tracedBy({ header }),
  };
}
