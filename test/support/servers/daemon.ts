/** The real daemon as a separate process, with its own folder and ports, for tests that kill and restart it. */
import { type ChildProcess, spawn } from 'node:child_process';
import { EventEmitter, once } from 'node:events';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import type { Role } from '../../../engine/platform/config/arguments.ts';
import type { ConfigFile } from '../../../engine/platform/config/config.ts';
import { packagePath } from '../../../engine/vocabulary/package-path.ts';
import { shortLived } from '../../node-arguments.mjs';
import { folder } from '../ava/folder.ts';
import { WAIT_MS } from '../ava/patience.ts';
import { OwnScope, type Scope } from '../ava/scope.ts';
import { folders } from '../engine/definition-folders.ts';
import { putServed, putTried } from '../engine/trial-results.ts';
import { putAdministered } from './administered-folder.ts';
import type { Answer } from './api.ts';
import { ALLOCATOR, daemonProgram } from './program.ts';

type Ask = (method: string, path: string, body?: unknown) => Promise<Answer>;

export interface DaemonProcess {
  /** Requests northbound, below `/api/current`, as an Administrator. */
  readonly api: Ask;
  /** Requests southbound, below `/api/current`, without authentication. */
  readonly southbound: Ask;
  /** Like `southbound`, at the root. */
  readonly root: Ask;
  /** At the endpoint of `healthEndpoint`. */
  readonly health: Ask;
  /** Id of the running process. */
  readonly pid: number;
  /** Path of its configuration. */
  readonly file: string;
  /** Returns the URL of a path below `/api/current`, northbound, and the headers of an Administrator. */
  authorized(path: string): { url: string; headers: Record<string, string> };
  /** Returns the URL of a path southbound. */
  southboundUrl(path: string): string;
  /** The latest log lines, as JSON, across restarts. */
  readonly log: readonly string[];
  /** The latest output on stderr. */
  readonly errors: readonly string[];
  /**
   * Starts it (again) on the same data. Resolves when it is ready.
   * @param args additional arguments of the daemon
   */
  start(args?: readonly string[]): Promise<void>;
  /** Resolves when it listens, which is before it is ready. */
  listens(args?: readonly string[]): Promise<void>;
  /** Resolves when the current process has logged this message. */
  becomes(message: string): Promise<void>;
  /** Sends a signal that does not end it, such as SIGSTOP and SIGCONT. */
  signal(signal: NodeJS.Signals): void;
  /** Returns its exit code; null when the signal ended it. */
  kill(signal: NodeJS.Signals): Promise<number | null>;
  /** @param token of before, which is used again if it is valid. @returns that, or a new one */
  logIn(token?: string): Promise<string>;
  /** Resolves with its exit code when it has ended for any reason; null: a signal ended it. */
  ended(): Promise<number | null>;
}

/** Maximum number of kept log lines; a long campaign writes many more. */
const LOG_LINES = 5_000;
/** Credentials of an administrator. */
export const credentials = { username: 'tester', password: 'correct-horse' };

interface Options {
  env?: NodeJS.ProcessEnv;
  config?: ConfigFile;
  /** The program of Node.js; by default the running one. */
  node?: string;
  /** Arguments for Node; by default those of the program of `npm start`. */
  program?: readonly string[];
  /** Its working directory; by default that of the project. */
  cwd?: string;
  /** A command that runs the following command, such as nsenter. */
  enter?: readonly string[];
  /** `worker`: it has no endpoints. */
  role?: Role;
  /**
   * `none`: no user exists, and `api` cannot be used. `new`: the daemon itself creates an Administrator. By default it may
   * get one with its data directory.
   */
  users?: 'none' | 'new';
  /** Fixed southbound port, so that agents find the daemon after a restart. Absent: any. */
  port?: number;
}

