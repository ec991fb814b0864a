/** The line that a daemon prints on a terminal when it is ready: where its console is. */
import type { Endpoint } from '../../engine/api-port/index.ts';
import type { Listener } from '../endpoint/server.ts';

/** Addresses that mean every interface. */
const everywhere = ['0.0.0.0', '::'];

/** @param listeners in the order of the endpoints @returns undefined: none of them serves the console */
export function greeting(
  endpoints: readonly Pick<Endpoint, 'routers' | 'httpsEnabled'>[],
  listeners: readonly Pick<Listener, 'address' | 'port'>[],
  hasUsers: boolean,
): string | undefined {
  const place = endpoints.findIndex(({ routers }) => routers === 'northbound-api-router');
  const [endpoint, listener] = [endpoints[place], listeners[place]];
  if (endpoint === undefined || listener === undefined) return undefined;
  const { address, port } = listener;
  const host = everywhere.includes(address) ? '127.0.0.1' : address.includes(':') ? `[${address}]` : address;
  const url = `${endpoint.httpsEnabled ? 'https' : 'http'}://${host}:${port}/ui`;
  return `nodewright is ready: ${url}${hasUsers ? '' : ' (create the first user there)'}`;
}
