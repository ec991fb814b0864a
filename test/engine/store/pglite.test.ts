import test from 'ava';
import { createEmbeddedStore } from '../../../engine/store/embedded.ts';
import { openDatabase } from '../../../engine/store/pglite.ts';
import { startChild } from '../../support/child.ts';
import { openOwnDatabase } from '../../support/database.ts';
import { folder } from '../../support/folder.ts';

const spec = { name: 'things', indexes: { name: 'text' as const } };
const thing = (id: string, name: string) => ({ id, version: 1, name });

test('every write of a document reaches the disk', async (t) => {
  let syncs = 0;
  const db = await openDatabase({ dataDir: folder(t), onSync: () => syncs++ });
  const things = await createEmbeddedStore(db).collection<ReturnType<typeof thing>>(spec);
  const during = async (run: () => Promise<unknown>) => {
    const before = syncs;
    await run();
    return syncs - before;
  };

  t.is(await during(() => things.insert(thing('a', 'x'))), 1);
  t.is(await during(() => things.insertMissing([thing('b', 'x'), thing('c', 'x')])), 1);
  t.is(await during(() => things.replace([{ ...thing('a', 'y'), version: 2 }])), 1);
  t.is(await during(() => things.update({ id: 'a' }, { $set: { name: 'z' } })), 1);
  t.is(await during(() => things.remove({ id: 'b' })), 1);
  t.is(await during(() => things.find({ name: 'z' })), 0);

  // A lazy write is flushed by the next write that is not lazy.
  const lazy = await createEmbeddedStore(db).collection<{ id: string }>({ name: 'lazy', indexes: {}, lazy: true });
  t.is(await during(() => lazy.insertMissing([{ id: 'l' }])), 0);
  t.is(await during(() => things.insert(thing('d', 'x'))), 1);
  await db.end();
});

test('a transaction is isolated from other statements, and rolled back when it throws', async (t) => {
  const db = await openOwnDatabase(t);
  await db.query('CREATE TABLE documents.n (n int)');
  const client = await db.connect();
  await client.query('BEGIN');
  await client.query('INSERT INTO documents.n VALUES ($1)', [1]);
  const other = db.query('INSERT INTO documents.n VALUES ($1)', [2]);
  await client.query('ROLLBACK');
  client.release();
  await other;
  const failing = db.transaction(async (query) => {
    await query('INSERT INTO documents.n VALUES ($1)', [3]);
    throw new Error('on purpose');
  });
  await t.throwsAsync(failing, { message: 'on purpose' });
  t.deepEqual((await db.query('SELECT n FROM documents.n')).rows, [{ n: 2 }]);
});

test('a client that disconnects in an open transaction rolls it back', async (t) => {
  const db = await openOwnDatabase(t);
  const client = await db.connect();
  await client.query('BEGIN; CREATE TABLE documents.gone (n int)');
  client.release();
  await t.throwsAsync(() => db.query('SELECT 1 FROM documents.gone'), { message: /does not exist/ });
});

test('a failed statement leaves the session unchanged', async (t) => {
  const db = await openOwnDatabase(t);
  await t.throwsAsync(() => db.query('SELECT $1::int AS n', ['x']));
  await t.throwsAsync(() => db.query('SELECT nothing WHERE $1', [true]));
  t.deepEqual((await db.query('SELECT $1::int AS n', [5])).rows, [{ n: 5 }]);
});

test('more statements than the cache of prepared statements holds still run', async (t) => {
  const db = await openOwnDatabase(t);
  for (let round = 0; round < 2; round++) {
    for (let n = 0; n < 450; n++) t.deepEqual((await db.query(`SELECT $1::int + ${n} AS n`, [1])).rows, [{ n: n + 1 }]);
  }
});

test('maintenance bounds the size of the log and of the tables', async (t) => {
  const db = await openOwnDatabase(t);
  await db.query('CREATE TABLE documents.worn (id text PRIMARY KEY, doc text)');
  const size = async () =>
    Number((await db.query<{ n: number }>(`SELECT pg_table_size('documents.worn') AS n`)).rows[0]?.n);
  const fill = async (round: number) => {
    await db.query(
      `INSERT INTO documents.worn SELECT n || $1, repeat(md5(n::text), 60) FROM generate_series(1, 2000) n`,
      [`/${round}`],
    );
    await db.query('DELETE FROM documents.worn WHERE id LIKE $1', [`%/${round}`]);
    // Statistics reach the tables' counters at most once a second; this flushes them now.
    await db.query('SELECT pg_stat_force_next_flush()');
    for (let n = 0; n < 3; n++) await db.maintenance();
  };
  await fill(0);
  const first = await size();
  for (let round = 1; round < 6; round++) await fill(round);
  t.true((await size()) <= 2 * first + 65_536, `${first} bytes became ${await size()}`);
  const { rows } = await db.query<{ n: number }>('SELECT count(*)::int AS n FROM pg_ls_waldir()');
  t.true((rows[0]?.n ?? 0) < 15, `${rows[0]?.n} log files`);
});

test('every acknowledged document is present after a kill -9', async (t) => {
  const dataDir = folder(t);
  const child = startChild(`
    import { createEmbeddedStore } from './engine/store/embedded.ts';
    import { openDatabase } from './engine/store/pglite.ts';
    const db = await openDatabase({ dataDir: ${JSON.stringify(dataDir)} });
    const things = await createEmbeddedStore(db).collection(${JSON.stringify(spec)});
    for (let n = 0; ; n++) {
      await things.insert({ id: 'n' + n, version: 1, name: 'x'.repeat(n % 1000) });
      if (n > 0) await things.replace([{ id: 'n' + (n - 1), version: 2, name: 'changed' }]);
      console.log(n);
    }
  `);
  let last = -1;
  while (last < 150) last = Number(await child.line());
  await child.kill('SIGKILL');
  for (let line = await child.line(); line !== undefined; line = await child.line()) last = Number(line);

  const db = await openDatabase({ dataDir });
  const things = await createEmbeddedStore(db).collection<ReturnType<typeof thing>>(spec);
  t.is((await things.count({ name: 'changed' })) >= last, true);
  for (let n = 0; n < last; n++) t.is((await things.get(`n${n}`))?.version, 2);
  t.not(await things.get(`n${last}`), undefined);
  await db.end();
});

test('a long series of statements does not delay timers', async (t) => {
  const db = await openOwnDatabase(t);
  let fired = 0;
  const timer = setInterval(() => fired++, 5);
  let statements = 0;
  while (fired < 10 && statements < 50_000) {
    await db.query('SELECT $1::int', [1]);
    statements++;
  }
  clearInterval(timer);
  t.is(fired, 10, `${statements} statements`);
});
