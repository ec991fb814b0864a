/** The origin of a request: addresses, Host and disconnection. */
import { isIP } from 'node:net';
import type { Context } from 'koa';
import type { Endpoint } from '../../engine/api-port/index.ts';

/** An address of IPv4 also comes in the form of IPv6. */
export const plainAddress = (address: string): string => address.replace(/^::ffff:/i, '');
const socketAddress = (ctx: Context): string => plainAddress(ctx.req.socket.remoteAddress ?? '');

/** The last entry of X-Forwarded-For was added by our own proxy; clients can forge the others. */
function forwardedAddress(ctx: Context): string | undefined {
  const address = plainAddress(ctx.get('x-forwarded-for').split(',').at(-1)?.trim() ?? '');
  return isIP(address) === 0 ? undefined : address;
}

export function clientAddress(ctx: Context, endpoint: Endpoint): string {
  return (endpoint.proxiesEnabled && forwardedAddress(ctx)) || socketAddress(ctx);
}

const isLoopback = (address: string): boolean => address === '::1' || /^127\.\d+\.\d+\.\d+$/.test(address);

/**
 * Returns true for a client on this machine. The socket's address decides; behind a local proxy the header can only
 * withdraw the right, never grant it.
 */
export function isLocal(ctx: Context, endpoint: Endpoint): boolean {
  return isLoopback(socketAddress(ctx)) && isLoopback(clientAddress(ctx, endpoint));
}

/** Names of this machine in a Host header, with or without a port. */
const LOCAL_HOST = /^(?:localhost|127\.\d+\.\d+\.\d+|\[::1\])(?::\d+)?$/i;

/**
 * Returns true if the client addressed this machine. A page of another site whose name resolves to this machine (DNS
 * rebinding) also comes from a local browser's socket, but its Host and Origin name that site.
 */
export function meansThisMachine(ctx: Context, { httpsEnabled }: Endpoint): boolean {
  const [host, origin] = [ctx.get('host'), ctx.get('origin')];
  const own = `${httpsEnabled ? 'https' : 'http'}://${host}`;
  return LOCAL_HOST.test(host) && (origin === '' || origin.toLowerCase() === own.toLowerCase());
}

/** The host is inserted into served scripts, so only a name or an address, and a port, are allowed. */
const HOST = /^(?:[A-Za-z0-9._-]{1,255}|\[[0-9A-Fa-f:.]{2,45}\])(?::\d{1,5})?$/;

export function originOf(ctx: Context, { httpsEnabled }: Endpoint): string | undefined {
  const host = ctx.get('host');
  return HOST.test(host) ? `${httpsEnabled ? 'https' : 'http'}://${host}` : undefined;
}

/** Returns a signal that is aborted when the client disconnects or on `closing`; `done` removes the listeners. */
export function hangUp(ctx: Context, closing: AbortSignal): { signal: AbortSignal; done(): void } {
  const gone = new AbortController();
  const fire = () => gone.abort();
  if (closing.aborted) fire();
  closing.addEventListener('abort', fire, { once: true });
  ctx.res.once('close', fire);
  return {
    signal: gone.signal,
    done() {
      closing.removeEventListener('abort', fire);
      ctx.res.off('close', fire);
    },
  };
}
