/** The embedded database on a disk that is full: what was acknowledged stays, what is not written says so, nothing hangs. */
import { createEmbeddedStore } from '../../../engine/store/embedded.ts';
import { DURABLE, openDatabase } from '../../../engine/store/pglite.ts';
import { needing } from '../../support/needing.ts';
import { noSmallDisk, smallDisk } from '../../support/small-disk.ts';

const test = needing(noSmallDisk, 'mount');
const spec = { name: 'things', indexes: {} };
const MIB = 256;

test.serial(
  'documents are read and removed but not written while the disk is full, and written afterwards',
  async (t) => {
    const disk = await smallDisk(t, MIB);
    const db = await openDatabase({ dataDir: disk.path });
    t.teardown(() => db.end());
    const things = await createEmbeddedStore(db).collection<{ id: string }>(spec);
    await things.insert({ id: 'before' });
    disk.fill();
    await t.throwsAsync(things.insert({ id: 'refused' }), { code: 'UNAVAILABLE', message: /full: 0 MiB are left/ });
    t.deepEqual(await things.find({}), [{ id: 'before' }]);
    t.is(await things.remove({ id: 'before' }), 1);
    disk.free();
    await things.insert({ id: 'after' });
    t.deepEqual(await things.find({}), [{ id: 'after' }]);
  },
);

test.serial(
  'a log that cannot grow ends the database: that is told, nothing hangs, nothing acknowledged is lost',
  async (t) => {
    const disk = await smallDisk(t, MIB);
    const told: string[] = [];
    const db = await openDatabase({ dataDir: disk.path, onEnded: ({ message }) => told.push(message) });
    const things = await createEmbeddedStore(db).collection<{ id: string }>(spec);
    await things.insert({ id: 'kept' });
    await db.query('CREATE TABLE documents.log (n int, text text); INSERT INTO documents.log VALUES (0, NULL)');
    disk.fill();
    // The log has to begin a new file, and cannot.
    const write = () => db.query(`SELECT pg_switch_wal(); DELETE FROM documents.things RETURNING ${DURABLE}`);
    await t.throwsAsync(write, { code: 'UNAVAILABLE', message: /the database has ended: .*No space left/ });
    await t.throwsAsync(things.get('kept'), { code: 'UNAVAILABLE' });
    await t.throwsAsync(
      db.transaction((query) => query('SELECT 1')),
      { code: 'UNAVAILABLE' },
    );
    t.is(told.length, 1);
    await db.end();
    await t.throwsAsync(openDatabase({ dataDir: disk.path }), { code: 'UNAVAILABLE', message: /make room/ });

    disk.free();
    const again = await openDatabase({ dataDir: disk.path });
    t.teardown(() => again.end());
    t.deepEqual(await (await createEmbeddedStore(again).collection<{ id: string }>(spec)).find({}), [{ id: 'kept' }]);
  },
);
