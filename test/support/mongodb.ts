/**
 * A MongoDB for tests. `openMongoDb` gives whatever there is: the server that `MONGODB_URL` names, or a private one.
 * `startMongoDb` gives a private one, which may be killed and paused: a `mongod` on the PATH, otherwise FerretDB. A private
 * one has a free loopback port and a folder of its own, gone after `stop`.
 */
import { type ChildProcess, spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { connect, createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { MongoClient } from 'mongodb';
import { buildFerretDb, ferretDb } from './ferretdb.ts';
import { onPath } from './on-path.ts';

const mongod = onPath('mongod');
const given = process.env.MONGODB_URL;

/** Why no private server can be started here. */
export const noPrivateMongoDb = mongod ? undefined : await buildFerretDb();
/** Why there is none at all. */
export const noMongoDb = given ? undefined : noPrivateMongoDb;

const START_MS = 30_000;
const GONE_MS = 10_000;

export interface MongoDb {
  /** The URL of a database that is this one's alone. */
  readonly url: string;
  stop(): Promise<void>;
}

export interface PrivateMongoDb extends MongoDb {
  /** SIGKILL, as a machine that loses power. */
  kill(): Promise<void>;
  /** On the same data and port. Resolves when connections are taken. */
  start(): Promise<void>;
  /** Hangs, with its connections open. Resolves when it really does. */
  pause(): Promise<void>;
  resume(): void;
}

export const openMongoDb = (): Promise<MongoDb> => (given ? share(given) : startMongoDb());

/** Another's server: we leave nothing on it. */
async function share(server: string): Promise<MongoDb> {
  const url = new URL(server);
  url.pathname = `/nodewright-test-${randomBytes(6).toString('hex')}`;
  // Whoever signs in at a database of the server goes on doing so.
  const signIn = new URL(server).pathname.slice(1);
  if (signIn && url.username && !url.searchParams.has('authSource')) url.searchParams.set('authSource', signIn);
  return {
    url: url.href,
    async stop() {
      const client = new MongoClient(url.href);
      await client.db().dropDatabase();
      await client.close();
    },
  };
}

export async function startMongoDb(): Promise<PrivateMongoDb> {
  if (noPrivateMongoDb) throw new Error(noPrivateMongoDb);
  const server = new Server(await freePort());
  // A test process that is made to exit leaves nothing behind.
  process.once('exit', server.drop);
  await server.start().catch(async (error) => {
    await server.stop();
    throw error;
  });
  return server;
}

class Server implements PrivateMongoDb {
  readonly url: string;
  readonly #folder = mkdtempSync(join(tmpdir(), 'nodewright-mongodb-'));
  readonly #port: number;
  #child: ChildProcess | undefined;

  constructor(port: number) {
    this.#port = port;
    this.url = `mongodb://127.0.0.1:${port}/things`;
  }

  async start(): Promise<void> {
    const [program, ...args] = command(this.#folder, this.#port);
    this.#child = spawn(program, args, { cwd: this.#folder, stdio: ['ignore', 'ignore', 'inherit'] });
    await accepts(this.#port, this.#child);
  }

  async kill(): Promise<void> {
    await gone(this.#child);
  }

  async pause(): Promise<void> {
    this.#child?.kill('SIGSTOP');
    while (!stopped(this.#child?.pid)) await pause(5);
  }

  resume(): void {
    this.#child?.kill('SIGCONT');
  }

  async stop(): Promise<void> {
    process.off('exit', this.drop);
    // Its data goes with it, so it need not be asked nicely; a paused one would not answer anyway.
    await gone(this.#child);
    this.drop();
  }

  readonly drop = (): void => {
    this.#child?.kill('SIGKILL');
    rmSync(this.#folder, { recursive: true, force: true });
  };
}

function command(folder: string, port: number): [program: string, ...args: string[]] {
  if (mongod) {
    const quiet = ['--quiet', '--logpath', join(folder, 'log')];
    return [mongod, '--dbpath', folder, '--bind_ip', '127.0.0.1', '--port', String(port), ...quiet];
  }
  return [
    ferretDb,
    '--handler=sqlite',
    `--sqlite-url=file:${folder}/`,
    `--state-dir=${folder}`,
    `--listen-addr=127.0.0.1:${port}`,
    '--debug-addr=-',
    '--telemetry=disable',
    '--log-level=ERROR',
  ];
}

async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as { port: number };
  await once(server.close(), 'close');
  return port;
}

async function accepts(port: number, server: ChildProcess): Promise<void> {
  const until = Date.now() + START_MS;
  while (!(await answers(port))) {
    if (server.exitCode !== null || server.signalCode !== null) throw new Error(`${server.spawnfile} has ended`);
    if (Date.now() > until) throw new Error(`${server.spawnfile} did not start within ${START_MS} ms`);
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

/** On a busy machine a thread may go on for a while after the signal. */
function stopped(pid: number | undefined): boolean {
  const threads = `/proc/${pid}/task`;
  if (!existsSync(threads)) return true;
  return readdirSync(threads).every((thread) => / T /.test(readFileSync(join(threads, thread, 'stat'), 'utf8')));
}

async function gone(child: ChildProcess | undefined): Promise<void> {
  if (child === undefined || child.exitCode !== null || child.signalCode !== null) return;
  const exited = once(child, 'exit', { signal: AbortSignal.timeout(GONE_MS) });
  child.kill('SIGKILL');
  await exited;
}
