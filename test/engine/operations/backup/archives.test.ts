/** Archives that are cut, changed, or made to do harm: each is rejected before anything is restored. */
import { createHash } from 'node:crypto';
import { readFileSync, truncateSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { gunzipSync, gzipSync } from 'node:zlib';
import test, { type ExecutionContext } from 'ava';
import { type Header, pack } from 'tar-stream';
import { nodeSpec } from '../../../../engine/inventory/nodes/stored-node.ts';
import { applyEmbedded } from '../../../../engine/operations/backup/apply-embedded.ts';
import { verifyArchive } from '../../../../engine/operations/backup/archive-check.ts';
import { ArchiveWriter } from '../../../../engine/operations/backup/archive-writer.ts';
import { FORMAT, MAX_ENTRY, type Manifest } from '../../../../engine/operations/backup/backup-format.ts';
import { jsonLines } from '../../../../engine/operations/backup/sized-pages.ts';
import { openEmbeddedStore } from '../../../../engine/platform/store/embedded.ts';
import { SCHEMA_VERSION } from '../../../../engine/platform/store/schema-version.ts';
import type { ErrorCode } from '../../../../engine/vocabulary/error-codes.ts';
import { NodewrightError } from '../../../../engine/vocabulary/errors.ts';
import { folder } from '../../../support/ava/folder.ts';
import { archiveOf } from '../../../support/data/archive.ts';

const KEY = 'k'.repeat(43);
const manifest: Manifest = {
  format: FORMAT,
  schema: SCHEMA_VERSION,
  nodewright: '1.2.3',
  createdAt: '2026-01-02T03:04:05.678Z',
  from: 'embedded',
};
const node = (id: string) => ({ id, type: 'compute', name: id });

async function made(t: ExecutionContext): Promise<string> {
  const file = join(folder(t), 'backup.tgz');
  const writer = new ArchiveWriter(file, manifest);
  await writer.begin(manifest);
  await writer.secret('values', [KEY]);
  await writer.chunk('nodes', jsonLines([node('a'), node('b')]));
  await writer.chunk('nodes', jsonLines([node('c')]));
  await writer.end();
  return file;
}

interface Made {
  name: string;
  text?: string;
  header?: Partial<Header>;
}

/** Writes an archive of these entries, with sums that fit. */
async function forged(t: ExecutionContext, entries: readonly Made[], more: readonly Made[] = []): Promise<string> {
  const sums = Object.fromEntries(
    entries.map(({ name, text = '' }) => {
      const count = name.endsWith('.jsonl') ? text.split('\n').length - 1 : 0;
      return [name, { sha256: createHash('sha256').update(text).digest('hex'), bytes: Buffer.byteLength(text), count }];
    }),
  );
  const all = [...entries, { name: 'checksums.json', text: JSON.stringify({ entries: sums }) }, ...more];
  const file = join(folder(t), 'forged.tgz');
  writeFileSync(
    file,
    await archiveOf(
      all.map(
        ({ name, text, header = {} }: Made) =>
          [{ ...header, name }, text ?? ''] as [Partial<Header> & { name: string }, string],
      ),
    ),
  );
  return file;
}

/** The file is rejected, and so is its restore, which leaves an empty folder. */
async function rejected(
  t: ExecutionContext,
  file: string,
  message: RegExp,
  code: ErrorCode = 'BACKUP_INVALID',
): Promise<void> {
  const error = await t.throwsAsync<NodewrightError>(verifyArchive(file), { instanceOf: NodewrightError, message });
  t.is(error?.code, code);
  const dataDir = join(folder(t), 'data');
  await t.throwsAsync(applyEmbedded(dataDir, file, false, open), { message });
  const store = await openEmbeddedStore({ dataDir });
  t.is(await (await store.collection(nodeSpec)).count({}), 0);
  await store.close();
}

const first = { name: 'manifest.json', text: JSON.stringify(manifest) };
const nodes = (text: string) => ({ name: 'collections/nodes/000000.jsonl', text });
const line = (value: object) => `${JSON.stringify(value)}\n`;

const open = (dataDir: string) => openEmbeddedStore({ dataDir });

test('a whole backup verifies, and is restored', async (t) => {
  const file = await made(t);
  t.deepEqual(await verifyArchive(file), { manifest, documents: { nodes: 3 } });
  const dataDir = join(folder(t), 'data');
  await applyEmbedded(dataDir, file, false, open);
  t.is(readFileSync(join(dataDir, 'secrets', 'values'), 'utf8'), `${KEY}\n`);
  const store = await openEmbeddedStore({ dataDir });
  const stored = await store.collection(nodeSpec);
  t.deepEqual(await stored.find({}), [node('a'), node('b'), node('c')]);
  await store.close();
});

test('a backup that is cut anywhere is rejected', async (t) => {
  const bytes = readFileSync(await made(t));
  const plain = gunzipSync(bytes);
  const file = join(folder(t), 'cut.tgz');
  for (const length of [0, 1, 20, Math.floor(bytes.length / 2), bytes.length - 1]) {
    writeFileSync(file, bytes);
    truncateSync(file, length);
    await t.throwsAsync(verifyArchive(file), { message: /no whole backup/ }, `${length} bytes`);
  }
  // Also where the compression was whole.
  for (const length of [0, 512, 1_024, 1_536, plain.length - 2_048]) {
    writeFileSync(file, gzipSync(plain.subarray(0, length)));
    await t.throwsAsync(verifyArchive(file), { message: /no whole backup/ }, `${length} bytes, compressed again`);
  }
  await rejected(t, file, /no whole backup/);
});

test('a changed, missing or added entry is rejected by its name', async (t) => {
  const text = gunzipSync(readFileSync(await made(t))).toString('latin1');
  const file = join(folder(t), 'changed.tgz');
  writeFileSync(file, gzipSync(Buffer.from(text.replace('"name":"b"', '"name":"x"'), 'latin1')));
  await rejected(t, file, /collections\/nodes\/000000\.jsonl was changed/);
  const missing = await forged(t, [first, nodes(line(node('a')))], []);
  const renamed = gunzipSync(readFileSync(missing)).toString('latin1');
  writeFileSync(file, gzipSync(Buffer.from(renamed.replaceAll('"manifest.json"', '"secrets/hooks"'), 'latin1')));
  await rejected(t, file, /manifest\.json was changed/);
  await rejected(t, await forged(t, [first], [nodes(line(node('a')))]), /after the last entry/);
});

test('entries that no backup has are rejected', async (t) => {
  for (const name of ['../x', '/etc/passwd', 'secrets/../x', 'secrets/other', 'collections/gates/000000.jsonl', 'x']) {
    await rejected(t, await forged(t, [first, { name, text: 'x' }]), /found an entry/);
  }
  for (const type of ['symlink', 'link', 'directory', 'character-device', 'fifo'] as const) {
    const header = { type, ...(type.endsWith('link') && { linkname: '/etc/passwd' }) };
    await rejected(t, await forged(t, [first, { name: 'secrets/values', header }]), /expected a file/);
  }
  await rejected(t, await forged(t, [nodes(line(node('a')))]), /expected manifest\.json first/);
  await rejected(t, await forged(t, [first, first]), /manifest\.json first, once/);
  await rejected(t, await forged(t, [first, nodes(line(node('a'))), nodes(line(node('b')))]), /twice/);
});

test('documents that no store could have are rejected', async (t) => {
  for (const [text, message] of [
    ['{', /ends within a line/],
    ['{\n', /line 1 of .* is no JSON object/],
    [`${line(node('a'))}[]\n`, /line 2 of .* is no JSON object/],
    [line({ type: 'compute' }), /has no id/],
    [line(node('a\0b')), /has no id/],
    [line({ ...node('a'), name: 7 }), /name is a number, expected text/],
  ] as const) {
    await rejected(t, await forged(t, [first, nodes(text)]), message);
  }
  await rejected(
    t,
    await forged(t, [first, { name: 'secrets/values', text: 'short\n' }]),
    /secrets\/values has no keys/,
  );
});

test('an entry that does not fit into memory is rejected while it is read', async (t) => {
  const name = 'collections/nodes/000000.jsonl';
  const archive = pack();
  archive.entry({ name: first.name }, first.text);
  const entry = archive.entry({ name, size: MAX_ENTRY + 1 });
  const file = join(folder(t), 'large.tgz');
  const parts: Buffer[] = [];
  const written = (async () => {
    for await (const part of archive) parts.push(part as Buffer);
  })();
  entry.end(Buffer.alloc(MAX_ENTRY + 1));
  archive.finalize();
  await written;
  writeFileSync(file, gzipSync(Buffer.concat(parts)));
  await t.throwsAsync(verifyArchive(file), { message: /expected at most/ });
});

test('a backup of a later version is rejected by what it is', async (t) => {
  for (const later of [{ format: FORMAT + 1 }, { schema: SCHEMA_VERSION + 1 }]) {
    const text = JSON.stringify({ ...manifest, ...later });
    await rejected(t, await forged(t, [{ name: first.name, text }]), /restore it with that version/, 'BACKUP_NEWER');
  }
});

test('two documents with one id are rejected, and the data of before stays', async (t) => {
  const dataDir = join(folder(t), 'data');
  await applyEmbedded(dataDir, await made(t), false, open);
  const twice = await forged(t, [first, nodes(line(node('z')) + line(node('z')))]);
  await t.throwsAsync(applyEmbedded(dataDir, twice, true, open), { message: /nodes has "z" twice/ });
  const store = await openEmbeddedStore({ dataDir });
  t.is(await (await store.collection(nodeSpec)).count({}), 3);
  await store.close();
});
