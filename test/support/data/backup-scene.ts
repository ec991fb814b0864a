/** The scene that a backup has to bring back: records of every kind, workflows that wait, and workflows that are launched in the meantime. */
import { execFile } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import type { ExecutionContext } from 'ava';
import { packagePath } from '../../../engine/vocabulary/package-path.ts';
import { folder } from '../ava/folder.ts';
import type { Scope } from '../ava/scope.ts';
import { ended, seen } from '../faults/workload.ts';
import { type DaemonProcess, startDaemonProcess } from '../servers/daemon.ts';

/** Longer than the backup takes on a loaded machine: it is not over at its moment. */
const SLEEP_MS = 12_000;
/** Between two launches of a client: the rest of the machine is for the backup. */
const PAUSE_MS = 100;
const FILE = 'kernel parameters\n';
const KEPT = 'Graph.Backup.Load';

export interface BackedUpScene {
  waiting: { node: string; workflow: string };
  timer: { node: string; workflow: string };
  over: string;
  sku: string;
  hook: string;
  nodes: readonly string[];
}

async function made(daemon: DaemonProcess, method: string, path: string, body?: unknown) {
  const answer = await daemon.api(method, path, body);
  if (answer.status >= 300) throw new Error(`${method} ${path}: ${JSON.stringify(answer.body)}`);
  return answer.body;
}

const noop = (label: string, more: object = {}) => ({
  label,
  taskName: 'Task.noop',
  optionOverrides: { delay: 50 },
  ...more,
});

/** @param url of a receiver of web hooks */
export async function prepareScene(daemon: DaemonProcess, url: string): Promise<BackedUpScene> {
  const tasks = [noop('one'), noop('two', { waitOn: { one: 'succeeded' } })];
  const sleep = [{ label: 'sleep', taskName: 'Task.Sleep', optionOverrides: { duration: SLEEP_MS } }];
  await made(daemon, 'PUT', '/workflows/graphs', { friendlyName: 'Load', injectableName: KEPT, tasks });
  await made(daemon, 'PUT', '/workflows/graphs', {
    friendlyName: 'Timer',
    injectableName: 'Graph.Timer',
    tasks: sleep,
  });
  await made(daemon, 'POST', '/users', { username: 'reader', password: 'correct-horse', role: 'ReadOnly' });
  const hook = await made(daemon, 'POST', '/hooks', {
    url,
    secret: 'a secret of a hook',
    filters: [{ type: 'graph' }],
  });
  const rules = [{ path: 'manual.kind', equals: 'r1' }];
  const sku = await made(daemon, 'POST', '/skus', { name: 'r1', rules });
  await made(daemon, 'PUT', '/files/parameters', Buffer.from(FILE));
  const nodes: string[] = [];
  for (let at = 0; at < 6; at += 1)
    nodes.push((await made(daemon, 'POST', '/nodes', { type: 'compute', name: `${at}` })).id);
  const [first = '', second = ''] = nodes;
  const config = { host: '127.0.0.1', user: 'root', password: 'a password of an obm' };
  await made(daemon, 'PUT', `/nodes/${first}/obm`, { service: 'ipmi-obm-service', config });
  await made(daemon, 'POST', `/nodes/${first}/catalogs`, { source: 'manual', data: { kind: 'r1' } });
  const launch = async (node: string, name: string) =>
    (await made(daemon, 'POST', `/nodes/${node}/workflows`, { name })).id as string;
  const over = await launch(nodes[2] as string, KEPT);
  await ended(daemon, over);
  const waiting = { node: first, workflow: await launch(first, 'Graph.Demo.InstallOs') };
  await daemon.southbound('POST', `/notification?nodeId=${first}&disk=sda`);
  const timer = { node: second, workflow: await launch(second, 'Graph.Timer') };
  return { waiting, timer, over, sku: sku.id, hook: hook.id, nodes };
}

/** Launches workflows on the other nodes, one after the other. */
export class BackupLoad {
  /** Ids of the launches that were answered. */
  readonly ids: string[] = [];
  #isOver = false;
  readonly #clients: Promise<unknown>;

  constructor(daemon: DaemonProcess, { nodes }: BackedUpScene) {
    this.#clients = Promise.all(nodes.slice(2).map((node) => this.#client(daemon, node)));
  }

