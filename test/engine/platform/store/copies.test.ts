/** Copies of an embedded database that is in use: what was answered before is in them, and the writer does not wait. */
import { existsSync, statSync, writeFileSync } from 'node:fs';
import { connect } from 'node:net';
import { join } from 'node:path';
import test from 'ava';
import { copyDatabase } from '../../../../engine/platform/store/copy-database.ts';
import { copySocketIn, serveCopies } from '../../../../engine/platform/store/copy-server.ts';
import { databaseFile } from '../../../../engine/platform/store/data-dir.ts';
import { type EmbeddedStore, openEmbeddedStore } from '../../../../engine/platform/store/embedded.ts';
import type { Collection, CollectionSpec } from '../../../../engine/platform/store/port.ts';
import { folder } from '../../../support/ava/folder.ts';
import type { Scope } from '../../../support/ava/scope.ts';

interface Thing {
  id: string;
  text: string;
}

const spec: CollectionSpec = { name: 'things', indexes: {} };
/** Some hundred of these are more than the log may have before it is moved to the file. */
const TEXT = 'x'.repeat(64 * 1024);
const WRITES = 400;

async function opened(t: Scope) {
  const dataDir = folder(t);
  const store = await openEmbeddedStore({ dataDir });
  const reasons: string[] = [];
  const copies = await serveCopies(dataDir, store, (reason) => reasons.push(reason));
  t.teardown(async () => {
    await copies.close();
    await store.close();
  });
  return { dataDir, store, copies, reasons, things: await store.collection<Thing>(spec) };
}

async function copied(t: Scope, dataDir: string): Promise<Collection<Thing>> {
  const to = folder(t);
  await copyDatabase(dataDir, to);
  return openedCopy(t, to);
}

async function openedCopy(t: Scope, to: string): Promise<Collection<Thing>> {
  const copy = await openEmbeddedStore({ dataDir: to });
  t.teardown(() => copy.close());
  return copy.collection<Thing>(spec);
}

const write = (things: Collection<Thing>, id: string) => things.insert({ id, text: TEXT });

test('a copy waits for a daemon that is about to serve it', async (t) => {
  const dataDir = folder(t);
  const store = await openEmbeddedStore({ dataDir });
  t.teardown(() => store.close());
  const things = await store.collection<Thing>(spec);
  await write(things, 'a');
  const copy = copied(t, dataDir);
  // It has found the lock by then.
  await new Promise((resolve) => setTimeout(resolve, 300));
  const copies = await serveCopies(dataDir, store, () => {});
  t.teardown(() => copies.close());
  t.is(await (await copy).count({}), 1);
});

test('each answered write is in a copy, while writes go on', async (t) => {
  const { dataDir, things } = await opened(t);
  let [count, isOver] = [0, false];
  const writer = (async () => {
    for (; !isOver; count += 1) await write(things, String(count));
  })();
  for (let copies = 0; copies < 5; copies += 1) {
    const answered = count;
    const copy = await copied(t, dataDir);
    const found = await copy.count({});
    t.true(found >= answered, `${found} of ${answered}`);
    for (const id of [0, answered - 1]) if (id >= 0) t.is((await copy.get(String(id)))?.text, TEXT);
    const ids = new Set((await copy.pick([], {})).map(({ id }) => id));
    t.deepEqual(
      Array.from({ length: found }, (_, id) => String(id)).filter((id) => !ids.has(id)),
      [],
    );
  }
  isOver = true;
  await writer;
});

test('while the file is held, nothing is written into it; afterwards it is', async (t) => {
  const { dataDir, store, things } = await opened(t);
  const file = databaseFile(dataDir);
  await store.hold(true);
  const { size, mtimeNs } = statSync(file, { bigint: true });
  for (let id = 0; id < WRITES; id += 1) await write(things, String(id));
  const held = statSync(file, { bigint: true });
  t.deepEqual([held.size, held.mtimeNs], [size, mtimeNs]);
  t.true(await store.hold(false));
  await write(things, 'last');
  t.true(statSync(file).size > WRITES * TEXT.length);
});

test('a copy that ends without a word releases the file, and another one can be made', async (t) => {
  const { dataDir, things, store } = await opened(t);
  await write(things, 'one');
  const released = waitsForRelease(store);
  const socket = connect(copySocketIn(dataDir));
  await new Promise((resolve) => socket.once('data', resolve));
  await t.throwsAsync(copyDatabase(dataDir, folder(t)), { message: /another copy is being made/ });
  socket.destroy();
  await released;
  t.is(await (await copied(t, dataDir)).count({}), 1);
});

/** Resolves at the end of the next hold. */
function waitsForRelease(store: EmbeddedStore): Promise<void> {
  const hold = store.hold.bind(store);
  return new Promise((resolve) => {
    store.hold = async (isHeld) => {
      const result = await hold(isHeld);
      if (!isHeld) setImmediate(resolve);
      return result;
    };
  });
}

test('a database that closes during the copy is an error, not a copy', async (t) => {
  const { dataDir, copies, things } = await opened(t);
  await write(things, 'one');
  const socket = connect(copySocketIn(dataDir));
  await new Promise((resolve) => socket.once('data', resolve));
  const ended = new Promise((resolve) => socket.once('close', resolve));
  let heard = '';
  socket.on('data', (bytes) => {
    heard += bytes;
  });
  await copies.close();
  await ended;
  t.is(heard, '');
  t.false(existsSync(copySocketIn(dataDir)));
});

test('a database that no process uses is copied as it is, and locked in the meantime', async (t) => {
  const { dataDir, store, copies, things } = await opened(t);
  await write(things, 'one');
  await copies.close();
  await t.throwsAsync(copyDatabase(dataDir, folder(t)), { code: 'DATA_DIR_LOCKED' });
  await store.close();
  // The socket of a process that was killed.
  writeFileSync(copySocketIn(dataDir), '');
  t.is(await (await copied(t, dataDir)).count({}), 1);
});

test('a path that is too long for a socket is reported, and the daemon continues', async (t) => {
  const { store } = await opened(t);
  const reasons: string[] = [];
  const long = join(folder(t), 'x'.repeat(100));
  const copies = await serveCopies(long, store, (reason) => reasons.push(reason));
  t.is(reasons.length, 1);
  t.regex(reasons[0] ?? '', /too long for a socket/);
  await copies.close();
});
