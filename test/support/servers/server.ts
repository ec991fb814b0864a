/** Common to the private servers of tests: checks whether they accept connections, and whether they have stopped. */
import type { ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { connect, createServer } from 'node:net';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { WAIT_MS } from '../ava/patience.ts';

export async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as { port: number };
  await once(server.close(), 'close');
  return port;
}

/** Resolves when the server accepts connections; rejects when it has ended, or on a timeout. */
export async function accepts(port: number, server: ChildProcess): Promise<void> {
  const until = Date.now() + WAIT_MS;
  while (!(await answers(port))) {
    if (server.exitCode !== null || server.signalCode !== null) throw new Error(`${server.spawnfile} has ended`);
    if (Date.now() > until) throw new Error(`${server.spawnfile} did not start within ${WAIT_MS} ms`);
    await pause(20);
  }
}

async function answers(port: number): Promise<boolean> {
  const socket = connect(port, '127.0.0.1');
  try {
    await once(socket, 'connect');
    return true;
  } catch {
    return false;
  } finally {
    socket.destroy();
  }
}

/** On a busy machine a thread may continue for a while after the signal, and perform one more operation. */
export function stopped(pid: number | undefined): boolean {
  const threads = `/proc/${pid}/task`;
  if (!existsSync(threads)) return true;
  return readdirSync(threads).every((thread) => / T /.test(readFileSync(join(threads, thread, 'stat'), 'utf8')));
}
