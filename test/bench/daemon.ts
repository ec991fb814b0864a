/** A daemon as users run it: a separate process, accessed over HTTP on the loopback address. */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { createReadStream, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { Agent, request } from 'undici';
import type { ConfigFile } from '../../engine/platform/config/config.ts';
import { ALLOCATOR, daemonProgram } from '../support/servers/program.ts';
import { type Usage, usageOf } from './usage.ts';

const projectRoot = fileURLToPath(new URL('../..', import.meta.url));
const running = new Set<ChildProcess>();

const httpEndpoints: ConfigFile['httpEndpoints'] & object = [
  { port: 0, routers: 'northbound-api-router', authEnabled: true },
  { port: 0, routers: 'southbound-api-router' },
];
/** For figures whose clients have no token. */
export const openEndpoints = httpEndpoints.map((endpoint) => ({ ...endpoint, authEnabled: false }));
const USER = { username: 'bench', password: 'a password of the bench', role: 'Administrator' };

export class Rejected extends Error {
  readonly status: number;

  constructor(status: number, message: string) {
    super(message);
    this.status = status;
  }
}

export class BenchDaemon {
  readonly #child: ChildProcess;
  readonly #agent: Agent;
  readonly #ports: readonly number[];
  /** ms from spawn to the line `ready`, which comes after `listening`. */
  readonly startMs: number;
  /** Its CPU time and memory at that line. */
  readonly atReady: Usage;
  #headers: Record<string, string> = { 'content-type': 'application/json' };

  /** Its URL, if the process was started with one. */
  inspector = '';

  constructor(child: ChildProcess, { ports, startMs, atReady }: Ready, inFlight: number) {
    this.#child = child;
    this.#agent = new Agent({ connections: inFlight });
    this.#ports = ports;
    this.startMs = startMs;
    this.atReady = atReady;
    child.stderr?.on('data', (text: Buffer) => {
      this.inspector ||= /ws:\/\/\S+/.exec(String(text))?.[0] ?? '';
      process.stderr.write(text);
    });
  }

  /** Returns the CPU time that it has used so far, with its child processes. */
  get cpuSec(): number {
    return usageOf(this.#child.pid ?? 0).cpuSec;
  }

  /** Bytes. */
  get resident(): number {
    return usageOf(this.#child.pid ?? 0).resident;
  }

  /** Northbound. */
  get origin(): string {
    return `http://127.0.0.1:${this.#ports[0]}`;
  }

  /** Southbound: files are at its root. */
  get south(): string {
    return `http://127.0.0.1:${this.#ports.at(-1)}`;
  }

  /** With the token. */
  get headers(): Readonly<Record<string, string>> {
    return this.#headers;
  }

  /** Creates the first user, unless there is one, and gives its token to all requests that follow. */
  async logIn(): Promise<void> {
    const ask = (path: string) =>
      request(`${this.origin}${path}`, { method: 'POST', headers: this.#headers, body: JSON.stringify(USER) });
    await (await ask('/api/current/users')).body.dump();
    const { token } = (await (await ask('/login')).body.json()) as { token: string };
    this.#headers = { ...this.#headers, authorization: `Bearer ${token}` };
  }

  async get(path: string): Promise<void> {
    const url = `${this.origin}/api/current${path}`;
    const answer = await request(url, { headers: this.#headers, dispatcher: this.#agent });
    const text = await answer.body.text();
    if (answer.statusCode !== 200) throw new Error(`GET ${path} returned ${answer.statusCode}: ${text}`);
  }

  async post(path: string, body: object, side: 'north' | 'south' = 'north'): Promise<Record<string, unknown>> {
    const url = `http://127.0.0.1:${this.#ports[side === 'north' ? 0 : 1]}/api/current${path}`;
    const answer = await request(url, {
      method: 'POST',
      headers: this.#headers,
      body: JSON.stringify(body),
      dispatcher: this.#agent,
    });
    const text = await answer.body.text();
    if (answer.statusCode !== 201)
      throw new Rejected(answer.statusCode, `POST ${path} returned ${answer.statusCode}: ${text}`);
    return JSON.parse(text);
  }

  /** Uploads a file for all nodes, streamed from disk. */
  async put(name: string, path: string): Promise<void> {
    const url = `http://127.0.0.1:${this.#ports[0]}/api/current/files/${name}`;
    const headers = { ...this.#headers, 'content-type': 'application/octet-stream' };
    const answer = await request(url, {
      method: 'PUT',
      headers,
      body: createReadStream(path),
      dispatcher: this.#agent,
    });
    const text = await answer.body.text();
    if (answer.statusCode !== 201) throw new Error(`PUT ${name} returned ${answer.statusCode}: ${text}`);
  }

  /** Downloads a file like a node and discards it. @returns bytes */
  async take(name: string): Promise<number> {
    const answer = await request(`${this.south}/${name}`, { dispatcher: this.#agent });
    let bytes = 0;
    for await (const part of answer.body) bytes += (part as Buffer).length;
    if (answer.statusCode !== 200) throw new Error(`GET /${name} returned ${answer.statusCode}`);
    return bytes;
  }

  /** Returns one of its metrics, 0 if it was not counted yet; includes memory and CPU time of the process. */
  async metric(name: string): Promise<number> {
    const answer = await request(`${this.origin}/metrics`, { headers: this.#headers, dispatcher: this.#agent });
    const lines = (await answer.body.text()).split('\n');
    const line = lines.find((text) => text.startsWith(`${name} `));
    return Number(line?.slice(name.length) ?? 0);
  }

  async reaches(name: string, value: number): Promise<void> {
    while ((await this.metric(name)) < value) await sleep(100);
  }

  async stop(signal: 'SIGTERM' | 'SIGKILL' = 'SIGTERM'): Promise<void> {
    await this.#agent.destroy();
    const gone = once(this.#child, 'exit');
    this.#child.kill(signal);
    await gone;
  }
}

interface Ready {
  ports: readonly number[];
  startMs: number;
  atReady: Usage;
}

/**
 * @param inFlight concurrent requests
 * @param services the URLs of its services, and folders of graphs; none: the embedded default
 * @param program arguments for Node, if it is not the daemon as built; it logs `listening` and `ready` as well
 * @param access `open`: it has no users
 */
export async function startDaemon(
  folder: string,
  inFlight = 1,
  services: ConfigFile = {},
  program?: readonly string[],
  access: 'log in' | 'open' = program === undefined ? 'log in' : 'open',
): Promise<BenchDaemon> {
  mkdirSync(folder, { recursive: true });
  const config = join(folder, 'config.json');
  const file = { httpEndpoints, dataDir: join(folder, 'data'), log: { level: 'warn' }, ...services };
  writeFileSync(config, JSON.stringify(file));
  const { AMQP_URL: _, REDIS_URL: __, MONGODB_URL: ___, ...env } = process.env;
  const start = performance.now();
  const child = spawn(process.execPath, program ?? daemonProgram(), {
    cwd: projectRoot,
    env: { ...env, ...ALLOCATOR, NODEWRIGHT_CONFIG: config },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  running.add(child);
  child.once('exit', () => running.delete(child));
  const daemon = new BenchDaemon(child, await ready(child, start), inFlight);
  if (access === 'log in') await daemon.logIn();
  return daemon;
}

/** Prints warnings and errors. */
async function ready({ stdout, pid = 0 }: ChildProcess, start: number): Promise<Ready> {
  if (stdout === null) throw new Error('the daemon has no stdout');
  const lines = createInterface({ input: stdout });
  return new Promise((resolve, reject) => {
    let ports: number[] = [];
    let isReady = false;
    lines.on('line', (line) => {
      // A daemon that logs requests writes many lines.
      if (isReady && !/"level":[456]0/.test(line)) return;
      const { msg, endpoints } = JSON.parse(line) as { msg: string; endpoints: { port: number }[] };
      if (msg === 'listening') ports = endpoints.map(({ port }) => port);
      else if (msg === 'ready') {
        isReady = true;
        resolve({ ports, startMs: performance.now() - start, atReady: usageOf(pid) });
      } else if (isReady) process.stderr.write(`${line}\n`);
    });
    lines.once('close', () => reject(new Error('the daemon ended before it was ready')));
  });
}

/** Kills all at the same time, at the end of the bench. */
export function killDaemons(): void {
  for (const child of running) child.kill('SIGKILL');
}
