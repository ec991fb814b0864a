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
import { daemonProgram } from '../support/servers/program.ts';
import { type Usage, usageOf } from './usage.ts';

const projectRoot = fileURLToPath(new URL('../..', import.meta.url));
const running = new Set<ChildProcess>();

/** Without tokens, because the cost of logging in is not measured. */
const httpEndpoints = [
  { port: 0, routers: 'northbound-api-router', authEnabled: false },
  { port: 0, routers: 'southbound-api-router' },
];

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

  constructor(child: ChildProcess, { ports, startMs, atReady }: Ready, inFlight: number) {
    this.#child = child;
    this.#agent = new Agent({ connections: inFlight });
    this.#ports = ports;
    this.startMs = startMs;
    this.atReady = atReady;
  }

  /** Returns the CPU time that it has used so far, with its child processes. */
  get cpuSec(): number {
    return usageOf(this.#child.pid ?? 0).cpuSec;
  }

  /** Northbound. */
  get origin(): string {
    return `http://127.0.0.1:${this.#ports[0]}`;
  }

  async get(path: string): Promise<void> {
    const url = `${this.origin}/api/current${path}`;
    const answer = await request(url, { dispatcher: this.#agent });
    const text = await answer.body.text();
    if (answer.statusCode !== 200) throw new Error(`GET ${path} returned ${answer.statusCode}: ${text}`);
  }

  async post(path: string, body: object, side: 'north' | 'south' = 'north'): Promise<Record<string, unknown>> {
    const url = `http://127.0.0.1:${this.#ports[side === 'north' ? 0 : 1]}/api/current${path}`;
    const headers = { 'content-type': 'application/json' };
    const answer = await request(url, {
      method: 'POST',
      headers,
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
    const headers = { 'content-type': 'application/octet-stream' };
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
    const answer = await request(`http://127.0.0.1:${this.#ports.at(-1)}/${name}`, { dispatcher: this.#agent });
    let bytes = 0;
    for await (const part of answer.body) bytes += (part as Buffer).length;
    if (answer.statusCode !== 200) throw new Error(`GET /${name} returned ${answer.statusCode}`);
    return bytes;
  }

  /** Returns one of its metrics, 0 if it was not counted yet; includes memory and CPU time of the process. */
  async metric(name: string): Promise<number> {
    const answer = await request(`http://127.0.0.1:${this.#ports[0]}/metrics`, { dispatcher: this.#agent });
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
 * @param program arguments for Node; a program other than the daemon logs `listening` and `ready` as well
 */
export async function startDaemon(
  folder: string,
  inFlight = 1,
  services: ConfigFile = {},
  program: readonly string[] = daemonProgram(),
): Promise<BenchDaemon> {
  mkdirSync(folder, { recursive: true });
  const config = join(folder, 'config.json');
  const file = { httpEndpoints, dataDir: join(folder, 'data'), log: { level: 'warn' }, ...services };
  writeFileSync(config, JSON.stringify(file));
  const { AMQP_URL: _, REDIS_URL: __, MONGODB_URL: ___, ...env } = process.env;
  const start = performance.now();
  const child = spawn(process.execPath, program, {
    cwd: projectRoot,
    env: { ...env, NODEWRIGHT_CONFIG: config },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  running.add(child);
  child.once('exit', () => running.delete(child));
  return new BenchDaemon(child, await ready(child, start), inFlight);
}

/** Prints all other log lines. */
async function ready({ stdout, pid = 0 }: ChildProcess, start: number): Promise<Ready> {
  if (stdout === null) throw new Error('the daemon has no stdout');
  const lines = createInterface({ input: stdout });
  return new Promise((resolve, reject) => {
    let ports: number[] = [];
    lines.on('line', (line) => {
      const { msg, endpoints } = JSON.parse(line) as { msg: string; endpoints: { port: number }[] };
      if (msg === 'listening') ports = endpoints.map(({ port }) => port);
      else if (msg === 'ready') resolve({ ports, startMs: performance.now() - start, atReady: usageOf(pid) });
      else process.stderr.write(`${line}\n`);
    });
    lines.once('close', () => reject(new Error('the daemon ended before it was ready')));
  });
}

/** Kills all at the same time, at the end of the bench. */
export function killDaemons(): void {
  for (const child of running) child.kill('SIGKILL');
}
