/**
 * Limits the connections of an endpoint. Each one is an open file, and so is a file that is sent: without files the daemon accepts no
 * connection at any endpoint, starts no process, and reaches no BMC.
 *
 * 1. All endpoints together use at most half of the files that a process may open.
 * 2. One sender uses at most three quarters of the connections of an endpoint. A proxy sends for others, so it has no such limit.
 * 3. A connection over a limit is closed before a byte of it is read.
 */
import { readFileSync } from 'node:fs';
import type { Server } from 'node:http';
import type { Socket } from 'node:net';
import type { Logger } from 'pino';
import type { Endpoint } from '../../engine/api-port/index.ts';
import { AtOnce, senderGroup } from '../../engine/api-port/values.ts';
import { plainAddress } from '../middleware/client.ts';

/** Where the system does not say how many files a process may open. */
const FILES = 4_096;
/** ms between two lines of the log. */
const LOG_PAUSE_MS = 60_000;

/** Returns the number of connections of each endpoint. */
export function connectionsFor(endpoints: number): number {
  return Math.floor(openFiles() / (2 * endpoints));
}

/** Node.js has raised the soft limit to the hard one. */
function openFiles(): number {
  try {
    const [, soft] = /^Max open files +(\d+)/m.exec(readFileSync('/proc/self/limits', 'utf8')) ?? [];
    return Number(soft ?? FILES);
  } catch {
    return FILES;
  }
}

export function limitConnections(server: Server, { proxiesEnabled }: Endpoint, connections: number, log: Logger): void {
  const ofSender = new AtOnce(proxiesEnabled === true ? connections : Math.ceil((3 * connections) / 4));
  let loggedAt = Number.NEGATIVE_INFINITY;
  const drop = (address: string) => {
    if (performance.now() < loggedAt + LOG_PAUSE_MS) return;
    loggedAt = performance.now();
    log.warn({ address, connections }, 'connections are closed: too many are open; raise the limit of open files');
  };
  server.maxConnections = connections;
  server.on('drop', (dropped) => drop(plainAddress(dropped?.remoteAddress ?? '')));
  server.prependListener('connection', (socket: Socket) => {
    const address = plainAddress(socket.remoteAddress ?? '');
    const release = ofSender.take(senderGroup(address));
    if (release !== undefined) return void socket.once('close', release);
    drop(address);
    socket.destroy();
  });
}
