/**
 * Sets passwords for a command on the machine of the daemon, over a socket in the data directory.
 *
 * 1. Only the owner of the data directory can use it, who can read and change the store as well.
 * 2. A connection has one request, a line of JSON with the name and the hash, and gets one line: an object, with `code` and
 *    `message` if it failed.
 * 3. Size, time and number of requests are limited.
 */
import { createServer, type Socket } from 'node:net';
import { PerMinute } from '../../platform/lib/per-minute.ts';
import { listenAt, socketIn } from '../../platform/store/data-dir-socket.ts';
import { type ErrorCode, errorMeanings } from '../../vocabulary/error-codes.ts';
import { NodewrightError } from '../../vocabulary/errors.ts';
import { objectIn } from '../../vocabulary/json.ts';
import type { LocalPassword } from './local-passwords.ts';

const MAX_BYTES = 4_096;
/** The longest that a connection may take. */
const LIMIT_MS = 5_000;
const CONNECTIONS = 4;
const REQUESTS_PER_MINUTE = 30;

export const passwordSocketIn = (dataDir: string): string => socketIn(dataDir, 'password');

interface Answer {
  code?: string;
  message?: string;
}

export interface PasswordChanges {
  /** Sets the password, and has its entry in the audit log. */
  set(request: LocalPassword): Promise<void>;
  /** Receives unexpected errors. */
  failed(error: unknown): void;
}

export class PasswordSocket {
  readonly #changes: PasswordChanges;
  readonly #quota = new PerMinute(REQUESTS_PER_MINUTE);
  readonly #open = new Map<Socket, Promise<void>>();
  readonly #server = createServer((socket) => this.#onConnection(socket));

  constructor(changes: PasswordChanges) {
    this.#changes = changes;
    this.#server.maxConnections = CONNECTIONS;
  }

  /** Needs the lock of the data directory. @throws Error when no socket can be made there */
  listen(dataDir: string): Promise<void> {
    return listenAt(this.#server, passwordSocketIn(dataDir));
  }

  async close(): Promise<void> {
    this.#server.close();
    for (const socket of this.#open.keys()) socket.destroy();
    await Promise.all(this.#open.values());
  }

  #onConnection(socket: Socket): void {
    socket.on('error', () => socket.destroy());
    const limit = setTimeout(() => socket.destroy(), LIMIT_MS);
    const served = this.#serve(socket).finally(() => {
      clearTimeout(limit);
      this.#open.delete(socket);
    });
    this.#open.set(socket, served);
  }

  async #serve(socket: Socket): Promise<void> {
    const answer = await this.#answer(socket).catch((error: unknown) => this.#rejection(error));
    socket.end(`${JSON.stringify(answer)}\n`, () => socket.destroy());
  }

  async #answer(socket: Socket): Promise<Answer> {
    const request = requestIn(await lineOf(socket));
    if (this.#quota.take() > 0)
      throw new NodewrightError('TOO_MANY_REQUESTS', `found more than ${REQUESTS_PER_MINUTE} in a minute; wait`);
    await this.#changes.set(request);
    return {};
  }

  #rejection(error: unknown): Answer {
    if (error instanceof NodewrightError) return { code: error.code, message: error.message };
    this.#changes.failed(error);
    return { code: 'INTERNAL', message: 'the daemon failed; its log has the reason' };
  }
}

/** @throws NodewrightError INVALID */
async function lineOf(socket: Socket): Promise<string> {
  let text = '';
  try {
    for await (const chunk of socket.setEncoding('utf8').iterator({ destroyOnReturn: false })) {
      text += chunk;
      if (text.includes('\n')) return text.slice(0, text.indexOf('\n'));
      if (text.length > MAX_BYTES) break;
    }
  } catch {} // closed by the other side, or by the limit of time
  throw new NodewrightError('INVALID', `found ${text.length} characters without an end, expected a line`);
}

function requestIn(line: string): LocalPassword {
  const { username, password } = parseLine(line);
  if (typeof username === 'string' && typeof password === 'string' && username !== '' && password !== '')
    return { username, password };
  throw new NodewrightError('INVALID', 'found another request, expected { username, password }');
}

function parseLine(line: string): Record<string, unknown> {
  try {
    return objectIn(JSON.parse(line));
  } catch {
    return {};
  }
}

/** @throws NodewrightError as the daemon answered; UNAVAILABLE without an answer */
export async function askForPassword(socket: Socket, request: LocalPassword): Promise<void> {
  const limit = setTimeout(() => socket.destroy(), 2 * LIMIT_MS);
  try {
    socket.write(`${JSON.stringify(request)}\n`);
    const { code, message = '' }: Answer = parseLine(await lineOf(socket).catch(noAnswer));
    if (code !== undefined) throw new NodewrightError(isErrorCode(code) ? code : 'INTERNAL', message);
  } finally {
    clearTimeout(limit);
    socket.destroy();
  }
}

const isErrorCode = (code: string): code is ErrorCode => Object.hasOwn(errorMeanings, code);

const noAnswer = (): never => {
  throw new NodewrightError('UNAVAILABLE', 'the daemon did not answer, so the password may be set or not; try again');
};
