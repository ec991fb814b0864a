/**
 * A data directory that is damaged, of another version, or not writable: rejected with one sentence, never created
 * again.
 */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import {
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  statSync,
  truncateSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import anyTest, { type TestFn } from 'ava';
import { databaseFile } from '../../../../engine/platform/store/data-dir.ts';
import { folder } from '../../../support/ava/folder.ts';
import { WAIT_MS } from '../../../support/ava/patience.ts';
import { TestEngine } from '../../../support/engine/engine.ts';
import { daemonProgram } from '../../../support/servers/program.ts';

const test = anyTest as TestFn<{ whole: string; killed: string }>;

const now = new Date().toISOString();
const user = { id: 'root', username: 'root', password: 'x', role: 'Administrator', createdAt: now, updatedAt: now };

const isFile = (path: string): boolean => !path.endsWith('.sock');

/** A directory that a daemon has used: with a user, a node and all its secrets. */
test.before(async (t) => {
  const whole = mkdtempSync(join(tmpdir(), 'nodewright-whole-'));
  const daemon = await new TestEngine(whole, { graphs: [], tasks: [] }).open();
  await daemon.engine.nodes.create({ type: 'compute', name: 'n' });
  // Before the first checkpoint, all of it is in the log.
  t.context.killed = join(mkdtempSync(join(tmpdir(), 'nodewright-killed-')), 'data');
  cpSync(whole, t.context.killed, { recursive: true, filter: isFile });
  await daemon.engine.users.createFirst(user);
  await daemon.engine.close();
  t.context.whole = whole;
});
test.after.always(({ context: { whole, killed } }) => {
  for (const path of [whole, killed]) rmSync(path ?? '', { recursive: true, force: true });
});

/** Starts the daemon as a user does. @returns its exit code and its output */
async function start(t: Parameters<typeof folder>[0], dataDir: string, options: readonly string[] = []) {
  const config = join(folder(t), 'config.json');
  const httpEndpoints = [{ port: 0, routers: 'northbound-api-router' }];
  writeFileSync(config, JSON.stringify({ dataDir, graphs: [], tasks: [], httpEndpoints }));
  const { REDIS_URL: _, MONGODB_URL: __, ...env } = process.env;
  const child = spawn(process.execPath, [...options, ...daemonProgram()], {
    env: { ...env, NODEWRIGHT_CONFIG: config },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  t.teardown(() => child.kill('SIGKILL'));
  const [[code], , said] = await Promise.all([
    once(child, 'exit', { signal: AbortSignal.timeout(WAIT_MS) }),
    text(child.stdout),
    text(child.stderr),
  ]);
  return { code, said };
}

const fill = (file: string, byte: number, from = 0) => writeFileSync(file, readFileSync(file).fill(byte, from));

const damages: [what: string, damage: (dataDir: string) => void, said: RegExp][] = [
  ['its database is missing', (dir) => rmSync(databaseFile(dir)), /its database is missing/],
  ['its database is empty', (dir) => truncateSync(databaseFile(dir)), /its database is missing/],
  [
    'its format belongs to an earlier version',
    (dir) => writeFileSync(join(dir, 'format'), '1'),
    /found format "1" of another version, expected format 2; run the version that made it, or import an export that it makes into an empty dataDir/,
  ],
  [
    'its format belongs to a later daemon',
    (dir) => writeFileSync(join(dir, 'format'), '3'),
    /found format "3" of another version, expected format 2/,
  ],
  ['its database is another file', (dir) => fill(databaseFile(dir), 7), /cannot be opened \(file is not a database\)/],
  ['its schema is torn', (dir) => fill(databaseFile(dir), 7, 100), /cannot be opened \(.*malformed.*\)/],
  ['its tables are torn', (dir) => fill(databaseFile(dir), 7, 4_096), /cannot be (opened|read) \(.*malformed.*\)/],
  [
    'its database is a folder',
    (dir) => {
      rmSync(databaseFile(dir));
      mkdirSync(databaseFile(dir));
    },
    /its database cannot be opened \(EISDIR\)/,
  ],
  [
    'its secrets are missing',
    (dir) => rmSync(join(dir, 'secrets'), { recursive: true }),
    /secrets\/[a-z-]+ is missing/,
  ],
  ['one secret is missing', (dir) => rmSync(join(dir, 'secrets/values')), /secrets\/values is missing/],
  ['a secret is empty', (dir) => writeFileSync(join(dir, 'secrets/auth-token'), ''), /auth-token holds 0 characters/],
];

for (const [what, damage, said] of damages) {
  test(`a data directory is rejected with one sentence and exit code 2 when ${what}`, async (t) => {
    const dataDir = join(folder(t), 'data');
    cpSync(t.context.whole, dataDir, { recursive: true });
    damage(dataDir);
    const before = existsSync(databaseFile(dataDir));
    const found = await start(t, dataDir);
    t.is(found.code, 2, found.said);
    t.regex(found.said, /^nodewright: [^\n]+\n$/);
    t.regex(found.said, said);
    t.is(existsSync(databaseFile(dataDir)), before, 'no database replaces the existing one');
  });
}

test('the directory of a daemon that was killed is rejected without the log of its database, and used with it', async (t) => {
  const dataDir = join(folder(t), 'data');
  cpSync(t.context.killed, dataDir, { recursive: true });
  t.is(statSync(databaseFile(dataDir)).size, 4_096);
  rmSync(`${databaseFile(dataDir)}-wal`);
  const found = await start(t, dataDir);
  t.is(found.code, 2, found.said);
  t.regex(
    found.said,
    /^nodewright: [^\n]+ its database cannot be opened \(it is empty: its log is lost\); restore a backup[^\n]+\n$/,
  );
  cpSync(t.context.killed, dataDir, { recursive: true });
  const daemon = await new TestEngine(dataDir, { graphs: [], tasks: [] }).open();
  t.is((await daemon.engine.nodes.list({ skip: 0, limit: 9, filter: {} })).items.length, 1);
  await daemon.engine.close();
});

test('the first user survives a lost log, so the next client does not become it', async (t) => {
  const dataDir = join(folder(t), 'data');
  const daemon = await new TestEngine(dataDir, { graphs: [], tasks: [] }).open();
  await daemon.engine.users.createFirst(user);
  const copy = join(folder(t), 'copy');
  cpSync(dataDir, copy, { recursive: true, filter: isFile });
  await daemon.engine.close();
  rmSync(`${databaseFile(copy)}-wal`);
  const next = await new TestEngine(copy, { graphs: [], tasks: [] }).open();
  t.is(await next.engine.users.count(), 1);
  await next.engine.close();
});

test('a file as dataDir ends the start with one sentence and exit code 2', async (t) => {
  const { code, said } = await start(t, '/dev/null');
  t.is(code, 2, said);
  t.is(said, 'nodewright: dataDir /dev/null is not a folder; set a path that is writable\n');
});

for (const place of ['/proc/x', '/dev/null/x']) {
  test(`${place} as dataDir ends the start with one sentence and exit code 2`, async (t) => {
    const { code, said } = await start(t, place);
    t.is(code, 2, said);
    t.regex(said, /^nodewright: dataDir \S+ cannot be created \(\w+\); set a path that is writable\n$/);
  });
}

test('a directory whose daemon was killed before its database was complete gets a database at the next start', async (t) => {
  const dataDir = folder(t);
  writeFileSync(databaseFile(dataDir), '');
  const daemon = await new TestEngine(dataDir, { graphs: [], tasks: [] }).open();
  t.is(await daemon.engine.users.count(), 0);
  await daemon.engine.close();
  t.is(readFileSync(join(dataDir, 'format'), 'utf8'), '2');
});

test('a start without a program of libsql for the platform ends with one sentence and exit code 2', async (t) => {
  const missing = join(folder(t), 'missing.cjs');
  writeFileSync(
    missing,
    `
    const Module = require('node:module');
    const load = Module._load;
    Module._load = (name, ...rest) => {
      if (name.startsWith('@libsql/')) throw Object.assign(new Error('Cannot find module'), { code: 'MODULE_NOT_FOUND' });
      return load(name, ...rest);
    };
  `,
  );
  const { code, said } = await start(t, join(folder(t), 'data'), ['--require', missing]);
  t.is(code, 2, said);
  t.regex(said, /^nodewright: the package libsql cannot be loaded on \w+ \w+ with Node v[^\n]+; run npm ci [^\n]+\n$/);
});
