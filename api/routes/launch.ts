/** Shared by the two routes that start a workflow: the request's body and query, the node, and the graph name. */

import { Type } from 'typebox';
import { anyObject, nonEmpty } from '../../engine/api-port/schemas.ts';
import { invalidInput } from '../../engine/vocabulary/errors.ts';
import { noNode, requireFound } from '../http/rejections.ts';
import type { Call } from '../http/route.ts';

export const launchQuery = Type.Object({ name: Type.Optional(nonEmpty) });

/** It is indexed. */
const MAX_DOMAIN = 500;

/** `options` by task label, or `defaults` for all tasks. */
export const launchBody = Type.Object(
  {
    name: Type.Optional(nonEmpty),
    options: Type.Optional(Type.Record(Type.String(), anyObject)),
    domain: Type.Optional(Type.String({ minLength: 1, maxLength: MAX_DOMAIN })),
  },
  { additionalProperties: false },
);

interface Launch {
  name?: string;
  options?: Record<string, Record<string, unknown>>;
  domain?: string;
}

interface LaunchRequest extends Pick<Call, 'identity' | 'header'> {
  query: { name?: string };
  body: Launch;
}

/** The header by which the workflow continues the trace of the caller. */
export function tracedBy({ header }: Pick<Call, 'header'>): { traceparent?: string } {
  const traceparent = header('traceparent');
  return traceparent === '' ? {} : { traceparent };
}

/** @throws NodewrightError NOT_FOUND, or `launch` throws it */
export const launchNodeOf = async ({ engine }: Pick<Call, 'engine'>, identifier: string): Promise<string> =>
  requireFound(await engine.launches.nodeIdOf(identifier), () => noNode(identifier));

/** The query's name takes precedence over the body's. @throws NodewrightError INVALID when both are missing */
export function launchOf({ query, body, identity, header }: LaunchRequest, nodeId: string | null) {
  const name = query.name ?? body.name;
  if (name === undefined) throw invalidInput('name', 'is missing; name the graph in the query or the body');
  const { options = {}, domain } = body;
  const operator = identity === undefined ? {} : { operator: identity.username };
  return { name, options, nodeId, ...(domain !== undefined && { domain }), ...operator, ...tracedBy({ header }) };
}
