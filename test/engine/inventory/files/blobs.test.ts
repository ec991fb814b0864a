import { randomBytes } from 'node:crypto';
import { mkdirSync, readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { buffer } from 'node:stream/consumers';
import test from 'ava';
import { Blobs } from '../../../../engine/inventory/files/blobs.ts';
import { Cache } from '../../../../engine/inventory/files/cache.ts';
import { store } from '../../../../engine/inventory/files/served-folder.ts';
import { folder } from '../../../support/ava/folder.ts';
import { inParts } from '../../../support/data/archive.ts';
import { MemoryStore } from '../../../support/engine/memory-store.ts';

const LATER = Date.now() + 7_200_000;

const kept = async (memory: MemoryStore) => {
  const count = async (name: string) => (await memory.collection({ name, indexes: {} })).count({});
  return [await count('contents'), await count('contentchunks')];
};

test('bytes of any length are read back unchanged', async (t) => {
  const blobs = await Blobs.open(new MemoryStore());
  for (const size of [0, 1, 262_143, 262_144, 262_145, 1_500_000]) {
    const bytes = randomBytes(size);
    const content = await blobs.keep(inParts(bytes, 100_000), async (one) => one);
    t.is(content.size, size);
    t.true(bytes.equals(await buffer(blobs.read(content))));
  }
});

test('a failed upload leaves nothing, the remains of a dead writer are swept, and referenced blobs are not', async (t) => {
  const memory = new MemoryStore();
  const blobs = await Blobs.open(memory);
  const bytes = () => inParts(randomBytes(600_000));
  await t.throwsAsync(
    blobs.keep(bytes(), async () => {
      throw new Error('rejected');
    }),
  );
  t.deepEqual(await kept(memory), [0, 0]);
  const { id } = await blobs.keep(bytes(), async (one) => one);
  await new Promise<void>((resolve) => {
    // As if the process died before it referenced the blob.
    void blobs.keep(bytes(), async () => {
      resolve();
      return new Promise(() => {});
    });
  });
  const referenced = async () => new Set([id]);
  await blobs.sweep(referenced);
  t.deepEqual(await kept(memory), [2, 6], 'its upload may still be running');
  await blobs.sweep(referenced, LATER);
  t.deepEqual(await kept(memory), [1, 3]);
});

test('an incomplete blob is reported as an error, not sent', async (t) => {
  const memory = new MemoryStore();
  const blobs = await Blobs.open(memory);
  const content = await blobs.keep(inParts(randomBytes(600_000)), async (one) => one);
  await (await memory.collection({ name: 'contentchunks', indexes: {} })).remove({ id: `${content.id}.1` });
  await t.throwsAsync(buffer(blobs.read(content)), { code: 'NOT_FOUND' });
});

test('the cache fills a folder once for all processes, and again when a later process finds it damaged', async (t) => {
  const root = folder(t);
  let fills = 0;
  const fill = async (into: string) => {
    fills += 1;
    return new Map([['a', await store(into, 0, inParts(Buffer.from('bytes')))]]);
  };
  const first = await Cache.open(root);
  const asked = Array.from({ length: 5 }, () => first.file('id', 'a', fill));
  for (const file of await Promise.all(asked)) t.is(String(await buffer(file!.open())), 'bytes');
  t.is(fills, 1);
  t.is(await first.file('id', 'b', fill), undefined);
  mkdirSync(join(root, 'drafts', 'left'));
  const second = await Cache.open(root);
  t.deepEqual(readdirSync(join(root, 'drafts')), [], 'the partial fill is deleted');
  await second.file('id', 'a', fill);
  t.is(fills, 1);
  writeFileSync(join(root, 'contents', 'id', '0'), 'bytez');
  const third = await Cache.open(root);
  const mended = await third.file('id', 'a', fill);
  t.is(String(await buffer(mended!.open())), 'bytes');
  t.is(fills, 2);
  await third.prune(async () => new Set());
  t.deepEqual(readdirSync(join(root, 'contents')), []);
});

test('a failed fill leaves nothing, and is retried', async (t) => {
  const cache = await Cache.open(folder(t));
  await t.throwsAsync(
    cache.file('id', 'a', () => Promise.reject(new Error('away'))),
    { message: 'away' },
  );
  const file = await cache.file(
    'id',
    'a',
    async (into) => new Map([['a', await store(into, 0, inParts(Buffer.from('x')))]]),
  );
  t.is(file?.size, 1);
});