/** Killed when the owner `t` ends. @param env such as AMQP_URL */
export async function startDaemonProcess(
  t: Scope,
  {
    env = {},
    node = process.execPath,
    config = {},
    program = daemonProgram(),
    cwd = packagePath('.'),
    enter = [],
    role = 'both',
    port = 0,
    users,
  }: Options = {},
): Promise<DaemonProcess> {
  // Another version of Node.js may lack an argument of this one.
  const early = shortLived(node === process.execPath ? process.version : '');
  const command = [...enter, node, ...early, ...program, '--role', role];
  const daemon = new Daemon(folder(t), { httpEndpoints: endpoints(port), ...config }, env, { command, cwd });
  t.teardown(() => daemon.end());
  const { MONGODB_URL: url = env.MONGODB_URL_FILE } = env;
  const isUsual = config.dataDir === undefined && url === undefined && role === 'both' && users === undefined;
  const token = isUsual ? await putAdministered(daemon.dataDir, administered) : tokens.get(url ?? '');
  if (config.dataDir === undefined)
    await (config.graphs === undefined ? putTried(daemon.dataDir) : putServed(daemon.dataDir, serveFixtures));
  await daemon.start();
  if (role === 'worker' || users === 'none') return daemon;
  const valid = await daemon.logIn(token);
  if (url !== undefined) tokens.set(url, valid);
  return daemon;
}

/** By the URL of a MongoDB: of the daemon that logged in last. */
const tokens = new Map<string, string>();

async function administered(dataDir: string): Promise<string> {
  const scope = new OwnScope();
  try {
    const daemon = await startDaemonProcess(scope, { config: { dataDir }, users: 'new' });
    const token = await daemon.logIn();
    if ((await daemon.kill('SIGTERM')) !== 0) throw new Error('the daemon did not stop');
    return token;
  } finally {
    await scope.close();
  }
}

async function serveFixtures(dataDir: string): Promise<void> {
  const scope = new OwnScope();
  try {
    const daemon = await startDaemonProcess(scope, { config: { dataDir, ...folders }, users: 'none' });
    if ((await daemon.kill('SIGTERM')) !== 0) throw new Error('the daemon with the fixtures did not stop');
  } finally {
    await scope.close();
  }
}

/** How its process is started. */
interface Started {
  command: readonly string[];
  cwd: string;
}

class Daemon implements DaemonProcess {
  readonly log: string[] = [];
  readonly errors: string[] = [];
  readonly file: string;
  /** Default data folder. */
  readonly dataDir: string;
  readonly #started: Started;
  readonly #env: NodeJS.ProcessEnv;
  #child: ChildProcess | undefined;
  #ports: Record<string, number> = {};
  #token = '';
  /** Emits the messages of its log. */
  readonly #said = new EventEmitter();

