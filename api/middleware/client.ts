/** Where a request comes from. */
import type { Context } from 'koa';
import type { Endpoint } from '../../engine/api-port/index.ts';

const socketAddress = (ctx: Context): string => (ctx.req.socket.remoteAddress ?? '').replace(/^::ffff:/, '');

/** The last entry of X-Forwarded-For is the one our own proxy added; those before it anybody can write. */
const forwarded = (ctx: Context): string => ctx.get('x-forwarded-for').split(',').at(-1)?.trim() ?? '';

export function clientAddress(ctx: Context, endpoint: Endpoint): string {
  return (endpoint.proxiesEnabled && forwarded(ctx)) || socketAddress(ctx);
}

const isLoopback = (address: string): boolean => address === '::1' || /^127\.\d+\.\d+\.\d+$/.test(address);

/**
 * Whether the client is on this machine. The socket decides; behind a proxy on this machine the header can only
 * take the right away, never give it.
 */
export function isLocal(ctx: Context, endpoint: Endpoint): boolean {
  return isLoopback(socketAddress(ctx)) && isLoopback(clientAddress(ctx, endpoint));
}
