/**
 * A data directory that is damaged, of another version, or not writable: rejected with one sentence, never created
 * again.
 */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { cpSync, existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import anyTest, { type TestFn } from 'ava';
import { startChild } from '../../support/child.ts';
import { TestEngine } from '../../support/engine.ts';
import { folder } from '../../support/folder.ts';
import { daemonProgram } from '../../support/program.ts';

const test = anyTest as TestFn<{ whole: string }>;

/** A directory that a daemon has used: with a user, a node and all its secrets. */
test.before(async (t) => {
  const whole = mkdtempSync(join(tmpdir(), 'nodewright-whole-'));
  const daemon = await new TestEngine(whole, { graphs: [], tasks: [] }).open();
  const now = new Date().toISOString();
  const user = { id: 'root', username: 'root', password: 'x', role: 'Administrator', createdAt: now, updatedAt: now };
  await daemon.engine.users.createFirst(user);
  await daemon.engine.close();
  t.context.whole = whole;
});
test.after.always((t) => rmSync(t.context.whole, { recursive: true, force: true }));

/** Starts the daemon as a user does. @returns its exit code and its output */
async function start(t: Parameters<typeof folder>[0], dataDir: string) {
  const config = join(folder(t), 'config.json');
  const httpEndpoints = [{ port: 0, routers: 'northbound-api-router' }];
  writeFileSync(config, JSON.stringify({ dataDir, graphs: [], tasks: [], httpEndpoints }));
  const { REDIS_URL: _, MONGODB_URL: __, ...env } = process.env;
  const child = spawn(process.execPath, daemonProgram(), {
    env: { ...env, NODEWRIGHT_CONFIG: config },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  t.teardown(() => child.kill('SIGKILL'));
  const [[code], , said] = await Promise.all([once(child, 'exit'), text(child.stdout), text(child.stderr)]);
  return { code, said };
}

const fill = (file: string, byte: number) => writeFileSync(file, Buffer.alloc(statSync(file).size, byte));
const inFolder = (path: string) => readdirSync(path).map((name) => join(path, name));
/** The largest tables of the database itself: without them nothing can be read. */
const tables = (database: string) =>
  readdirSync(join(database, 'base'))
    .flatMap((one) => inFolder(join(database, 'base', one)))
    .filter((file) => statSync(file).size >= 8_192);

const damages: [what: string, damage: (dataDir: string) => void, said: RegExp][] = [
  ['its database is missing', (dir) => rmSync(join(dir, 'database'), { recursive: true }), /its database is missing/],
  ['its version file is missing', (dir) => rmSync(join(dir, 'database/PG_VERSION')), /has no PG_VERSION/],
  [
    'it belongs to another version',
    (dir) => writeFileSync(join(dir, 'database/PG_VERSION'), '12\n'),
    /version 12, expected/,
  ],
  [
    'its format belongs to a later daemon',
    (dir) => writeFileSync(join(dir, 'format'), '2'),
    /format is "2", expected 1/,
  ],
  [
    'its transaction log is zeroed',
    (dir) => {
      for (const file of inFolder(join(dir, 'database/pg_wal'))) if (statSync(file).isFile()) fill(file, 0);
    },
    /does not start/,
  ],
  ['its control file is zeroed', (dir) => fill(join(dir, 'database/global/pg_control'), 0), /does not start/],
  [
    'its tables are torn',
    (dir) => {
      for (const file of tables(join(dir, 'database'))) fill(file, 7);
    },
    /does not start|cannot be read/,
  ],
  ['a secret is empty', (dir) => writeFileSync(join(dir, 'secrets/auth-token'), ''), /auth-token holds 0 characters/],
];

for (const [what, damage, said] of damages) {
  test(`a data directory is rejected with one sentence and exit code 2 when ${what}`, async (t) => {
    const dataDir = join(folder(t), 'data');
    cpSync(t.context.whole, dataDir, { recursive: true });
    damage(dataDir);
    const version = join(dataDir, 'database/PG_VERSION');
    const before = existsSync(version);
    const found = await start(t, dataDir);
    t.is(found.code, 2, found.said);
    t.regex(found.said, /^nodewright: [^\n]+\n$/);
    t.regex(found.said, said);
    t.is(existsSync(version), before, 'no database replaces the existing one');
  });
}

for (const place of ['/proc/x', '/dev/null/x']) {
  test(`${place} as dataDir ends the start with one sentence and exit code 2`, async (t) => {
    const { code, said } = await start(t, place);
    t.is(code, 2, said);
    t.regex(said, /^nodewright: dataDir \S+ cannot be created \(\w+\); set a path that is writable\n$/);
  });
}

test('a directory whose daemon was killed while it created the database gets a database at the next start', async (t) => {
  const dataDir = folder(t);
  // Killed by itself at its first sync, since a signal of another process may arrive after the creation.
  const child = startChild(`
    import { openDatabase } from './engine/store/pglite.ts';
    const onSync = () => process.kill(process.pid, 'SIGKILL');
    await openDatabase({ dataDir: ${JSON.stringify(dataDir)}, onSync });
  `);
  await child.ended;
  t.is(readFileSync(join(dataDir, 'format'), 'utf8'), 'creating');
  const daemon = await new TestEngine(dataDir, { graphs: [], tasks: [] }).open();
  t.is(await daemon.engine.users.count(), 0);
  await daemon.engine.close();
  t.is(readFileSync(join(dataDir, 'format'), 'utf8'), '1');
});
