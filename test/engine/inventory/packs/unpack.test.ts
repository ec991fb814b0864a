import { randomBytes } from 'node:crypto';
import { mkdirSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import test, { type ExecutionContext } from 'ava';
import fc from 'fast-check';
import { ENTRIES } from '../../../../engine/inventory/packs/pack-limits.ts';
import { unpack } from '../../../../engine/inventory/packs/unpack.ts';
import { folder } from '../../../support/ava/folder.ts';
import { archiveOf, type Entries, inParts, tarOf } from '../../../support/data/archive.ts';
import { codePoint } from '../../../support/data/code-point.ts';

const LIMIT = 1_024 * 1_024;

let made = 0;

function emptyFolder(t: ExecutionContext, root = folder(t)): string {
  made += 1;
  const path = join(root, String(made));
  mkdirSync(path);
  return path;
}

const unpacked = (t: ExecutionContext, bytes: Buffer, limit = LIMIT) => unpack(inParts(bytes), emptyFolder(t), limit);

const rejected = async (t: ExecutionContext, bytes: Buffer, message: RegExp) =>
  t.throwsAsync(unpacked(t, bytes), { code: 'INVALID', message });

test('files are unpacked unchanged, under numbers; the later of two with one name is used', async (t) => {
  const into = emptyFolder(t);
  const entries: Entries = [
    [{ name: './config.json' }, '{}'],
    [{ name: 'static/', type: 'directory' }],
    [{ name: 'static/a/b.txt' }, 'first'],
    [{ name: 'static//a/./b.txt' }, 'second'],
    [{ name: 'empty' }, ''],
    [{ name: `${'long/'.repeat(40)}name` }, 'x'],
  ];
  const { files, folders } = await unpack(inParts(await archiveOf(entries), 7), into, LIMIT);
  t.deepEqual([...files.keys()], ['config.json', 'static/a/b.txt', 'empty', `${'long/'.repeat(40)}name`]);
  t.true(folders.has('static') && folders.has('static/a') && folders.has('long/long'));
  const stored = files.get('static/a/b.txt');
  t.is(readFileSync(join(into, String(stored?.number)), 'utf8'), 'second');
  t.is(stored?.size, 6);
  t.true(readdirSync(into).every((name) => /^\d+$/.test(name)));
});

for (const [name, entries, message] of [
  ['an absolute path', [[{ name: '/etc/passwd' }, 'x']], /absolute path "\/etc\/passwd"/],
  ['a path outside of the archive', [[{ name: 'a/../../b' }, 'x']], /leads out with '\.\.'/],
  ['a folder outside of the archive', [[{ name: '../', type: 'directory' }]], /leads out/],
  ['a symbolic link', [[{ name: 'a', type: 'symlink', linkname: '/etc/passwd' }]], /"a", a symlink/],
  ['a hard link', [[{ name: 'a', type: 'link', linkname: 'b' }]], /"a", a link/],
  ['a device', [[{ name: 'a', type: 'character-device' }]], /a character-device/],
  ['a pipe', [[{ name: 'a', type: 'fifo' }]], /a fifo/],
  ['a control character in a name', [[{ name: 'a\u0007b' }, 'x']], /control characters/],
  ['a backslash in a name', [[{ name: 'a\\..\\b' }, 'x']], /backslash/],
  ['a name without end', [[{ name: 'x/'.repeat(600) }, 'x']], /more than 1024 bytes/],
] as [string, Entries, RegExp][]) {
  test(`an archive with ${name} is rejected`, async (t) => {
    await rejected(t, await archiveOf(entries), message);
  });
}

test('a file that is not gzip, not tar, or incomplete is rejected', async (t) => {
  const archive = await archiveOf({ a: 'x'.repeat(5_000), b: 'y' });
  await rejected(t, Buffer.from('not a gzip'), /not a complete gzip/);
  await rejected(t, Buffer.alloc(0), /not a complete/);
  await rejected(t, await tarOf({ a: 'x' }), /not a complete gzip/);
  await rejected(t, gzipSync(Buffer.alloc(5_000, 'x')), /not a complete tar/);
  await rejected(t, archive.subarray(0, archive.length - 20), /not a complete gzip/);
  await rejected(t, gzipSync((await tarOf({ a: 'x'.repeat(5_000) })).subarray(0, 3_000)), /not a complete tar/);
});

test('a small archive that expands too far is rejected while it is read', async (t) => {
  // The buffers of streams read ahead; b is larger than they are.
  const bomb = await archiveOf({ a: Buffer.alloc(32 * LIMIT), b: randomBytes(LIMIT / 2) });
  t.true(bomb.length < LIMIT);
  const into = emptyFolder(t);
  let read = 0;
  const counted = async function* () {
    for await (const part of inParts(bomb, 1_024)) {
      read += part.length;
      yield part;
    }
  };
  await t.throwsAsync(unpack(counted(), into, LIMIT), { code: 'INVALID', message: /more in it than the limit/ });
  t.true(read < bomb.length);
});

test('an archive with too many files is rejected', async (t) => {
  const entries = Array.from({ length: ENTRIES + 1 }, (_, at) => [{ name: `f${at}/`, type: 'directory' }] as const);
  await rejected(t, await archiveOf(entries as unknown as Entries), /more than 10000 files/);
});

const name = fc.oneof(
  fc.constantFrom('..', '.', '', '/', 'a', 'a/b', '../a', '/a', 'a/../..', 'a\0b', '%2e%2e', 'C:\\a', 'config.json'),
  fc.string({ unit: codePoint, minLength: 1, maxLength: 120 }),
  fc.array(fc.constantFrom('..', '.', 'a', 'b', ''), { minLength: 1, maxLength: 8 }).map((parts) => parts.join('/')),
);
const type = fc.constantFrom('file', 'directory', 'symlink', 'link', 'fifo', 'contiguous-file', 'block-device');

test('any archive leads only to numbered files on disk, and only plain names are accepted', async (t) => {
  const root = folder(t);
  const entry = fc.record({ name, type, content: fc.string({ maxLength: 50 }) });
  const damage = fc.option(fc.tuple(fc.nat(), fc.nat({ max: 255 })));
  await fc.assert(
    fc.asyncProperty(fc.array(entry, { maxLength: 6 }), damage, async (entries, broken) => {
      const headers = entries.map((one) => {
        const header = { name: one.name === '' ? 'x' : one.name, type: one.type, linkname: 'l' };
        return [header, one.type === 'file' ? one.content : ''] as const;
      });
      const bytes = await archiveOf(headers as unknown as Entries).catch(() => Buffer.from('none'));
      if (broken !== null) bytes[broken[0] % bytes.length] = broken[1];
      const into = emptyFolder(t, root);
      const files = await unpack(inParts(bytes), into, LIMIT).then(
        (all) => [...all.files.keys()],
        (error) => (error.code === 'INVALID' ? [] : Promise.reject(error)),
      );
      const plain = (path: string) => path.split('/').every((part) => !['', '.', '..'].includes(part));
      if (!files.every(plain)) throw new Error(`accepted: ${JSON.stringify(files)}`);
      const there = readdirSync(into);
      if (!there.every((file) => /^\d+$/.test(file))) throw new Error(`written: ${there}`);
    }),
    { numRuns: 150 },
  );
  t.pass();
});
