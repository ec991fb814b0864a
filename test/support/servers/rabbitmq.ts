/**
 * A private RabbitMQ on free loopback ports: its own node name, data, cookie and port mapper (epmd), all removed after
 * `stop`. Starting it takes seconds, so one serves a whole test file.
 */
import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { existsSync, mkdirSync, mkdtempSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { promisify } from 'node:util';
import { onPath } from '../ava/on-path.ts';
import { WAIT_MS } from '../ava/patience.ts';
import { removeFolder } from '../ava/remove-folder.ts';
import { accepts, stopped } from './server.ts';

export const noRabbitMq = onPath('rabbitmq-server') ? undefined : 'rabbitmq-server is not on the PATH';

export interface RabbitMq {
  readonly url: string;
  /** Pid of its process; undefined while there is none. */
  readonly pid: number | undefined;
  /** SIGKILL, like a power failure. */
  kill(): Promise<void>;
  /** Starts on the same data and port. Resolves when connections are accepted. */
  start(): Promise<void>;
  /** Stops it with its connections open. Resolves when it has really stopped. */
  pause(): Promise<void>;
  resume(): void;
  /** Runs a command of `rabbitmqctl`. */
  control(...command: string[]): Promise<void>;
  stop(): Promise<void>;
}

/**
 * @param listen lines of a `rabbitmq.conf` that open the port, instead of a plain one for guests; to read them takes
 * RabbitMQ a second of CPU time
 */
export async function startRabbitMq(listen?: (port: number) => string[]): Promise<RabbitMq> {
  if (noRabbitMq) throw new Error(noRabbitMq);
  for (let tries = 1; ; tries += 1) {
    const broker = new Broker(await freePorts(), listen);
    // Nothing is left when the test process is ended.
    process.once('exit', broker.drop);
    try {
      await broker.start();
      return broker;
    } catch (error) {
      await broker.stop();
      // Another process may have taken one of the ports in the meantime.
      if (tries === STARTS) throw error;
    }
  }
}

const STARTS = 3;

class Broker implements RabbitMq {
  readonly url: string;
  readonly #folder = mkdtempSync(join(tmpdir(), 'nodewright-rabbitmq-'));
  readonly #port: number;
  readonly #mapperPort: number;
  readonly #env: NodeJS.ProcessEnv;
  #mapper: ChildProcess | undefined;
  #server: ChildProcess | undefined;

  constructor(
    [port, mapperPort, distPort]: readonly [number, number, number],
    listen: ((port: number) => string[]) | undefined,
  ) {
    this.#port = port;
    this.#mapperPort = mapperPort;
    this.url = `amqp://guest:guest@127.0.0.1:${port}`;
    const config = listen ? linesIn(this.#folder, listen(port)) : termsIn(this.#folder, port);
    this.#env = environment(this.#folder, config, mapperPort, distPort);
  }

  get pid(): number | undefined {
    return this.#server?.pid;
  }

  async start(): Promise<void> {
    this.#mapper ??= spawn('epmd', ['-address', '127.0.0.1', '-port', String(this.#mapperPort)], { stdio: 'ignore' });
    await accepts(this.#mapperPort, this.#mapper);
    this.#server = spawn(script('rabbitmq-server'), [], { env: this.#env, stdio: ['ignore', 'ignore', 'inherit'] });
    await accepts(this.#port, this.#server);
  }

  async kill(): Promise<void> {
    await gone(this.#server, 'SIGKILL');
  }

  async pause(): Promise<void> {
    this.#server?.kill('SIGSTOP');
    while (!stopped(this.#server?.pid)) await pause(5);
  }

  resume(): void {
    this.#server?.kill('SIGCONT');
  }

  async control(...command: string[]): Promise<void> {
    // Asynchronous: it takes seconds, and a blocked event loop would miss heartbeats and lose its connections.
    await promisify(execFile)(script('rabbitmqctl'), command, { env: this.#env, timeout: WAIT_MS });
  }

  async stop(): Promise<void> {
    process.off('exit', this.drop);
    // Its data is removed with it, so no clean shutdown is needed; a paused server would not react anyway.
    await gone(this.#server, 'SIGKILL');
    await gone(this.#mapper, 'SIGKILL');
    removeFolder(this.#folder);
  }

  readonly drop = (): void => {
    this.#server?.kill('SIGKILL');
    this.#mapper?.kill('SIGKILL');
    removeFolder(this.#folder);
  };
}

/** A test machine may be short of disk space. */
const FREE_BYTES = 1_000_000;

/** @returns the path of a configuration */
function linesIn(folder: string, listen: string[]): string {
  const file = join(folder, 'rabbitmq.conf');
  const lines = [...listen, `disk_free_limit.absolute = ${FREE_BYTES}`, 'log.file.level = warning'];
  writeFileSync(file, `${lines.join('\n')}\n`);
  return file;
}

/** Like `linesIn`, as Erlang's terms, which need no schema. */
function termsIn(folder: string, port: number): string {
  const file = join(folder, 'rabbitmq.config');
  const listeners = `{tcp_listeners, [{"127.0.0.1", ${port}}]}`;
  const log = '{log, [{file, [{level, warning}]}]}';
  writeFileSync(file, `[{rabbit, [${listeners}, {disk_free_limit, ${FREE_BYTES}}, ${log}]}].\n`);
  return file;
}

/** Its threads would wait for work by spinning, and a start takes a third less CPU time without. */
const NO_SPINNING = '+S 1:1 +sbwt none +sbwtdcpu none +sbwtdio none';

function environment(folder: string, config: string, mapperPort: number, distPort: number): NodeJS.ProcessEnv {
  writeFileSync(join(folder, 'enabled_plugins'), '[].\n');
  for (const name of ['data', 'log', 'generated']) mkdirSync(join(folder, name));
  return {
    PATH: process.env.PATH,
    LANG: 'C.UTF-8',
    HOME: folder,
    RABBITMQ_NODENAME: `nodewright-${randomBytes(4).toString('hex')}@localhost`,
    RABBITMQ_MNESIA_BASE: join(folder, 'data'),
    RABBITMQ_LOG_BASE: join(folder, 'log'),
    RABBITMQ_PID_FILE: join(folder, 'pid'),
    RABBITMQ_CONFIG_FILE: config,
    RABBITMQ_CONF_ENV_FILE: join(folder, 'none'),
    RABBITMQ_ADVANCED_CONFIG_FILE: join(folder, 'none'),
    RABBITMQ_GENERATED_CONFIG_DIR: join(folder, 'generated'),
    RABBITMQ_ENABLED_PLUGINS_FILE: join(folder, 'enabled_plugins'),
    RABBITMQ_DIST_PORT: String(distPort),
    RABBITMQ_CTL_ERL_ARGS: NO_SPINNING,
    RABBITMQ_SERVER_ADDITIONAL_ERL_ARGS: `-kernel inet_dist_use_interface {127,0,0,1} ${NO_SPINNING}`,
    // Optional features are compiled at each start.
    RABBITMQ_FEATURE_FLAGS: '',
    ERL_EPMD_PORT: String(mapperPort),
    ERL_EPMD_ADDRESS: '127.0.0.1',
    // The script then execs the server instead of running it as a child, so that the pid is the server's.
    RUNNING_UNDER_SYSTEMD: 'true',
  };
}

/** Debian's command on the PATH changes to its own user and folder; the script behind it does not. */
function script(name: string): string {
  const command = onPath(name) ?? name;
  const behind = join('/usr/lib/rabbitmq/bin', name);
  if (dirname(command) === '/usr/sbin' && existsSync(behind)) return behind;
  return command;
}

async function freePorts(): Promise<[number, number, number]> {
  const servers = await Promise.all(
    [1, 2, 3].map(async () => {
      const server = createServer().listen(0, '127.0.0.1');
      await once(server, 'listening');
      return server;
    }),
  );
  const ports = servers.map((server) => (server.address() as { port: number }).port);
  await Promise.all(servers.map((server) => once(server.close(), 'close')));
  return ports as [number, number, number];
}

async function gone(child: ChildProcess | undefined, signal: NodeJS.Signals): Promise<void> {
  if (child === undefined || child.exitCode !== null || child.signalCode !== null) return;
  const exited = once(child, 'exit', { signal: AbortSignal.timeout(WAIT_MS) });
  child.kill(signal);
  await exited;
}
