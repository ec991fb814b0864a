/** The embedded database on a full disk: acknowledged writes stay, failed writes report an error, nothing hangs. */
import type { ExecutionContext } from 'ava';
import { needing } from '../../../support/ava/needs.ts';
import { startChild } from '../../../support/faults/child.ts';
import { noSmallDisk, type SmallDisk, smallDisk } from '../../../support/faults/small-disk.ts';

const test = needing(noSmallDisk, 'mount');
const MIB = 256;

interface Outcome {
  value?: unknown;
  code?: string;
  message?: string;
}

/**
 * A process inside the small disk's namespace, where SQLite finds the disk by its path in that namespace.
 * @returns runs a statement there, with `open`, `store`, `things`, `openFile`, `file` and `reported`
 */
function within(t: ExecutionContext, { enter, inside }: SmallDisk): (statement: string) => Promise<Outcome> {
  const child = startChild(
    `
    import { createInterface } from 'node:readline';
    import { openDatabase } from './engine/platform/store/database.ts';
    import { openEmbeddedStore } from './engine/platform/store/embedded.ts';
    const reported = [];
    const options = { dataDir: ${JSON.stringify(inside)}, onEnded: ({ message }) => reported.push(message) };
    Object.assign(globalThis, {
      reported,
      async open() {
        globalThis.store = await openEmbeddedStore(options);
        globalThis.things = await store.collection({ name: 'things', indexes: {} });
      },
      async openFile() {
        globalThis.file = await openDatabase(options);
        await file.script(['CREATE TABLE IF NOT EXISTS texts (text TEXT)']);
      },
    });
    for await (const line of createInterface({ input: process.stdin })) {
      try {
        console.log(JSON.stringify({ value: await (0, eval)(line) }));
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
    t.deepEqual(await run('store.close()'), {});
  },
);

test.serial(
  'a write for which the disk has no space fails alone: others and reads succeed, and so do writes when there is space',
  async (t) => {
    const disk = await smallDisk(t, MIB);
    const run = within(t, disk);
    const insert = (mib: number) =>
      `file.write([{ text: 'INSERT INTO texts VALUES (?)', lists: [['x'.repeat(${mib * 1024 * 1024})]] }])`;
    t.deepEqual(await run('openFile()'), {});
    t.deepEqual(await run(insert(1)), { value: [1] });
    disk.fill();
    const tried = `Promise.allSettled([file.select('SELECT count(*) FROM texts'), ${insert(50)}, ${insert(0)}])`;
    const [read, large, small] = (await run(tried)).value as PromiseSettledResult<unknown>[];
    t.deepEqual(read, { status: 'fulfilled', value: [[1]] });
    t.is(large?.status, 'rejected');
    t.deepEqual(small, { status: 'fulfilled', value: [1] });
    const failed = await run(insert(50));
    t.is(failed.code, 'UNAVAILABLE');
    t.regex(failed.message ?? '', /the database: .*full.*; free some space/);
    const full = await run('open()');
    t.is(full.code, 'UNAVAILABLE');
    t.regex(full.message ?? '', /full: 0 MiB are free/);

    disk.free();
    t.deepEqual(await run(insert(50)), { value: [1] });
    t.deepEqual((await run('reported')).value, []);
    t.deepEqual(await run('file.close()'), {});
    t.deepEqual(await run('openFile()'), {});
    t.deepEqual((await run('file.select("SELECT count(*) FROM texts")')).value, [[3]]);
    t.deepEqual(await run('file.close()'), {});
  },
);