  constructor(home: string, config: ConfigFile, env: NodeJS.ProcessEnv, started: Started) {
    this.#started = started;
    this.file = join(home, 'config.json');
    this.dataDir = join(home, 'data');
    mkdirSync(this.dataDir);
    writeFileSync(this.file, JSON.stringify({ dataDir: this.dataDir, ...config }));
    const { AMQP_URL: _, REDIS_URL: __, MONGODB_URL: ___, ...own } = process.env;
    this.#env = { ...own, ...ALLOCATOR, ...env, NODEWRIGHT_CONFIG: this.file };
    // Nothing is left when the test process is ended.
    process.once('exit', this.#drop);
  }

  start(args: readonly string[] = []): Promise<void> {
    return this.#run('ready', args);
  }

  listens(args: readonly string[] = []): Promise<void> {
    return this.#run('listening', args);
  }

  async #run(until: string, more: readonly string[]): Promise<void> {
    const { command, cwd } = this.#started;
    const [program = '', ...args] = command;
    const child = spawn(program, [...args, ...more], {
      cwd,
      env: this.#env,
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    this.#child = child;
    const { stdout, stderr } = child;
    if (stdout === null || stderr === null) throw new Error('the daemon has no output');
    createInterface({ input: stderr }).on('line', (line) => {
      console.error(line);
      keep(this.errors, line);
    });
    createInterface({ input: stdout }).on('line', (line) => {
      keep(this.log, line);
      const { msg, endpoints } = parsed(line);
      if (endpoints !== undefined) {
        this.#ports = Object.fromEntries(endpoints.map(({ routers, port }) => [routers, port]));
      }
      this.#said.emit(`says ${msg}`);
    });
    await this.#says(child, until);
  }

  async becomes(message: string): Promise<void> {
    if (this.#child === undefined) throw new Error('the daemon is not running');
    const since = this.log.findLastIndex((line) => parsed(line).msg === 'listening');
    if (this.log.slice(since).some((line) => parsed(line).msg === message)) return;
    await this.#says(this.#child, message);
  }

  #says(child: ChildProcess, until: string): Promise<void> {
    const limit = AbortSignal.timeout(WAIT_MS);
    return new Promise((resolve, reject) => {
      this.#said.once(`says ${until}`, resolve);
      child.once('exit', (code) =>
        reject(new Error(`the daemon ended with ${code}: ${this.log.slice(-50).join('\n')}`)),
      );
      limit.onabort = () => reject(new Error(`the daemon did not log "${until}" within ${WAIT_MS} ms`));
    });
  }

  async logIn(token = ''): Promise<string> {
    this.#token = token;
    if (token !== '' && (await this.api('GET', '/summary')).status !== 401) return token;
    this.#token = '';
    await this.api('POST', '/users', { ...credentials, role: 'Administrator' });
    const { body } = await ask(this.#url('northbound-api-router', '/login'), 'POST', credentials);
    this.#token = body.token;
    return this.#token;
  }

  readonly api: Ask = (method, path, body) =>
    ask(this.#url('northbound-api-router', `/api/current${path}`), method, body, this.#token);

  readonly southbound: Ask = (method, path, body) =>
    ask(this.#url('southbound-api-router', `/api/current${path}`), method, body);

  readonly root: Ask = (method, path) => ask(this.#url('southbound-api-router', path), method);

  readonly health: Ask = (method, path) => ask(this.#url('health-router', path), method);

  get pid(): number {
    return this.#child?.pid ?? 0;
  }

  southboundUrl(path: string): string {
    return this.#url('southbound-api-router', path);
  }

  authorized(path: string) {
    const url = this.#url('northbound-api-router', `/api/current${path}`);
    return { url, headers: { authorization: `JWT ${this.#token}` } };
  }

  #url(routers: string, path: string): string {
    return `http://127.0.0.1:${this.#ports[routers]}${path}`;
  }

  signal(signal: NodeJS.Signals): void {
    this.#child?.kill(signal);
  }

  async kill(signal: NodeJS.Signals): Promise<number | null> {
    const ended = this.ended();
    this.signal(signal);
    return ended;
  }

  async ended(): Promise<number | null> {
    const child = this.#child;
    if (child === undefined) return null;
    if (child.exitCode === null && child.signalCode === null) await once(child, 'exit');
    return child.exitCode;
  }

  async end(): Promise<void> {
    process.off('exit', this.#drop);
    await this.kill('SIGKILL');
  }

  readonly #drop = (): void => this.signal('SIGKILL');
}

const endpoints = (port: number): NonNullable<ConfigFile['httpEndpoints']> => [
  { address: '127.0.0.1', port: 0, authEnabled: true, routers: 'northbound-api-router' },
  { address: '127.0.0.1', port, authEnabled: false, routers: 'southbound-api-router' },
];

function keep(lines: string[], line: string): void {
  lines.push(line);
  if (lines.length > 2 * LOG_LINES) lines.splice(0, LOG_LINES);
}

interface LogLine {
  msg?: string;
  endpoints?: { routers: string; port: number }[];
}

function parsed(line: string): LogLine {
  try {
    return JSON.parse(line) as LogLine;
  } catch {
    return {};
  }
}

/** @param body bytes are sent unchanged, anything else as JSON */
async function ask(url: string, method: string, body?: unknown, token = ''): Promise<Answer> {
  const isBytes = Buffer.isBuffer(body);
  const response = await fetch(url, {
    method,
    signal: AbortSignal.timeout(WAIT_MS),
    headers: {
      connection: 'close',
      ...(body !== undefined && { 'content-type': isBytes ? 'application/octet-stream' : 'application/json' }),
      ...(token !== '' && { authorization: `JWT ${token}` }),
    },
    ...(body !== undefined && { body: isBytes ? body : JSON.stringify(body) }),
  });
  const text = await response.text();
  const json = response.headers.get('content-type')?.includes('json');
  return { status: response.status, headers: response.headers, body: json && text !== '' ? JSON.parse(text) : text };
}
