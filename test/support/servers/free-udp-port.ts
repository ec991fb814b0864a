import { createSocket } from 'node:dgram';
import { once } from 'node:events';

/** Returns a port of this machine that no other socket has at the moment. */
export async function freeUdpPort(host = '127.0.0.1'): Promise<number> {
  const probe = createSocket('udp4').bind(0, host);
  await once(probe, 'listening');
  const { port } = probe.address();
  await new Promise<void>((resolve) => probe.close(() => resolve()));
  return port;
}
