/** A private Redis or Valkey on a free loopback port, in its own folder that is removed after `stop`. */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { Redis } from 'ioredis';
import { inPath } from '../ava/on-path.ts';
import { WAIT_MS } from '../ava/patience.ts';
import { removeFolder } from '../ava/remove-folder.ts';
import { freePort, stopped } from './server.ts';

/** Returns the server in `NODEWRIGHT_TEST_REDIS` (a path, or a program on the PATH), or the first one on the PATH. */
export function redisProgram({ NODEWRIGHT_TEST_REDIS: given, PATH }: NodeJS.ProcessEnv): string | undefined {
  const programs = given ? [given] : ['redis-server', 'valkey-server'];
  return programs.map((program) => (program.includes('/') ? program : inPath(PATH, program))).find(Boolean);
}

const program = redisProgram(process.env);
export const noRedis = program ? undefined : 'neither redis-server nor valkey-server is on the PATH';

export interface RedisServer {
  readonly port: number;
  readonly url: string;
  /** Pid of its process; undefined while there is none. */
  readonly pid: number | undefined;
  /** SIGKILL, like a power failure, except that the system still writes its buffers. */
  kill(): Promise<void>;
  /** Starts on the same data and port. Resolves when it serves. */
  start(): Promise<void>;
  /** Stops it with its connections open. Resolves when it has really stopped. */
  pause(): Promise<void>;
  resume(): void;
  /** Returns a client for inspection. */
  client(password?: string): Redis;
  freePort(): Promise<number>;
  stop(): Promise<void>;
}

/** @param settings command line options, such as `--requirepass x`; by default it loses nothing that it acknowledged */
export async function startRedis(...settings: string[]): Promise<RedisServer> {
  if (noRedis) throw new Error(noRedis);
  const server = new Server(await freePort(), settings);
  // Nothing is left when the test process is ended.
  process.once('exit', server.drop);
  await server.start().catch(async (error) => {
    await server.stop();
    throw error;
  });
  return server;
}

class Server implements RedisServer {
  readonly port: number;
  readonly #folder = mkdtempSync(join(tmpdir(), 'nodewright-redis-'));
  readonly #settings: readonly string[];
  readonly #clients = new Set<Redis>();
  #process: ChildProcess | undefined;

  constructor(port: number, settings: readonly string[]) {
    this.port = port;
    this.#settings = settings;
  }

  get url(): string {
    return `redis://127.0.0.1:${this.port}`;
  }

  get pid(): number | undefined {
    return this.#process?.pid;
  }

  async start(): Promise<void> {
    // A replica gets its copy immediately.
    const durable = ['--appendonly', 'yes', '--appendfsync', 'always', '--save', '', '--repl-diskless-sync-delay', '0'];
    const place = ['--bind', '127.0.0.1', '--port', String(this.port), '--dir', this.#folder];
    const server = spawn(program as string, [...place, ...durable, ...this.#settings], {
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    this.#process = server;
    await serves(server);
  }

  async kill(): Promise<void> {
    await gone(this.#process);
  }

  async pause(): Promise<void> {
    this.#process?.kill('SIGSTOP');
    while (!stopped(this.#process?.pid)) await pause(5);
  }

  resume(): void {
    this.#process?.kill('SIGCONT');
  }

  client(password?: string): Redis {
    const client = new Redis(this.port, '127.0.0.1', { maxRetriesPerRequest: 1, ...(password && { password }) });
    // Without a listener, the client prints its errors to the console.
    client.on('error', () => {});
    this.#clients.add(client);
    return client;
  }

  readonly freePort = freePort;

  async stop(): Promise<void> {
    process.off('exit', this.drop);
    for (const client of this.#clients) client.disconnect();
    await gone(this.#process);
    removeFolder(this.#folder);
  }

  readonly drop = (): void => {
    this.#process?.kill('SIGKILL');
    removeFolder(this.#folder);
  };
}

/** Waits for the message in its log, which needs no authentication. */
async function serves(server: ChildProcess): Promise<void> {
  const { stdout } = server;
  if (stdout === null) throw new Error('redis-server has no output');
  let text = '';
  await new Promise<void>((resolve, reject) => {
    const failed = (why: string) => reject(new Error(`redis-server ${why}: ${text}`));
    const timer = setTimeout(() => failed(`did not start within ${WAIT_MS} ms`), WAIT_MS);
    server.once('error', (error) => failed(String(error)));
    server.once('exit', (code) => failed(`ended with ${code}`));
    stdout.on('data', (chunk) => {
      // The log must be read to the end, or the server would block; only the beginning is kept.
      if (text.length < 100_000) text += chunk;
      if (!/Ready to accept connections/.test(text)) return;
      clearTimeout(timer);
      resolve();
    });
  });
}

async function gone(child: ChildProcess | undefined): Promise<void> {
  if (child === undefined || child.exitCode !== null || child.signalCode !== null) return;
  const exited = once(child, 'exit');
  child.kill('SIGKILL');
  await exited;
}
