/** /openapi.json: the interface of this endpoint, generated from its routes. */
import type { Engine } from '../../engine/api-port/index.ts';
import { anyObject } from '../../engine/api-port/schemas.ts';
import { nodeAccess, userAccess } from '../documents/documented-access.ts';
import { openApi } from '../documents/openapi.ts';
import { type Route, route } from '../http/route.ts';

/**
 * @param others the endpoint's other routes; the document also contains its own route
 * @param nodeKeys southbound: whether nodes need the keys of their boots
 */
export function openApiRoute(others: readonly Route[], nodeKeys?: Engine['config']['southboundKeys']): Route {
  const access = nodeKeys === undefined ? userAccess : nodeAccess(nodeKeys);
  const self: Route = route({
    id: 'getOpenApi',
    summary: 'Get this document',
    method: 'GET',
    path: '/openapi.json',
    resourceGroup: 'document',
    answer: { status: 200, schema: anyObject },
    // Made at the first request: it takes longer than the rest of the endpoint.
    handle: async () => {
      document ??= openApi([...others, self], access);
      return { status: 200, body: document };
    },
  });
  let document: ReturnType<typeof openApi> | undefined;
  return self;
}
