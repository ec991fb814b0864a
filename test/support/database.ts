/**
 * An embedded database as the first start of a daemon without graphs creates it. Creating one takes seconds of CPU
 * time, so it is created once, cached next to the packages, and copied: a daemon on the copy has an existing database.
 */
import { execFile } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, readFileSync } from 'node:fs';
import { mkdir, mkdtemp, rename, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { pino } from 'pino';
import { createEngine, readConfig } from '../../engine/index.ts';
import { type Database, openDatabase } from '../../engine/store/pglite.ts';
import { folder } from './folder.ts';
import type { Scope } from './scope.ts';

const copy = promisify(execFile);

const root = fileURLToPath(new URL('../../', import.meta.url));
const home = join(root, 'node_modules/.cache/nodewright');
/** Files that determine the schema. Tables of an earlier version are migrated when the database is opened. */
const makers = [
  ...['engine/store/pglite.ts', 'engine/store/syncfs.ts', 'engine/queue/embedded.ts', 'test/support/database.ts'],
  ...['@electric-sql/pglite', 'bullmq'].map((name) => `node_modules/${name}/package.json`),
];
const NAME = 'database';

let made: Promise<string> | undefined;

/** @param dataDir empty, of a daemon that has not started */
export async function putDatabase(dataDir: string): Promise<void> {
  made ??= make();
  // A thousand files: the system's cp takes a third of the time of Node's.
  await copy('cp', ['-R', await made, join(dataDir, NAME)]);
}

/** Opens an empty database of its own, which ends with the owner `t`. */
export async function openOwnDatabase(t: Scope): Promise<Database> {
  const dataDir = folder(t);
  await putDatabase(dataDir);
  const database = await openDatabase({ dataDir });
  t.teardown(() => database.end());
  return database;
}

/** When several processes create it concurrently, one of them renames it into place. */
async function make(): Promise<string> {
  const hash = createHash('sha256');
  for (const file of makers) hash.update(readFileSync(join(root, file)));
  const path = join(home, `${NAME}-${hash.digest('hex').slice(0, 16)}`);
  if (existsSync(path)) return path;
  await mkdir(home, { recursive: true });
  const draft = await mkdtemp(join(home, 'draft-'));
  try {
    const config = readConfig({}, draft, { dataDir: draft, graphs: [], tasks: [], log: { level: 'silent' } });
    await (await createEngine(config, pino({ level: 'silent' }))).close();
    await rename(join(draft, NAME), path);
  } catch (error) {
    if (!existsSync(path)) throw error;
  } finally {
    await rm(draft, { recursive: true, force: true });
  }
  return path;
}
