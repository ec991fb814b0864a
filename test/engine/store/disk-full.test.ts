/** The embedded database on a full disk: acknowledged writes stay, failed writes report an error, nothing hangs. */
import type { ExecutionContext } from 'ava';
import { startChild } from '../../support/child.ts';
import { needing } from '../../support/needing.ts';
import { noSmallDisk, type SmallDisk, smallDisk } from '../../support/small-disk.ts';

const test = needing(noSmallDisk, 'mount');
const MIB = 256;

interface Outcome {
  value?: unknown;
  code?: string;
  message?: string;
}

/**
 * A process inside the small disk's namespace, where SQLite finds the disk by its path in that namespace.
 * @returns runs a statement there, in which `open`, `db`, `things` and `told` are defined
 */
function within(t: ExecutionContext, { enter, inside }: SmallDisk): (statement: string) => Promise<Outcome> {
  const child = startChild(
    `
    import { createInterface } from 'node:readline';
    import { createEmbeddedStore } from './engine/store/embedded.ts';
    import { DURABLE, openDatabase } from './engine/store/pglite.ts';
    let db;
    let things;
    const told = [];
    const open = async () => {
      db = await openDatabase({ dataDir: ${JSON.stringify(inside)}, onEnded: ({ message }) => told.push(message) });
      things = await createEmbeddedStore(db).collection({ name: 'things', indexes: {} });
    };
    for await (const line of createInterface({ input: process.stdin })) {
      try {
        console.log(JSON.stringify({ value: await eval(line) }));
      } catch ({ code, message }) {
        console.log(JSON.stringify({ code, message }));
      }
    }
  `,
    {},
    enter,
  );
  t.teardown(() => child.kill('SIGKILL'));
  return async (statement) => {
    child.say(statement);
    return JSON.parse((await child.line()) ?? '{"message":"the process has ended"}');
  };
}

test.serial(
  'documents are read and removed but not written while the disk is full, and written afterwards',
  async (t) => {
    const disk = await smallDisk(t, MIB);
    const run = within(t, disk);
    t.deepEqual(await run('open()'), {});
    t.deepEqual(await run(`things.insert({ id: 'before' })`), {});
    disk.fill();
    const rejected = await run(`things.insert({ id: 'refused' })`);
    t.is(rejected.code, 'UNAVAILABLE');
    t.regex(rejected.message ?? '', /full: 0 MiB are free/);
    t.deepEqual((await run('things.find({})')).value, [{ id: 'before' }]);
    t.is((await run(`things.remove({ id: 'before' })`)).value, 1);
    disk.free();
    t.deepEqual(await run(`things.insert({ id: 'after' })`), {});
    t.deepEqual((await run('things.find({})')).value, [{ id: 'after' }]);
    t.deepEqual(await run('db.end()'), {});
  },
);

test.serial(
  'a log that cannot grow ends the database: an error reports it, nothing hangs, and no acknowledged write is lost',
  async (t) => {
    const disk = await smallDisk(t, MIB);
    const run = within(t, disk);
    t.deepEqual(await run('open()'), {});
    t.deepEqual(await run(`things.insert({ id: 'kept' })`), {});
    await run(`db.query('CREATE TABLE documents.log (n int, text text); INSERT INTO documents.log VALUES (0, NULL)')`);
    disk.fill();
    // The log must begin a new file, and cannot.
    const failed = await run(`db.query('SELECT pg_switch_wal(); DELETE FROM documents.things RETURNING ' + DURABLE)`);
    t.is(failed.code, 'UNAVAILABLE');
    t.regex(failed.message ?? '', /the database has ended: .*No space left/);
    t.is((await run(`things.get('kept')`)).code, 'UNAVAILABLE');
    t.is((await run(`db.transaction((query) => query('SELECT 1'))`)).code, 'UNAVAILABLE');
    t.is(((await run('told')).value as string[]).length, 1);
    await run('db.end()');
    const full = await run('open()');
    t.is(full.code, 'UNAVAILABLE');
    t.regex(full.message ?? '', /free some space/);

    disk.free();
    t.deepEqual(await run('open()'), {});
    t.deepEqual((await run('things.find({})')).value, [{ id: 'kept' }]);
    t.deepEqual(await run('db.end()'), {});
  },
);
