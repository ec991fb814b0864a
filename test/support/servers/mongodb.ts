/**
 * A MongoDB for tests. `openMongoDb` returns an available one: the server in `MONGODB_URL`, or a private one.
 * `startMongoDb` starts a private one, which may be killed and paused: a `mongod` on the PATH, otherwise FerretDB. A
 * private one has a free loopback port and its own folder, removed after `stop`.
 */
import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { MongoClient } from 'mongodb';
import { onPath } from '../ava/on-path.ts';
import { WAIT_MS } from '../ava/patience.ts';
import { removeFolder } from '../ava/remove-folder.ts';
import { buildFerretDb, ferretDb } from './ferretdb.ts';
import { accepts, freePort, stopped } from './server.ts';

const mongod = onPath('mongod');
const given = process.env.MONGODB_URL;

/** The name of the private server. */
export const privateMongoDb = mongod ? 'mongod' : 'FerretDB';
/** The reason why no private server can be started here. */
export const noPrivateMongoDb = mongod ? undefined : await buildFerretDb();
/** The reason why there is no server at all. */
export const noMongoDb = given ? undefined : noPrivateMongoDb;
/** The reason why none can be started with a password and TLS; this is not supported for `mongod`. */
export const noGuardedMongoDb =
  noPrivateMongoDb ?? (mongod || !onPath('openssl') ? 'a password and TLS need FerretDB and openssl' : undefined);

const DATABASE = 'things';

export interface MongoDb {
  /** The URL of a database for this test only. */
  readonly url: string;
  stop(): Promise<void>;
}

export interface PrivateMongoDb extends MongoDb {
  /** Pid of its process; undefined while there is none. */
  readonly pid: number | undefined;
  /** SIGKILL, like a power failure. */
  kill(): Promise<void>;
  /** Starts on the same data and port. Resolves when connections are accepted. */
  start(): Promise<void>;
  /** Stops it with its connections open. Resolves when it has really stopped. */
  pause(): Promise<void>;
  resume(): void;
}

export const openMongoDb = (): Promise<MongoDb> => (given ? share(given) : startMongoDb());

/** Uses a shared server, on which nothing is left. */
async function share(server: string): Promise<MongoDb> {
  const url = new URL(server);
  url.pathname = `/nodewright-test-${randomBytes(6).toString('hex')}`;
  // Users that are defined in a database of the server keep authenticating there.
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

/** The server accepts connections over TLS only, and from this user. */
export interface Guard {
  user: string;
  password: string;
}

export async function startMongoDb(guard?: Guard): Promise<PrivateMongoDb> {
  if (noPrivateMongoDb) throw new Error(noPrivateMongoDb);
  const server = new Server(await freePort(), guard);
  // Nothing is left when the test process is ended.
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
    // FerretDB creates much garbage for each document, and the machine has spare memory.
    const env = { ...process.env, GOGC: '800' };
    this.#child = spawn(program, args, { cwd: this.#folder, env, stdio: ['ignore', 'ignore', 'inherit'] });
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
    // Its data is removed with it, so no clean shutdown is needed; a paused server would not react anyway.
    await gone(this.#child);
    this.drop();
  }

  readonly drop = (): void => {
    this.#child?.kill('SIGKILL');
    removeFolder(this.#folder);
  };
}

/** A self-signed certificate, valid for a day; clients that do not trust it reject it. */
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
  const exited = once(child, 'exit', { signal: AbortSignal.timeout(WAIT_MS) });
  child.kill('SIGKILL');
  await exited;
}
