/** Backups of real daemons that launch workflows in the meantime, restored elsewhere, also on the other way to run. */
import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import anyTest, { type ExecutionContext } from 'ava';
import Database from 'libsql';
import { backedUp, leftOut } from '../../engine/operations/backup/backup-collections.ts';
import { isUnfinished } from '../../engine/operations/backup/unfinished-restore.ts';
import { databaseFile } from '../../engine/platform/store/data-dir.ts';
import { openMongoStore } from '../../engine/platform/store/mongodb.ts';
import { fileScope } from '../support/ava/file-scope.ts';
import { folder } from '../support/ava/folder.ts';
import { needing } from '../support/ava/needs.ts';
import type { Scope } from '../support/ava/scope.ts';
import {
  type BackedUpScene,
  BackupLoad,
  backs,
  backupCommand,
  checkScene,
  prepareScene,
  restored,
} from '../support/data/backup-scene.ts';
import { seen } from '../support/faults/workload.ts';
import { type DaemonProcess, startDaemonProcess } from '../support/servers/daemon.ts';
import { noMongoDb, openMongoDb } from '../support/servers/mongodb.ts';
import { startReceiver } from '../support/servers/receiver.ts';
import { noRedis, startRedis } from '../support/servers/redis.ts';

const withServices = needing(noRedis ?? noMongoDb);
const LAUNCHES = 8;

interface Backup {
  file: string;
  scene: BackedUpScene;
  /** Launches that were answered before it. */
  before: string[];
}

async function services(t: Scope): Promise<NodeJS.ProcessEnv> {
  const [redis, mongodb] = await Promise.all([startRedis(), openMongoDb()]);
  t.teardown(() => Promise.all([redis.stop(), mongodb.stop()]));
  return { REDIS_URL: redis.url, MONGODB_URL: mongodb.url };
}

/** Makes a backup of a daemon under load, and kills the daemon. */
async function backupOf(
  t: ExecutionContext,
  owner: Scope,
  env: NodeJS.ProcessEnv,
): Promise<Backup & { daemon: DaemonProcess }> {
  const daemon = await startDaemonProcess(owner, { env });
  const receiver = await startReceiver(owner);
  const scene = await prepareScene(daemon, receiver.url);
  const load = new BackupLoad(daemon, scene);
  await load.runs(LAUNCHES);
  const before = [...load.ids];
  const file = join(folder(owner), 'nodewright.tgz');
  await backs(t, { ...env, NODEWRIGHT_CONFIG: daemon.file }, 'create', file);
  await load.runs(LAUNCHES);
  await daemon.kill('SIGKILL');
  await load.stop();
  const { stdout } = await backs(t, {}, 'verify', file);
  t.regex(stdout, /is whole: \d+ documents/);
  t.false(existsSync(`${file}.work`));
  return { file, scene, before, daemon };
}

const whole = fileScope();
let embedded: ReturnType<typeof backupOf> | undefined;

/** The backup of an embedded daemon, for all tests. */
function embeddedBackup(t: ExecutionContext): ReturnType<typeof backupOf> {
  embedded ??= backupOf(t, whole, {});
  return embedded;
}

anyTest.serial('a backup of a running embedded daemon is restored, and every workflow continues', async (t) => {
  const { file, scene, before } = await embeddedBackup(t);
  const { daemon, env, dataDir } = await restored(t, file);
  await checkScene(t, daemon, scene, before);
  const running = await backupCommand(env, ['restore', '--replace', file]);
  t.is(running.code, 1);
  t.regex(running.stderr, /DATA_DIR_LOCKED/);
  t.is(await daemon.kill('SIGTERM'), 0);
  const known = [...backedUp.map(({ name }) => name), ...Object.keys(leftOut)];
  const tables = tablesOf(dataDir);
  t.true(tables.length > 30);
  t.deepEqual(
    tables.filter((name) => !known.includes(name)),
    [],
    'every collection is in a backup, or named as left out',
  );
  const full = await backupCommand(env, ['restore', file]);
  t.is(full.code, 1);
  t.regex(full.stderr, /RESTORE_NOT_EMPTY/);
  await backs(t, env, 'create', `${file}.stopped`);
  await backs(t, env, 'restore', '--replace', `${file}.stopped`);
  await daemon.start();
  t.is((await daemon.api('GET', `/workflows/${scene.over}`)).body.status, 'succeeded');
});

function tablesOf(dataDir: string): string[] {
  const db = new Database(databaseFile(dataDir), { readonly: true });
  const names = db.prepare("SELECT name FROM sqlite_schema WHERE type = 'table'").all() as { name: string }[];
  db.close();
  return names.map(({ name }) => name).filter((name) => /^[a-z]+$/.test(name));
}

anyTest.serial('a backup that is killed leaves no file, and the daemon as it was', async (t) => {
  const { daemon, scene } = await embeddedBackup(t);
  await daemon.start();
  const load = new BackupLoad(daemon, scene);
  const home = folder(t);
  const file = join(home, 'nodewright.tgz');
  const env = { NODEWRIGHT_CONFIG: daemon.file };
  for (const ms of [100, 250, 400]) {
    await backupCommand(env, ['create', file], AbortSignal.timeout(ms));
    if (existsSync(file)) break;
    t.deepEqual(
      readdirSync(home).filter((name) => !name.endsWith('.work')),
      [],
    );
    await load.runs(1);
  }
  const second = join(home, 'second.tgz');
  await backs(t, env, 'create', second);
  await backs(t, env, 'verify', second);
  await load.runs(LAUNCHES);
  await load.stop();
});

withServices.serial('a backup of a running daemon with services is restored on others, and without any', async (t) => {
  const { file, scene, before } = await backupOf(t, t, await services(t));
  const target = await services(t);
  const { daemon, env } = await restored(t, file, target);
  await checkScene(t, daemon, scene, before);
  const running = await backupCommand(env, ['restore', '--replace', file]);
  t.is(running.code, 1);
  t.regex(running.stderr, /RESTORE_RUNNING/);
  await daemon.kill('SIGKILL');
  const full = await backupCommand(env, ['restore', file]);
  t.is(full.code, 1);
  t.regex(full.stderr, /RESTORE_NOT_EMPTY/);
  await interrupted(t, target, env, file);
  await t.throwsAsync(daemon.start(), { message: /ended with 2/ });
  t.regex(daemon.errors.at(-1) ?? '', /restore runs, or was interrupted/);
  await backs(t, env, 'restore', '--replace', file);
  await daemon.start();
  t.is((await daemon.api('GET', `/workflows/${scene.waiting.workflow}`)).body.status, 'running', 'as of the backup');
  const single = await restored(t, file);
  await checkScene(t, single.daemon, scene, before);
});

/** Kills a restore after it has put its mark. */
async function interrupted(
  t: ExecutionContext,
  { MONGODB_URL: url }: NodeJS.ProcessEnv,
  env: NodeJS.ProcessEnv,
  file: string,
) {
  const store = await openMongoStore(url ?? '', { info() {}, warn() {} });
  const kill = new AbortController();
  const killed = backupCommand(env, ['restore', '--replace', file], kill.signal);
  await seen(() => isUnfinished(store));
  kill.abort();
  t.not((await killed).code, 0);
  await store.close();
}

withServices.serial('a backup of an embedded daemon is restored with services', async (t) => {
  const { file, scene, before } = await embeddedBackup(t);
  const { daemon } = await restored(t, file, await services(t));
  await checkScene(t, daemon, scene, before);
});
