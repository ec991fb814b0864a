/**
 * An embedded database as the first start of a daemon without graphs makes it. That takes seconds of the processor, so it is made once,
 * kept beside the packages, and copied: whoever starts on the copy is not the first there.
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

const copy = promisify(execFile);

const root = fileURLToPath(new URL('../../', import.meta.url));
const home = join(root, 'node_modules/.cache/nodewright');
/** What decides how it looks. Tables that an earlier version left are brought up to date by whoever opens it. */
const makers = [
  ...['engine/store/pglite.ts', 'engine/store/syncfs.ts', 'engine/queue/embedded.ts', 'test/support/database.ts'],
  ...['@electric-sql/pglite', 'bullmq'].map((name) => `node_modules/${name}/package.json`),
];
const NAME = 'database';

let made: Promise<string> | undefined;

/** @param dataDir empty, of a daemon that is not started yet */
export async function putDatabase(dataDir: string): Promise<void> {
  made ??= make();
  // A thousand files: the system's own cp takes a third of the time of Node's.
  await copy('cp', ['-R', await made, join(dataDir, NAME)]);
}

/** Of several processes that make it at the same time, one gives it its name. */
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
