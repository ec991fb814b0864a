/** Whether a server that asks for a graph can be taken: everything is checked before anything changes. */
import { isDestructive } from '../../client/destruction.ts';
import { requestPlan } from '../../client/shown-plan.ts';
import { ApiError, isPassing } from '../api-error.ts';
import type { Client } from '../client.ts';
import { annotationText, DESTROY, type GraphRequest, INTERRUPT, REQUEST, requestIn } from './annotations.ts';
import type { ParkedServer } from './parked-server.ts';
import { createServerNode, nodeOfServer, type ServerNode } from './server-node.ts';

export interface CheckedRequest {
  request: GraphRequest;
  /** Null: it would be created. */
  node: ServerNode | null;
}

export interface CheckOptions {
  /** Whether a node is created for a server that has none. */
  createsNodes: boolean;
  /** Nothing is changed. */
  isDry: boolean;
}

/** @returns a sentence that says why the server is left alone @throws errors of an outage, and of a token */
export async function checkServerRequest(
  client: Client,
  server: ParkedServer,
  options: CheckOptions,
): Promise<CheckedRequest | string> {
  const request = requestIn(server.annotations);
  if (typeof request === 'string') return request;
  if (server.isDeleted) return 'it is being deleted';
  if (server.usedBy !== undefined && !request.interrupts)
    return annotationText(
      `it is in use, because ${server.usedBy}; the annotation ${REQUEST.inUse}: ${INTERRUPT} takes it anyway`,
    );
  if (!server.isParked && server.obstacle !== undefined) return annotationText(server.obstacle);
  return rejectionOr(async () => {
    const node = await nodeFor(client, server, options);
    if (typeof node === 'string') return node;
    return node === null ? { request, node } : ((await planRejection(client, request, node)) ?? { request, node });
  });
}

async function nodeFor(client: Client, server: ParkedServer, { createsNodes, isDry }: CheckOptions) {
  const node = await nodeOfServer(client, server);
  if (node !== undefined) return node;
  const names = [...server.macs.slice(0, 3), ...(server.serial === undefined ? [] : [server.serial])];
  if (!createsNodes)
    return annotationText(
      `no node has ${names.join(' or ') || 'a MAC of it, which are unknown'}; --create-nodes creates one`,
    );
  if (server.macs.length === 0) return 'it has no MAC yet, by which a node could be created';
  return isDry ? null : createServerNode(client, server);
}

async function planRejection(client: Client, request: GraphRequest, node: ServerNode): Promise<string | undefined> {
  const plan = await requestPlan(client, request, node);
  const [rejection] = plan.rejections;
  if (rejection !== undefined) return annotationText(`${rejection.message} (${rejection.code})`);
  if (isDestructive(plan) && !request.destroys)
    return `${annotationText(request.graph)} destroys data; the annotation ${REQUEST.data}: ${DESTROY} permits it`;
  return undefined;
}

/** A rejection by the daemon is a sentence about this server; an outage or a wrong token concerns all. */
async function rejectionOr<T>(work: () => Promise<T>): Promise<T | string> {
  try {
    return await work();
  } catch (error) {
    if (!(error instanceof ApiError) || isPassing(error) || error.status === 401 || error.status >= 500) throw error;
    return annotationText(error.message);
  }
}
