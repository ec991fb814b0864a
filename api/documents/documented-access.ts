/** Access in an OpenAPI document: users send tokens, and nodes may send the key of their boot. */
import type { Engine } from '../../engine/api-port/index.ts';
import { privilegesLine, privilegesOf } from '../auth/privileges.ts';
import type { Route } from '../http/route.ts';

type Json = Record<string, unknown>;

export interface DocumentedAccess {
  securitySchemes: Json;
  /** Fields of the operation of a route. */
  fieldsOf(route: Route): Json;
  /** Rejections of senders, with their descriptions. */
  rejectionsOf(route: Route): Record<number, string>;
}

export const userAccess: DocumentedAccess = {
  securitySchemes: {
    header: {
      type: 'apiKey',
      in: 'header',
      name: 'Authorization',
      description: '`JWT <token>` or `Bearer <token>`: a token from /login, or an API token',
    },
    query: { type: 'apiKey', in: 'query', name: 'auth_token' },
    session: { type: 'apiKey', in: 'header', name: 'X-Auth-Token', description: 'token of a Redfish session' },
  },
  fieldsOf: (route) => ({
    description: `Privileges: ${privilegesLine(route)}.`,
    'x-privileges': privilegesOf(route),
    security: userSecurity(route),
  }),
  rejectionsOf: ({ resourceGroup }) =>
    resourceGroup === 'open'
      ? {}
      : { 401: 'The token is missing or not valid', 403: 'The role has none of the required privileges' },
};

function userSecurity({ resourceGroup }: Route): Json[] {
  if (resourceGroup === 'open') return [];
  return resourceGroup === 'sessions' ? [{ session: [] }] : [{ header: [] }, { query: [] }];
}

/** @param keys whether a key is only accepted, or required */
export const nodeAccess = (keys: Engine['config']['southboundKeys']): DocumentedAccess => ({
  securitySchemes: {
    header: {
      type: 'apiKey',
      in: 'header',
      name: 'x-nodewright-key',
      description: 'the key of the boot: `nodewright.key=` on the kernel command line',
    },
    query: { type: 'apiKey', in: 'query', name: 'key' },
  },
  fieldsOf: ({ resourceGroup, keyless = false }) => {
    if (resourceGroup === 'open') return { security: [] };
    const isOptional = keyless || keys === 'accept';
    return { security: [...(isOptional ? [{}] : []), { header: [] }, { query: [] }] };
  },
  rejectionsOf: ({ resourceGroup }) =>
    resourceGroup === 'open'
      ? {}
      : {
          403: 'The key or the address of the sender belongs to another node, or a required key is missing',
          429: 'The node or its address has sent too much',
        },
});
