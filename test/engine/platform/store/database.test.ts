import { cpSync, readFileSync, statSync, truncateSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import test, { type ExecutionContext } from 'ava';
import { databaseFile } from '../../../../engine/platform/store/data-dir.ts';
import { type Database, openDatabase } from '../../../../engine/platform/store/database.ts';
import { openEmbeddedStore } from '../../../../engine/platform/store/embedded.ts';
import { DuplicateError } from '../../../../engine/platform/store/port.ts';
import { folder } from '../../../support/ava/folder.ts';
import { openOwnStore } from '../../../support/engine/stores.ts';
import { startChild } from '../../../support/faults/child.ts';

interface Thing {
  id: string;
  version: number;
  name: string;
}

const spec = { name: 'things', indexes: { name: 'text' as const }, unique: ['serial'] };
const thing = (id: string, name: string, serial?: string) => ({ id, version: 1, name, serial });

async function openOwn(t: ExecutionContext, dataDir = folder(t)): Promise<Database> {
  const db = await openDatabase({ dataDir });
  t.teardown(() => db.close());
  return db;
}

/** Writes documents one after another until it is killed. @returns the number of the last one that is acknowledged */
async function killedWriter(dataDir: string, atLeast: number): Promise<number> {
  const child = startChild(`
    import { openEmbeddedStore } from './engine/platform/store/embedded.ts';
    const store = await openEmbeddedStore({ dataDir: ${JSON.stringify(dataDir)} });
    const things = await store.collection(${JSON.stringify(spec)});
    for (let n = 0; ; n++) {
      await things.insert({ id: 'n' + n, version: 1, name: 'x'.repeat(n % 1000) });
      if (n > 0) await things.replace([{ id: 'n' + (n - 1), version: 2, name: 'changed' }]);
      console.log(n);
    }
  `);
  let last = -1;
  while (last < atLeast) last = Number(await child.line());
  await child.kill('SIGKILL');
  for (let line = await child.line(); line !== undefined; line = await child.line()) last = Number(line);
  return last;
}

test('every acknowledged document is present after a kill -9', async (t) => {
  const dataDir = folder(t);
  const last = await killedWriter(dataDir, 150);
  const store = await openEmbeddedStore({ dataDir });
  t.teardown(() => store.close());
  const things = await store.collection<Thing>(spec);
  t.is((await things.count({ name: 'changed' })) >= last, true);
  for (let n = 0; n < last; n++) t.is((await things.get(`n${n}`))?.version, 2);
  t.not(await things.get(`n${last}`), undefined);
});

test('of a log that is cut or overwritten at any place, the transactions before it are there', async (t) => {
  const killed = folder(t);
  await killedWriter(killed, 100);
  const size = statSync(`${databaseFile(killed)}-wal`).size;
  const damages = [0, 1, 31, 32, 4_152, 0.3, 0.7].map((at) => Math.floor(at % 1 === 0 ? at : at * 400_000));
  for (const at of damages.filter((place) => place < size)) {
    for (const isCut of [true, false]) {
      const dataDir = folder(t);
      cpSync(killed, dataDir, { recursive: true });
      const log = `${databaseFile(dataDir)}-wal`;
      if (isCut) truncateSync(log, at);
      else writeFileSync(log, readFileSync(log).fill(7, at, at + 6_000));
      const opened = openEmbeddedStore({ dataDir });
      if (at < 100) {
        // Nothing of it can be read, so it is not a new database either.
        await t.throwsAsync(opened, { code: 'DATA_DIR_DAMAGED' }, `${at} ${isCut}`);
        continue;
      }
      const store = await opened;
      const things = await store.collection<Thing>(spec);
      const found = (await things.find({})).map(({ id }) => Number(id.slice(1))).sort((a, b) => a - b);
      t.deepEqual(
        found,
        Array.from({ length: found.length }, (_, n) => n),
        `${at} ${isCut}`,
      );
      t.is(found.length > 0, at > 100_000);
      await things.insert(thing('new', 'x'));
      await store.close();
    }
  }
});

test('a write that fails does not affect the others of its turn', async (t) => {
  const things = await (await openOwnStore(t)).collection<Thing & { serial?: string | undefined }>(spec);
  await things.insert(thing('a', 'x', 's'));
  const results = await Promise.allSettled([
    things.insert(thing('b', 'x')),
    things.insertMissing([thing('c', 'x'), thing('d', 'x', 's')]),
    things.insert(thing('e', 'x')),
    things.get('b'),
  ]);
  t.deepEqual(
    results.map(({ status }) => status),
    ['fulfilled', 'rejected', 'fulfilled', 'fulfilled'],
  );
  t.true((results[1] as PromiseRejectedResult).reason instanceof DuplicateError);
  t.deepEqual(
    (await things.find({})).map(({ id }) => id),
    ['a', 'b', 'e'],
  );
});

/** Takes seconds. */
const SLOW_INSERT =
  'INSERT INTO t WITH RECURSIVE c(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM c WHERE n < 5000000) SELECT max(n) FROM c';

/** Reads behind a write until the database has a second thread. */
async function readBehindWrites(db: Database): Promise<void> {
  const written = db.script([SLOW_INSERT]);
  await Promise.all(Array.from({ length: 101 }, () => db.select('SELECT 1')));
  await written;
}

test('reads that have often waited for writes no longer do, and see every acknowledged write', async (t) => {
  const db = await openOwn(t);
  await db.script(['CREATE TABLE t (n)']);
  await readBehindWrites(db);
  for (let n = 1; n <= 3; n++) {
    await db.write([{ text: 'INSERT INTO t VALUES (?)', lists: [[-n]] }]);
    const order: string[] = [];
    const written = db.script([SLOW_INSERT]).then(() => order.push('written'));
    const rows = await db.select('SELECT count(*) FROM t WHERE n < 0');
    order.push('read');
    await written;
    t.deepEqual([order, rows], [['read', 'written'], [[n]]]);
  }
});

test('reads continue when the statistics for plans are made again, and when the database is closed', async (t) => {
  const db = await openDatabase({ dataDir: folder(t) });
  await db.script(['CREATE TABLE t (n)', 'CREATE INDEX i ON t (n)']);
  await readBehindWrites(db);
  for (let round = 0; round < 3; round++) {
    const lists = Array.from({ length: 3_000 }, (_, n) => [n]);
    const written = db.write([{ text: 'INSERT INTO t VALUES (?)', lists }]);
    const counts = await Promise.all(Array.from({ length: 20 }, () => db.select('SELECT count(*) FROM t')));
    for (const [[count] = []] of counts) t.true(Number(count) % 3_000 === 1, `${count}`);
    await written;
  }
  const last = db.script([SLOW_INSERT]);
  const reads = Array.from({ length: 20 }, () => db.select('SELECT max(n) FROM t'));
  await db.close();
  t.is((await Promise.all(reads)).length, 20);
  await last;
  await t.throwsAsync(() => db.select('SELECT 1'), { message: /closed/ });
});

test('a statement that is not valid fails alone, with its reason', async (t) => {
  const db = await openOwn(t);
  await t.throwsAsync(() => db.select('SELECT absent'), { message: /no such column: absent/ });
  await t.throwsAsync(() => db.script(['CREATE TABLE t (n)', 'CREATE TABLE t (n)']), { message: /already exists/ });
  await t.throwsAsync(() => db.select('SELECT * FROM t'), { message: /no such table: t/ });
  t.deepEqual(await db.select('SELECT ? + 1', [5]), [[6]]);
});

test('more statements than the cache of prepared statements holds still run', async (t) => {
  const db = await openOwn(t);
  for (let round = 0; round < 2; round++) {
    const sums = await Promise.all(Array.from({ length: 450 }, (_, n) => db.select(`SELECT ? + ${n}`, [1])));
    t.deepEqual(
      sums,
      Array.from({ length: 450 }, (_, n) => [[n + 1]]),
    );
  }
});

test('a long statement does not delay timers', async (t) => {
  const db = await openOwn(t);
  const count =
    'WITH RECURSIVE c(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM c WHERE n < 3000000) SELECT max(n) FROM c';
  let fired = 0;
  const timer = setInterval(() => fired++, 5);
  await db.select(count);
  clearInterval(timer);
  t.true(fired > 5, `${fired}`);
});

test('the log and the file stay as small as what they hold', async (t) => {
  const dataDir = folder(t);
  const store = await openEmbeddedStore({ dataDir });
  const things = await store.collection<Thing>(spec);
  const sizes: number[] = [];
  for (let round = 0; round < 6; round++) {
    const all = Array.from({ length: 5_000 }, (_, n) => thing(`${round}/${n}`, 'x'.repeat(1_500)));
    for (let from = 0; from < all.length; from += 100) await things.insertMissing(all.slice(from, from + 100));
    await things.remove({});
    const [file = 0, log = 0] = ['', '-wal'].map((name) => statSync(databaseFile(dataDir) + name).size);
    t.true(log < 80_000_000, `${log}`);
    sizes.push(file);
  }
  t.true((sizes.at(-1) ?? 0) <= 2 * (sizes[1] ?? 0), `${sizes}`);
  await store.close();
  t.is(statSync(`${databaseFile(dataDir)}-wal`, { throwIfNoEntry: false }), undefined);
});

test('a closed database has answered all requests, and rejects later ones', async (t) => {
  const dataDir = folder(t);
  const store = await openEmbeddedStore({ dataDir });
  const things = await store.collection<Thing>(spec);
  const writes = Array.from({ length: 50 }, (_, n) => things.insert(thing(`n${n}`, 'x')));
  await Promise.all([store.close(), store.close()]);
  await Promise.all(writes);
  await t.throwsAsync(() => things.get('n1'), { message: /closed/ });
  const again = await openEmbeddedStore({ dataDir });
  t.is(await (await again.collection(spec)).count({}), 50);
  await again.close();
});

test('the files of the database are readable by their user only', async (t) => {
  const dataDir = join(folder(t), 'made');
  await openOwn(t, dataDir);
  t.is(statSync(dataDir).mode & 0o777, 0o700);
  for (const name of ['', '-wal']) t.is(statSync(databaseFile(dataDir) + name).mode & 0o777, 0o600);
});

test('a damaged part of the file is reported by its readers and by ping; other parts are read', async (t) => {
  const dataDir = folder(t);
  const first = await openEmbeddedStore({ dataDir });
  await (await first.collection<Thing>({ ...spec, name: 'whole' })).insert(thing('w', 'x'));
  const many = Array.from({ length: 1_000 }, (_, n) => thing(`n${n}`, 'x'.repeat(1_500)));
  await (await first.collection<Thing>(spec)).insertMissing(many);
  await first.close();
  const bytes = readFileSync(databaseFile(dataDir));
  writeFileSync(databaseFile(dataDir), bytes.fill(7, bytes.length / 2));

  const store = await openEmbeddedStore({ dataDir });
  t.teardown(() => store.close());
  await store.ping();
  const things = await store.collection<Thing>(spec);
  const damaged = { code: 'DATA_DIR_DAMAGED', message: /cannot be read .*; restore a backup/ };
  await t.throwsAsync(async () => {
    for (const { id } of many) await things.get(id);
  }, damaged);
  await t.throwsAsync(() => store.ping(), damaged);
  t.is((await (await store.collection<Thing>({ ...spec, name: 'whole' })).get('w'))?.name, 'x');
});

test('an error of the disk ends the database: an error reports it once, and no acknowledged write is lost', async (t) => {
  const dataDir = folder(t);
  // A file may not grow beyond 10,000 blocks, which SQLite does not take for a full disk.
  const limited = ['sh', '-c', 'ulimit -f 10000; exec "$@"', 'sh'];
  const child = startChild(
    `
    import { openEmbeddedStore } from './engine/platform/store/embedded.ts';
    const onEnded = ({ code, message }) => console.log('ended ' + code + ' ' + message);
    const store = await openEmbeddedStore({ dataDir: ${JSON.stringify(dataDir)}, onEnded });
    const things = await store.collection(${JSON.stringify(spec)});
    const write = (n) => things.insert({ id: 'n' + n, version: 1, name: 'x', text: 'x'.repeat(100_000) });
    for (let n = 0; n < 1_000; n++) {
      try {
        await Promise.all([write(n), things.get('n0')]);
        console.log('written ' + n);
      } catch (error) {
        console.log('rejected ' + error.code);
        break;
      }
    }
    await things.get('n0').catch((error) => console.log('later ' + error.code));
    await store.close();
    console.log('closed');
  `,
    {},
    limited,
  );
  t.teardown(() => child.kill('SIGKILL'));
  const said: string[] = [];
  for (let line = await child.line(); line !== undefined; line = await child.line()) said.push(line);
  const written = said.filter((line) => line.startsWith('written')).length;
  t.true(written > 5, `${said}`);
  const [ended, ...rest] = said.slice(written);
  t.regex(ended ?? '', /^ended UNAVAILABLE the database has ended: .*disk I\/O error.*; fix the cause and restart$/);
  t.deepEqual(rest, ['rejected UNAVAILABLE', 'later UNAVAILABLE', 'closed']);
  const db = await openOwn(t, dataDir);
  const [[count] = []] = await db.select('SELECT count(*) FROM things');
  t.true(Number(count) >= written, `${count} of ${written}`);
});
