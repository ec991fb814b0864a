import { text } from 'node:stream/consumers';
import test, { type ExecutionContext } from 'ava';
import { BuiltIn } from '../../../engine/files/built-in.ts';
import { Cache } from '../../../engine/files/cache.ts';
import { Contents } from '../../../engine/files/contents.ts';
import type { ServedFile } from '../../../engine/files/served.ts';
import { fileSpec, Shelf, type StoredFile } from '../../../engine/files/shelf.ts';
import { inParts } from '../../support/archive.ts';
import { folder } from '../../support/folder.ts';
import { MemoryStore } from '../../support/memory-store.ts';

const NAME = 'linux.ipxe';
const FILE = { kind: 'profile', name: NAME, scope: null } as const;

async function openShelf(t: ExecutionContext, store = new MemoryStore()) {
  const cache = await Cache.open(folder(t));
  t.teardown(() => cache.close());
  const contents = await Contents.open(store);
  const shelf = new Shelf({ contents, cache, stored: await store.collection<StoredFile>(fileSpec) });
  const read = async () => text(((await shelf.open(FILE)) as ServedFile).open());
  const count = async () => (await store.collection({ name: 'contents', indexes: {} })).count({});
  return { store, shelf, read, count, bytes: (said: string) => inParts(Buffer.from(said)) };
}

test('each start replaces files of another version with its own built-in files, and changes nothing else', async (t) => {
  const { shelf, read, count, bytes } = await openShelf(t);
  await shelf.put(FILE, bytes('of another version'), { builtIn: true });
  await BuiltIn.open(shelf);
  const own = await read();
  t.regex(own, /^#!ipxe\n/);
  const all = await count();
  const { updatedAt } = (await shelf.get(FILE)) as StoredFile;
  await BuiltIn.open(shelf);
  t.is((await shelf.get(FILE))?.updatedAt, updatedAt);
  await shelf.put(FILE, bytes("a user's"));
  const builtIn = await BuiltIn.open(shelf);
  t.is(await read(), "a user's");
  t.true(await builtIn.restore(NAME));
  t.is(await read(), own);
  t.false(await builtIn.restore('other'));
  t.is(await count(), all, 'the replaced file is deleted');
});

test('daemons that start at once each find all files, and one copy of each blob is kept', async (t) => {
  const first = await openShelf(t);
  const others = await Promise.all([1, 2, 3].map(() => openShelf(t, first.store)));
  await Promise.all([first, ...others].map(({ shelf }) => BuiltIn.open(shelf)));
  const total = await (await first.store.collection<StoredFile>(fileSpec)).count({});
  t.true(total > 0);
  t.is(await first.count(), total);
  t.is(await others[0]?.read(), await first.read());
});
