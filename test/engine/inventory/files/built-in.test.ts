import { text } from 'node:stream/consumers';
import test, { type ExecutionContext } from 'ava';
import { Blobs } from '../../../../engine/inventory/files/blobs.ts';
import { BuiltIn } from '../../../../engine/inventory/files/built-in.ts';
import { Cache } from '../../../../engine/inventory/files/cache.ts';
import { FileStore, fileSpec, type StoredFile } from '../../../../engine/inventory/files/file-store.ts';
import type { ServedFile } from '../../../../engine/inventory/files/served-folder.ts';
import { folder } from '../../../support/ava/folder.ts';
import { inParts } from '../../../support/data/archive.ts';
import { MemoryStore } from '../../../support/engine/memory-store.ts';

const NAME = 'linux.ipxe';
const FILE = { kind: 'profile', name: NAME, scope: null } as const;

async function openFileStore(t: ExecutionContext, store = new MemoryStore()) {
  const cache = await Cache.open(folder(t));
  t.teardown(() => cache.close());
  const blobs = await Blobs.open(store);
  const fileStore = new FileStore(await store.collection<StoredFile>(fileSpec), blobs, cache);
  const read = async () => text(((await fileStore.open(FILE)) as ServedFile).open());
  const count = async () => (await store.collection({ name: 'contents', indexes: {} })).count({});
  return { store, fileStore, read, count, bytes: (said: string) => inParts(Buffer.from(said)) };
}

test('each start replaces files of another version with its own built-in files, and changes nothing else', async (t) => {
  const { fileStore, read, count, bytes } = await openFileStore(t);
  await fileStore.put(FILE, bytes('of another version'), { builtIn: true });
  await BuiltIn.open(fileStore);
  const own = await read();
  t.regex(own, /^#!ipxe\n/);
  const all = await count();
  const { updatedAt } = (await fileStore.get(FILE)) as StoredFile;
  await BuiltIn.open(fileStore);
  t.is((await fileStore.get(FILE))?.updatedAt, updatedAt);
  await fileStore.put(FILE, bytes("a user's"));
  const builtIn = await BuiltIn.open(fileStore);
  const included = async () => builtIn.includedText(((await fileStore.get(FILE)) as StoredFile).sha256);
  t.is(await read(), "a user's");
  t.is(await included(), undefined);
  t.true(await builtIn.restore(FILE));
  t.is(await read(), own);
  t.is(await included(), own);
  t.false(await builtIn.restore({ ...FILE, name: 'other' }));
  t.is(await count(), all, 'the replaced file is deleted');
});

test('daemons that start at the same time each find all files, and one copy of each blob is kept', async (t) => {
  const first = await openFileStore(t);
  const others = await Promise.all([1, 2, 3].map(() => openFileStore(t, first.store)));
  await Promise.all([first, ...others].map(({ fileStore }) => BuiltIn.open(fileStore)));
  const total = await (await first.store.collection<StoredFile>(fileSpec)).count({});
  t.true(total > 0);
  t.is(await first.count(), total);
  t.is(await others[0]?.read(), await first.read());
});