  async #client(daemon: DaemonProcess, node: string): Promise<void> {
    while (!this.#isOver) {
      const answer = await daemon.api('POST', `/nodes/${node}/workflows`, { name: KEPT }).catch(() => undefined);
      if (answer?.status === 201) this.ids.push(answer.body.id);
      await setTimeout(PAUSE_MS);
    }
  }

  async runs(count: number): Promise<void> {
    const from = this.ids.length;
    await seen(async () => this.ids.length >= from + count);
  }

  async stop(): Promise<void> {
    this.#isOver = true;
    await this.#clients;
  }
}

export interface CommandResult {
  code: number;
  stdout: string;
  stderr: string;
}

const program = packagePath('dist/nw.mjs');

/** Without blocking this process, which continues to launch. @param signal ends it */
export function backupCommand(env: NodeJS.ProcessEnv, args: readonly string[], signal?: AbortSignal) {
  const { AMQP_URL: _, REDIS_URL: __, MONGODB_URL: ___, ...own } = process.env;
  const options = { env: { ...own, ...env }, ...(signal && { signal, killSignal: 'SIGKILL' as const }) };
  return new Promise<CommandResult>((resolve) => {
    execFile(process.execPath, [program, 'backup', ...args], options, (error, stdout, stderr) => {
      resolve({ code: error === null ? 0 : Number(error.code ?? -1), stdout, stderr });
    });
  });
}

export async function backs(t: ExecutionContext, env: NodeJS.ProcessEnv, ...args: string[]): Promise<CommandResult> {
  const result = await backupCommand(env, args);
  t.is(result.code, 0, `${args[0]}: ${result.stderr}`);
  return result;
}

/** Restores a backup into a place of its own. @returns a daemon that runs on it, and the environment of commands there */
export async function restored(t: ExecutionContext & Scope, file: string, services: NodeJS.ProcessEnv = {}) {
  const home = folder(t);
  const dataDir = join(home, 'data');
  const config = join(home, 'config.json');
  writeFileSync(config, JSON.stringify({ dataDir }));
  const env = { ...services, NODEWRIGHT_CONFIG: config };
  await backs(t, env, 'restore', file);
  const daemon = await startDaemonProcess(t, { env: services, config: { dataDir } });
  return { daemon, env, dataDir };
}

async function historyOf({ api }: DaemonProcess, id: string): Promise<string[]> {
  const { body } = await api('GET', `/workflows/${id}/history`);
  return (body as unknown[]).map((entry) => JSON.stringify(entry));
}

/** Every workflow of the moment continues and ends, and frees its node. @param before launches answered before the backup */
export async function checkScene(
  t: ExecutionContext,
  daemon: DaemonProcess,
  { waiting, timer, over, sku, hook }: BackedUpScene,
  before: readonly string[],
): Promise<void> {
  const { api } = daemon;
  t.is((await api('GET', `/workflows/${over}`)).body.status, 'succeeded');
  t.is((await api('GET', '/users/reader')).status, 200);
  t.is((await api('GET', `/hooks/${hook}`)).status, 200);
  t.is((await api('GET', `/nodes/${waiting.node}`)).body.sku, sku);
  t.is(String((await api('GET', '/files/parameters')).body), FILE);
  t.is((await api('GET', '/obms')).body[0].config.user, 'root', 'decrypted with the key of the backup');
  t.is((await api('GET', `/workflows/${waiting.workflow}`)).body.tasks[0].state, 'succeeded');
  await daemon.southbound('POST', `/notification?nodeId=${waiting.node}`);
  t.is((await ended(daemon, waiting.workflow)).status, 'succeeded');
  t.is((await ended(daemon, timer.workflow)).status, 'succeeded');
  for (const id of before) t.is((await ended(daemon, id)).status, 'succeeded');
  await seen(async () => (await api('GET', '/workflows?active=true')).body.length === 0);
  await seen(async () => (await api('GET', '/nodes?busy=true')).body.length === 0);
  const all = (await api('GET', '/workflows')).body as { id: string; name: string; status: string }[];
  t.true(all.length > before.length);
  t.deepEqual(
    all.filter(({ status }) => status !== 'succeeded'),
    [],
  );
  t.like((await api('GET', '/audit/verify')).body, { ok: true });
  const whole = (await historyOf(daemon, over)).length;
  t.true(whole > 3);
  for (const { id } of all.filter(({ name }) => name === 'Load')) {
    const entries = await historyOf(daemon, id);
    t.true(entries.length >= whole, `${id} lacks entries`);
    t.is(new Set(entries).size, entries.length, `${id} has entries twice`);
  }
  const again = await made(daemon, 'POST', `/nodes/${waiting.node}/workflows`, { name: KEPT });
  t.is((await ended(daemon, again.id)).status, 'succeeded', 'nodes take workflows again');
}
