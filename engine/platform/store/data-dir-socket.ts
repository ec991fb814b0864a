/**
 * Sockets in the data directory of a daemon, for commands of the same user on its machine. They are in a folder that only the
 * owner of the data directory can enter, while the daemon runs.
 */
import { chmodSync, rmSync } from 'node:fs';
import { connect, type Server, type Socket } from 'node:net';
import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { NodewrightError } from '../../vocabulary/errors.ts';
import { codeOf } from '../../vocabulary/thrown-values.ts';

/** The longest path of a socket, with its end, on any system. */
const MAX_PATH = 100;
/** The time that a daemon may take to open its database, which may be upgraded then. */
const START_MS = 60_000;
const CONNECT_INTERVAL_MS = 100;

export const socketIn = (dataDir: string, name: string): string => join(dataDir, 'lock', `${name}.sock`);

const isTooLong = (path: string): boolean => Buffer.byteLength(path) > MAX_PATH;

/** Needs the lock of the data directory. @throws Error when the path is too long, or no socket can be made there */
export async function listenAt(server: Server, path: string): Promise<void> {
  if (isTooLong(path)) throw new Error(`the path ${path} is too long for a socket`);
  // A killed process left it.
  rmSync(path, { force: true });
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen(path, resolve);
  });
  chmodSync(path, 0o600);
  server.unref();
}

/**
 * Connects to the daemon, or works without one. A daemon that starts has the lock, and listens a moment later.
 * @param alone needs the lock
 * @throws NodewrightError DATA_DIR_LOCKED
 */
export async function daemonOr<T>(path: string, alone: () => T | Promise<T>): Promise<Socket | T> {
  for (const until = Date.now() + START_MS; ; await setTimeout(CONNECT_INTERVAL_MS)) {
    const socket = await connectTo(path);
    if (socket !== undefined) return socket;
    try {
      return await alone();
    } catch (error) {
      if (codeOf(error) !== 'DATA_DIR_LOCKED' || isTooLong(path) || Date.now() > until) throw error;
    }
  }
}

/** @returns undefined: no daemon has it */
async function connectTo(path: string): Promise<Socket | undefined> {
  if (isTooLong(path)) return undefined;
  const socket = connect(path);
  try {
    await new Promise<void>((resolve, reject) => {
      socket.once('connect', resolve);
      socket.once('error', reject);
    });
    // Later errors end the lines.
    socket.on('error', () => {});
    return socket;
  } catch (error) {
    if (['ENOENT', 'ECONNREFUSED', 'ENOTSOCK'].includes(codeOf(error))) return undefined;
    throw new NodewrightError('UNAVAILABLE', `the daemon does not answer at ${path} (${codeOf(error)})`);
  }
}
