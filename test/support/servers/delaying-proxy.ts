/** A slow way to a daemon: answers arrive later by a delay, in their order. */
import { once } from 'node:events';
import { connect, createServer, type Socket } from 'node:net';
import type { Scope } from '../ava/scope.ts';

/** @param target a port on this machine. @returns the port of the proxy */
export async function startDelayingProxy(t: Scope, target: number, delayMs: number): Promise<number> {
  const open = new Set<Socket>();
  const server = createServer((client) => {
    const daemon = connect(target, '127.0.0.1');
    const end = () => {
      for (const socket of [client, daemon]) {
        open.delete(socket);
        socket.destroy();
      }
    };
    for (const socket of [client, daemon]) {
      open.add(socket);
      socket.on('error', end).on('close', end);
    }
    client.pipe(daemon);
    daemon.on('data', (data) => void setTimeout(() => client.write(data), delayMs));
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  t.teardown(async () => {
    const closed = once(server, 'close');
    server.close();
    for (const socket of open) socket.destroy();
    await closed;
  });
  return (server.address() as { port: number }).port;
}
