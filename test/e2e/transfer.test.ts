/** Export and import by the command, between real stores: the copy is equal, and a daemon works on it. */
import { once } from 'node:events';
import { cpSync, existsSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import anyTest, { type ExecutionContext } from 'ava';
import { fileScope } from '../support/ava/file-scope.ts';
import { folder } from '../support/ava/folder.ts';
import { needing } from '../support/ava/needs.ts';
import type { Scope } from '../support/ava/scope.ts';
import { runCommand, startCommand } from '../support/console/command.ts';
import { seen } from '../support/faults/workload.ts';
import { type DaemonProcess, startDaemonProcess } from '../support/servers/daemon.ts';
import { noServices, sharedServices } from '../support/servers/services.ts';
import { shared } from '../support/servers/shared-resources.ts';

/** Enough for kills in the middle of an import. */
const NODE_COUNT = 500;
const SECRET = {
  obm: 'obm-secret-1',
  hook: 'hook-secret-2',
  url: 'url-secret-3',
  node: 'node-secret-4',
  sku: 'sku-secret-5',
  graph: 'graph-secret-6',
  ibm: 'ibm-secret-7',
  poller: 'poller-secret-8',
};

interface Store {
  env: NodeJS.ProcessEnv;
  dataDir: string;
}

/** A store of the command. */
function storeIn(t: Scope, dataDir = join(folder(t), 'data'), env: NodeJS.ProcessEnv = {}): Store {
  const file = join(folder(t), 'config.json');
  writeFileSync(file, JSON.stringify({ dataDir }));
  return { env: { ...env, NODEWRIGHT_CONFIG: file }, dataDir };
}

async function post(daemon: DaemonProcess, path: string, body: object, method = 'POST'): Promise<{ id: string }> {
  const answer = await daemon.api(method, path, body);
  if (answer.status > 299) throw new Error(`${method} ${path}: ${JSON.stringify(answer.body)}`);
  return answer.body;
}

/** Records of all kinds, with secrets wherever they can be, of a daemon that has ended. */
const original = shared(async (file) => {
  const store = storeIn(file);
  const daemon = await startDaemonProcess(file, { config: { dataDir: store.dataDir } });
  await post(daemon, '/roles', { role: 'Watcher', privileges: ['Login', 'Read'] });
  await post(daemon, '/users', { username: 'reader', password: 'reading-only', role: 'Watcher' });
  const { id: node } = await post(daemon, '/nodes', {
    type: 'compute',
    name: 'one',
    identifiers: ['52-54-00-00-00-01'],
    tags: ['gpu'],
    config: { password: SECRET.node, rack: 7 },
  });
  const { id: rack } = await post(daemon, '/nodes', { type: 'rack', name: 'rack' });
  await post(daemon, `/nodes/${rack}/relations`, { contains: [node] }, 'PUT');
  const config = { host: '127.0.0.1', user: 'root', password: SECRET.obm };
  await post(daemon, '/obms', { nodeId: node, service: 'ipmi-obm-service', config }, 'PUT');
  const ssh = { host: '127.0.0.1', user: 'root', password: SECRET.ibm };
  await post(daemon, `/nodes/${node}/ssh`, { service: 'ssh-ibm-service', config: ssh });
  await post(daemon, '/lookups', { node, macAddress: '52:54:00:00:00:01', ipAddress: '192.0.2.1' });
  await post(daemon, '/skus', {
    name: 'Vendor',
    rules: [{ path: 'dmi.Vendor', equals: 'x' }],
    discoveryGraphName: 'Graph.Noop.Example',
    discoveryGraphOptions: { defaults: { password: SECRET.sku } },
  });
  await post(daemon, '/tags', { name: 'ours', rules: [{ path: 'dmi.Vendor', equals: 'x' }] });
  await post(daemon, `/nodes/${node}/catalogs`, { source: 'dmi', data: { Vendor: 'x' } });
  await post(daemon, '/workflows/tasks', task, 'PUT');
  await post(daemon, '/workflows/graphs', graph, 'PUT');
  await post(daemon, '/hooks', { url: `http://127.0.0.1:9/x?token=${SECRET.url}`, secret: SECRET.hook });
  await post(daemon, '/pollers', { type: 'ipmi', node, paused: true });
  const snmp = { host: '127.0.0.1', communityString: SECRET.poller, oids: ['1.3.6.1.2.1.1.1.0'] };
  await post(daemon, '/pollers', { type: 'snmp', paused: true, config: snmp });
  for (let n = 0; n < NODE_COUNT; n += 50) {
    const names = Array.from({ length: 50 }, (_, at) => `n${n + at}`);
    await Promise.all(names.map((name) => post(daemon, '/nodes', { type: 'compute', name, identifiers: [name] })));
  }
  if ((await daemon.kill('SIGTERM')) !== 0) throw new Error('the daemon did not stop');
  return store;
});

/** @returns a copy of its own */
async function filled(t: ExecutionContext): Promise<Store> {
  const store = storeIn(t);
  cpSync((await original()).dataDir, store.dataDir, { recursive: true });
  return store;
}

const graph = {
  injectableName: 'Graph.Own',
  friendlyName: 'Own',
  tasks: [
    { label: 'nap', taskName: 'Task.Own' },
    {
      label: 'call',
      taskName: 'Task.Run.Rest.Command',
      waitOn: { nap: 'failed' },
      optionOverrides: { url: 'http://127.0.0.1:9/', headers: { authorization: `Bearer ${SECRET.graph}` } },
    },
  ],
};
const task = {
  injectableName: 'Task.Own',
  friendlyName: 'Own',
  implementsTask: 'Task.Sleep',
  options: { duration: 1 },
};

const whole = ['--secrets', '--catalogs'];
const exports = fileScope();

function exported(
  t: ExecutionContext,
  { env }: Store,
  owner: Scope,
  ...options: string[]
): { file: string; lines: string[] } {
  const file = join(folder(owner), 'export.jsonl');
  const { status, stderr } = runCommand(env, 'export', ...options, file);
  t.is(status, 0, stderr);
  t.is(statSync(file).mode & 0o777, 0o600);
  const [, ...lines] = readFileSync(file, 'utf8').trimEnd().split('\n');
  return { file, lines };
}

let wholeExport: ReturnType<typeof exported> | undefined;

/** The export of everything in the original, for all tests. */
async function exportedWhole(t: ExecutionContext): Promise<ReturnType<typeof exported>> {
  wholeExport ??= exported(t, await original(), exports, ...whole);
  return wholeExport;
}

function imported(t: ExecutionContext, { env }: Store, file: string, ...options: string[]): string {
  const { status, stdout, stderr } = runCommand(env, 'import', ...options, file);
  t.is(status, 0, stderr);
  return stdout + stderr;
}

/** A daemon on the copy knows the users, decrypts the secrets, and runs the graphs. */
async function checkWorks(t: ExecutionContext, env: NodeJS.ProcessEnv, dataDir: string): Promise<void> {
  const daemon = await startDaemonProcess(t, { env, config: { dataDir } });
  const node = await seen(async () => {
    const { body } = await daemon.api('GET', '/nodes?name=one');
    return body[0]?.sku !== null && body[0];
  });
  const [sku] = (await daemon.api('GET', '/skus')).body;
  t.is(node.sku, sku.id, 'classified by the imported catalog');
  t.is((await daemon.api('GET', '/obms')).body[0].config.user, 'root');
  t.is(node.relations[0].relationType, 'containedBy');
  const { id } = await post(daemon, `/nodes/${node.id}/workflows?name=Graph.Own`, {});
  await seen(async () => (await daemon.api('GET', `/workflows/${id}`)).body.status === 'succeeded');
  t.is(await daemon.kill('SIGTERM'), 0);
}

anyTest.serial('an export that is imported into an empty store is equal, and a daemon works on it', async (t) => {
  const { file, lines } = await exportedWhole(t);
  const copy = storeIn(t);
  t.regex(imported(t, copy, file, '--check'), /Would add \d+, replace 0, equal 0/);
  imported(t, copy, file);
  t.deepEqual(exported(t, copy, t, ...whole).lines, lines);
  t.regex(imported(t, copy, file), /Added 0, replaced 0, equal \d+/);
  await checkWorks(t, {}, copy.dataDir);
  const second = runCommand(copy.env, 'export', file);
  t.is(second.status, 1);
  t.regex(second.stderr, /exists, expected a new file/);
});

anyTest.serial('secrets are left out unless they are asked for, and kept in a store that has them', async (t) => {
  const store = await filled(t);
  const open = readFileSync((await exportedWhole(t)).file, 'utf8');
  for (const secret of [SECRET.obm, SECRET.hook, SECRET.ibm, SECRET.poller]) t.true(open.includes(secret));
  const { file } = exported(t, store, t, '--catalogs');
  const closed = readFileSync(file, 'utf8');
  t.regex(closed, /"withheld"/);
  for (const secret of Object.values(SECRET)) t.false(closed.includes(secret), secret);
  t.false(/nwsealed|nwclear/.test(closed));
  t.regex(imported(t, store, file), /Added 0, replaced 0, equal \d+/, 'it takes its own secrets');
  const said = imported(t, storeIn(t), file);
  t.regex(said, /obm \S+ lacks \/config\/password: enter it again/);
  t.regex(said, /ibm \S+ lacks \/config\/password: enter it again/);
  t.regex(said, /poller \S+ lacks \/config\/communityString: enter it again/);
  t.regex(said, /hook \S+ lacks \/secret, \/url: enter it again/);
});

anyTest.serial('a record that differs is rejected, or replaced with the secrets of the store', async (t) => {
  const store = await filled(t);
  const { file } = exported(t, store, t);
  const changed = readFileSync(file, 'utf8').replace('"name":"one"', '"name":"two"');
  writeFileSync(file, changed.replace('"user":"root"', '"user":"admin"'));
  const before = (await exportedWhole(t)).lines;
  const { status, stderr } = runCommand(store.env, 'import', file);
  t.is(status, 1);
  t.regex(stderr, /line \d+: found another record of node \S+ in the store, expected an equal one; add --replace/);
  t.deepEqual(exported(t, store, t, ...whole).lines, before, 'nothing was changed');
  t.regex(imported(t, store, file, '--replace'), /Added 0, replaced 2, equal/);
  const after = exported(t, store, t, ...whole).lines.join('\n');
  t.regex(after, /"user":"admin"/);
  t.true(after.includes(SECRET.obm));
  t.regex(after, /"name":"two"/);
});

anyTest.serial('an import that is killed at any time is run again', async (t) => {
  const { file, lines } = await exportedWhole(t);
  const copy = storeIn(t);
  for (let ms = 300; ms < 1_500; ms *= 1.5) {
    const command = startCommand(copy.env, 'import', file);
    const ended = once(command, 'exit');
    await pause(ms);
    command.kill('SIGKILL');
    await ended;
  }
  imported(t, copy, file);
  t.deepEqual(exported(t, copy, t, ...whole).lines, lines);
});

anyTest.serial('neither runs beside a daemon on the data directory, and a killed export leaves no file', async (t) => {
  const store = await filled(t);
  const { file } = await exportedWhole(t);
  for (let ms = 100; ms < 1_000; ms *= 2) {
    const again = join(folder(t), 'killed.jsonl');
    const command = startCommand(store.env, 'export', again);
    const ended = once(command, 'exit');
    await pause(ms);
    command.kill('SIGKILL');
    await ended;
    if (existsSync(again)) t.regex(readFileSync(again, 'utf8'), /\n\{"type":"end","records":\d+\}\n$/);
  }
  await startDaemonProcess(t, { config: { dataDir: store.dataDir } });
  for (const args of [['export'], ['import', file]]) {
    const { status, stderr } = runCommand(store.env, ...args);
    t.is(status, 1);
    t.regex(stderr, /held by process \d+/);
  }
});

const services = sharedServices();

needing(noServices).serial('records move from a data directory to services, not while a daemon runs', async (t) => {
  const env = await services();
  const { file, lines } = await exportedWhole(t);
  const place = storeIn(t, undefined, env);
  imported(t, place, file);
  t.deepEqual(exported(t, place, t, ...whole).lines, lines);
  await checkWorks(t, env, join(folder(t), 'other'));
  await startDaemonProcess(t, { env });
  const { status, stderr } = runCommand(place.env, 'import', file);
  t.is(status, 1, stderr);
  t.regex(stderr, /found running daemons, expected none during an import; stop them all/);
  t.is(runCommand(place.env, 'export').status, 0, 'an export only reads');
});
