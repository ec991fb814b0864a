/**
 * Lets another process of this machine copy the embedded database while this one uses it: a backup. SQLite's own way, a
 * connection of that process, is closed: this one has the file alone (`database-thread.mjs`).
 *
 * 1. While a process is connected, the database file is held: commits go to the log only. The file and then the log are
 *    copied as they are; every answered write is in one of them. No request waits for it.
 * 2. The connection is the lease: when it ends, by whatever cause, the file is released.
 * 3. The copy counts only if this process says so at the end: on a full disk, the file is written all the same.
 * 4. The log may not grow without end: the connection is closed then.
 */
import { statSync } from 'node:fs';
import { createServer, type Server, type Socket } from 'node:net';
import { messageOf } from '../../vocabulary/thrown-values.ts';
import { databaseFile } from './data-dir.ts';
import { listenAt, socketIn } from './data-dir-socket.ts';
import type { Database } from './database.ts';
import { needRoom } from './room.ts';

const MAX_LOG_BYTES = 2 ** 30;
const CHECK_INTERVAL_MS = 500;
/** Longer than any disk takes for a copy whose log stays below the maximum. */
const MAX_MS = 1_800_000;

/** Lines from this process: the file is held; it was not written; it was; another copy is being made, or there is no room. */
export const copyAnswers = { held: 'held', kept: 'kept', written: 'written', rejected: 'rejected' } as const;
/** Line from the other process: it has copied both. */
export const COPIED = 'copied';

export const copySocketIn = (dataDir: string): string => socketIn(dataDir, 'copy');

export interface CopyServer {
  close(): Promise<void>;
}

/** Must have the lock of the data directory. @param failed receives why no copies can be made */
export async function serveCopies(
  dataDir: string,
  database: Pick<Database, 'hold'>,
  failed: (reason: string) => void,
): Promise<CopyServer> {
  const copies = new Copies(dataDir, database);
  try {
    await copies.listen();
  } catch (error) {
    failed(messageOf(error));
  }
  return copies;
}

class Copies implements CopyServer {
  readonly #dataDir: string;
  readonly #database: Pick<Database, 'hold'>;
  readonly #server: Server;
  #current: Socket | undefined;
  /** The end of the last hold. */
  #released: Promise<unknown> = Promise.resolve();

  constructor(dataDir: string, database: Pick<Database, 'hold'>) {
    this.#dataDir = dataDir;
    this.#database = database;
    this.#server = createServer((socket) => this.#onConnection(socket));
  }

  listen(): Promise<void> {
    return listenAt(this.#server, copySocketIn(this.#dataDir));
  }

  #onConnection(socket: Socket): void {
    socket.on('error', () => socket.destroy());
    if (this.#current !== undefined) {
      socket.end(`${copyAnswers.rejected} another copy is being made\n`, () => socket.destroy());
      return;
    }
    this.#current = socket;
    this.#released = this.#serve(socket)
      .catch(() => socket.destroy())
      .finally(() => {
        this.#current = undefined;
      });
  }

  async #serve(socket: Socket): Promise<void> {
    let rejection: string | undefined;
    const began = performance.now();
    const copied = new Promise<void>((resolve) => {
      for (const event of ['data', 'end', 'close'] as const) socket.once(event, () => resolve());
    });
    await this.#database.hold(true);
    const look = setInterval(() => {
      rejection ??= this.#rejection(performance.now() - began);
      if (rejection !== undefined) socket.end(`${copyAnswers.rejected} ${rejection}\n`, () => socket.destroy());
    }, CHECK_INTERVAL_MS);
    try {
      socket.write(`${copyAnswers.held}\n`);
      await copied;
    } finally {
      clearInterval(look);
      const isKept = await this.#database.hold(false);
      if (rejection === undefined) socket.end(`${isKept ? copyAnswers.kept : copyAnswers.written}\n`);
    }
  }

  #rejection(ms: number): string | undefined {
    if (ms > MAX_MS) return `the copy takes longer than ${MAX_MS / 60_000} minutes`;
    const log = statSync(`${databaseFile(this.#dataDir)}-wal`, { throwIfNoEntry: false })?.size ?? 0;
    if (log > MAX_LOG_BYTES) return `more than ${MAX_LOG_BYTES} bytes were written during the copy`;
    try {
      needRoom(this.#dataDir);
      return undefined;
    } catch (error) {
      return messageOf(error);
    }
  }

  async close(): Promise<void> {
    this.#server.close();
    this.#current?.destroy();
    await this.#released;
  }
}
