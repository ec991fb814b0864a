/**
 * A MongoDB for tests. `openMongoDb` gives whatever there is: the server that `MONGODB_URL` names, or a private one.
 * `startMongoDb` gives a private one, which may be killed and paused: a `mongod` on the PATH, otherwise FerretDB. A private
 * one has a free loopback port and a folder of its own, gone after `stop`.
 */
import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { MongoClient } from 'mongodb';
import { buildFerretDb, ferretDb } from './ferretdb.ts';
import { onPath } from './on-path.ts';
import { accepts, freePort, stopped } from './server.ts';

const mongod = onPath('mongod');
const given = process.env.MONGODB_URL;

/** Why no private server can be started here. */
export const noPrivateMongoDb = mongod ? undefined : await buildFerretDb();
/** Why there is none at all. */
export const noMongoDb = given ? undefined : noPrivateMongoDb;
/** Why none can be started that asks for a password and speaks TLS; a `mongod` is not told to here. */
export const noGuardedMongoDb =
  noPrivateMongoDb ?? (mongod || !onPath('openssl') ? 'a password and TLS need FerretDB and openssl' : undefined);

const DATABASE = 'things';
const START_MS = 30_000;
const GONE_MS = 10_000;

export interface MongoDb {
  /** The URL of a database that is this one's alone. */
  readonly url: string;
  stop(): Promise<void>;
}

export interface PrivateMongoDb extends MongoDb {
  /** Of its process; undefined while there is none. */
  readonly pid: number | undefined;
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

/** It then takes connections over TLS only, and from this user. */
export interface Guard {
  user: string;
  password: string;
}

export async function startMongoDb(guard?: Guard): Promise<PrivateMongoDb> {
  if (noPrivateMongoDb) throw new Error(noPrivateMongoDb);
  const server = new Server(await freePort(), guard);
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
  readonly #guard: Guard | undefined;
  #child: ChildProcess | undefined;

  constructor(port: number, guard: Guard | undefined) {
    this.#port = port;
    this.#guard = guard;
    const url = new URL(`mongodb://127.0.0.1:${port}/${DATABASE}`);
    if (guard) {
      makeCertificate(this.#folder);
      [url.username, url.password] = [guard.user, guard.password].map(encodeURIComponent) as [string, string];
      url.search = `?tls=true&tlsCAFile=${encodeURIComponent(join(this.#folder, 'cert.pem'))}`;
    }
    this.url = url.href;
  }

  get pid(): number | undefined {
    return this.#child?.pid;
  }

  async start(): Promise<void> {
    const [program, ...args] = command(this.#folder, this.#port, this.#guard);
    // FerretDB makes garbage of every document, and the machine has memory to spare.
    const env = { ...process.env, GOGC: '800' };
    this.#child = spawn(program, args, { cwd: this.#folder, env, stdio: ['ignore', 'ignore', 'inherit'] });
    await accepts(this.#port, this.#child, START_MS);
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

/** For itself alone, and for a day: who does not name it refuses it. */
function makeCertificate(folder: string): void {
  const key = [
    '-newkey',
    'ec',
    '-pkeyopt',
    'ec_paramgen_curve:prime256v1',
    '-nodes',
    '-keyout',
    join(folder, 'key.pem'),
  ];
  const subject = ['-subj', '/CN=localhost', '-addext', 'subjectAltName=IP:127.0.0.1', '-days', '1'];
  const { status, stderr } = spawnSync(
    'openssl',
    ['req', '-x509', ...key, ...subject, '-out', join(folder, 'cert.pem')],
    {
      encoding: 'utf8',
    },
  );
  if (status !== 0) throw new Error(`openssl: ${stderr}`);
}

function command(folder: string, port: number, guard: Guard | undefined): [program: string, ...args: string[]] {
  if (mongod) {
    const quiet = ['--quiet', '--logpath', join(folder, 'log')];
    return [mongod, '--dbpath', folder, '--bind_ip', '127.0.0.1', '--port', String(port), ...quiet];
  }
  return [
    ferretDb,
    '--handler=sqlite',
    `--sqlite-url=file:${folder}/`,
    `--state-dir=${folder}`,
    ...(guard ? guarded(folder, port, guard) : [`--listen-addr=127.0.0.1:${port}`]),
    '--debug-addr=-',
    '--telemetry=disable',
    '--log-level=ERROR',
  ];
}

const guarded = (folder: string, port: number, { user, password }: Guard): string[] => [
  '--listen-addr=',
  `--listen-tls=127.0.0.1:${port}`,
  `--listen-tls-cert-file=${join(folder, 'cert.pem')}`,
  `--listen-tls-key-file=${join(folder, 'key.pem')}`,
  '--test-enable-new-auth',
  `--setup-database=${DATABASE}`,
  `--setup-username=${user}`,
  `--setup-password=${password}`,
];

async function gone(child: ChildProcess | undefined): Promise<void> {
  if (child === undefined || child.exitCode !== null || child.signalCode !== null) return;
  const exited = once(child, 'exit', { signal: AbortSignal.timeout(GONE_MS) });
  child.kill('SIGKILL');
  await exited;
}
