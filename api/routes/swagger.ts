/** /swagger: the interface of this endpoint as Swagger 2.0, at the path that RackHD has it. */
import { anyObject } from '../../engine/api-port/schemas.ts';
import { openApi } from '../documents/openapi.ts';
import { swagger } from '../documents/swagger.ts';
import { type Route, route } from '../http/route.ts';

/** @param routes of the endpoint */
export function swaggerRoute(routes: readonly Route[]): Route {
  let document: ReturnType<typeof swagger> | undefined;
  return route({
    id: 'getSwagger',
    summary: 'Get the interface as Swagger 2.0, for generators of clients that read no later version',
    method: 'GET',
    path: '/swagger',
    resourceGroup: 'document',
    answer: { status: 200, schema: anyObject },
    // Made at the first request: it takes longer than the rest of the endpoint.
    handle: async () => {
      document ??= swagger(openApi(routes));
      return { status: 200, body: document };
    },
  });
}
