/**
 * A backup of many nodes and workflows, made while a daemon launches others: its size, the time of each command, and how
 * long steps wait. `node --import tsx test/bench/backup.ts [services]`, after a build. Numbers: `BENCH_NODES`, of which
 * each has a workflow that waits and one that has ended.
 */
import { randomUUID } from 'node:crypto';
import { mkdirSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { historySpec } from '../../engine/durable/live/history-log.ts';
import { actorSpec, workflowSpec } from '../../engine/durable/live/specs.ts';
import { catalogSpec } from '../../engine/inventory/nodes/catalogs.ts';
import { nodeSpec } from '../../engine/inventory/nodes/stored-node.ts';
import { openEmbeddedStore } from '../../engine/platform/store/embedded.ts';
import type { CollectionSpec, Document, Filter } from '../../engine/platform/store/port.ts';
import { folder } from '../support/ava/folder.ts';
import { OwnScope } from '../support/ava/scope.ts';
import { type BackedUpScene, BackupLoad, backupCommand, prepareScene } from '../support/data/backup-scene.ts';
import { startDaemonProcess } from '../support/servers/daemon.ts';
import { openMongoDb } from '../support/servers/mongodb.ts';
import { startReceiver } from '../support/servers/receiver.ts';
import { startRedis } from '../support/servers/redis.ts';

const NODES = Number(process.env.BENCH_NODES ?? 10_000);
const BATCH = 500;
const LAUNCHES = 50;

const scope = new OwnScope();

async function timed(name: string, args: readonly string[], env: NodeJS.ProcessEnv = {}): Promise<void> {
  const began = performance.now();
  const { code, stdout, stderr } = await backupCommand(env, args);
  if (code !== 0) throw new Error(stderr);
  console.log(`${name}: ${((performance.now() - began) / 1_000).toFixed(1)} s; ${stdout.trim()}`);
}

/** Copies the scene's records with ids of their own, for each further node. */
async function multiply(dataDir: string, { waiting, over }: BackedUpScene): Promise<void> {
  const store = await openEmbeddedStore({ dataDir });
  const copies = async (spec: CollectionSpec, filter: Filter, ids: (at: number) => Record<string, string>) => {
    const collection = await store.collection(spec);
    const texts = (await collection.find(filter)).map((document) => JSON.stringify(document));
    for (let from = 0; from < NODES; from += BATCH) {
      const batch = Array.from({ length: Math.min(BATCH, NODES - from) }, (_, at) =>
        texts.map((text) => copy(text, ids(from + at))),
      );
      await collection.insertMissing(batch.flat());
    }
  };
  const all = Array.from({ length: NODES }, () => ({
    [waiting.node]: randomUUID(),
    [waiting.workflow]: randomUUID(),
    [over]: randomUUID(),
  }));
  const ids = (at: number) => all[at] as Record<string, string>;
  await copies(nodeSpec, { id: waiting.node }, ids);
  await copies(catalogSpec, { node: waiting.node }, ids);
  await copies(actorSpec, { id: waiting.node }, ids);
  await copies(workflowSpec, { id: { $in: [waiting.workflow, over] } }, ids);
  await copies(historySpec, { workflow: { $in: [waiting.workflow, over] } }, ids);
  await store.close();
}

function copy(text: string, ids: Record<string, string>): Document {
  const copied = Object.entries(ids).reduce((before, [from, to]) => before.replaceAll(from, to), text);
  return JSON.parse(copied) as Document;
}

function configFor(dataDir: string): NodeJS.ProcessEnv {
  const file = join(folder(scope), 'config.json');
  writeFileSync(file, JSON.stringify({ dataDir }));
  return { NODEWRIGHT_CONFIG: file };
}

async function main(withServices: boolean): Promise<void> {
  const dataDir = join(folder(scope), 'data');
  mkdirSync(dataDir);
  const daemon = await startDaemonProcess(scope, { config: { dataDir } });
  const scene = await prepareScene(daemon, (await startReceiver(scope)).url);
  await daemon.kill('SIGTERM');
  await multiply(dataDir, scene);
  console.log(`database: ${(statSync(join(dataDir, 'database.sqlite')).size / 2 ** 20).toFixed(0)} MiB`);
  await daemon.start();
  const load = new BackupLoad(daemon, scene);
  await load.runs(LAUNCHES);
  const file = join(folder(scope), 'backup.tgz');
  await timed('create, embedded, under load', ['create', file], { NODEWRIGHT_CONFIG: daemon.file });
  await load.stop();
  await daemon.kill('SIGKILL');
  await timed('verify', ['verify', file]);
  await timed('restore, embedded', ['restore', file], configFor(join(folder(scope), 'restored')));
  if (withServices) await shared(file, scene);
}

async function shared(file: string, scene: BackedUpScene): Promise<void> {
  const [redis, mongodb] = await Promise.all([startRedis(), openMongoDb()]);
  scope.teardown(() => Promise.all([redis.stop(), mongodb.stop()]));
  const services = { REDIS_URL: redis.url, MONGODB_URL: mongodb.url };
  const dataDir = join(folder(scope), 'data');
  await timed('restore, services', ['restore', file], { ...services, ...configFor(dataDir) });
  const daemon = await startDaemonProcess(scope, { env: services, config: { dataDir } });
  const load = new BackupLoad(daemon, scene);
  await load.runs(LAUNCHES);
  const env = { ...services, NODEWRIGHT_CONFIG: daemon.file };
  await timed('create, services, under load', ['create', `${file}.services`], env);
  await load.stop();
}

try {
  await main(process.argv[2] === 'services');
} finally {
  await scope.close();
}
