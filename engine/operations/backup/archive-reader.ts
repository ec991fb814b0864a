/**
 * Reads a backup, which may be cut, changed, or made by others to do harm. Every entry is compared with the sums at the
 * end, and every document with the declaration of its collection; nothing of the archive becomes a path.
 */
import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { pipeline } from 'node:stream/promises';
import { createGunzip } from 'node:zlib';
import { extract, type Header } from 'tar-stream';
import { columnValue, isStorable, type Table, tableOf } from '../../platform/store/columns.ts';
import type { Document } from '../../platform/store/port.ts';
import { SCHEMA_VERSION } from '../../platform/store/schema-version.ts';
import { NodewrightError } from '../../vocabulary/errors.ts';
import { isObject } from '../../vocabulary/json.ts';
import { codeOf, messageOf } from '../../vocabulary/thrown-values.ts';
import { MIB } from '../../vocabulary/units.ts';
import { backedUp } from './backup-collections.ts';
import {
  type EntryPlace,
  type EntrySum,
  entryPlace,
  FORMAT,
  invalidBackup,
  MAX_ENTRIES,
  MAX_ENTRY,
  type Manifest,
} from './backup-format.ts';

/** Shorter keys could be guessed. */
const MIN_KEY = 32;
/** Bytes that the streams hold between them. */
const SLACK = 4 * MIB;

const tables: ReadonlyMap<string, Table> = new Map(backedUp.map((spec) => [spec.name, tableOf(spec)]));

export type ArchivedPart =
  | { kind: 'manifest'; manifest: Manifest }
  | { kind: 'secret'; name: string; ring: string[] }
  | { kind: 'chunk'; collection: string; documents: Document[] };

/**
 * Yields the contents of the backup, the manifest first. Only after the last one is it known that the file is whole.
 * @throws NodewrightError BACKUP_INVALID, BACKUP_NEWER
 */
export async function* readArchive(file: string): AsyncGenerator<ArchivedPart> {
  const sums: Record<string, EntrySum> = Object.create(null);
  let expected: Record<string, EntrySum> | undefined;
  let isFirst = true;
  for await (const { name, bytes } of entriesOf(file)) {
    if (expected !== undefined) throw invalidBackup(`${name} after the last entry`);
    const place = entryPlace(name);
    if (isFirst !== (place.kind === 'manifest')) throw invalidBackup(`${name}, expected manifest.json first, once`);
    isFirst = false;
    if (name in sums) throw invalidBackup(`${name} twice`);
    const sha256 = createHash('sha256').update(bytes).digest('hex');
    if (place.kind === 'checksums') {
      expected = sumsIn(bytes);
      continue;
    }
    const content = contentOf(name, place, bytes);
    const count = content.kind === 'chunk' ? content.documents.length : 0;
    sums[name] = { sha256, bytes: bytes.length, count };
    yield content;
  }
  if (expected === undefined) throw invalidBackup('its last entry is missing');
  compare(sums, expected);
}

async function* entriesOf(file: string): AsyncGenerator<{ name: string; bytes: Buffer }> {
  const entries = extract();
  const progress = { bytes: 0 };
  const fed = pipeline(createReadStream(file), createGunzip(), meteredBytes(progress), entries);
  // Awaited below: errors of the entries take precedence.
  fed.catch(() => {});
  let count = 0;
  let last = 'nothing';
  try {
    for await (const entry of entries) {
      const { name, type = 'file' } = entry.header;
      if (type !== 'file') throw invalidBackup(`${JSON.stringify(name.slice(0, 100))} is a ${type}, expected a file`);
      entryPlace(name);
      count += 1;
      if (count > MAX_ENTRIES) throw invalidBackup(`more than ${MAX_ENTRIES} entries`);
      yield { name, bytes: await bytesOf(entry) };
      progress.bytes = 0;
      last = name;
    }
    await fed;
  } catch (error) {
    if (error instanceof NodewrightError) throw error;
    const code = codeOf(error);
    if (code === 'ENOENT') throw new NodewrightError('BACKUP_INVALID', `${file} does not exist`);
    throw invalidBackup(`${messageOf(error)} after ${last}`);
  } finally {
    entries.destroy();
  }
}

/** Headers may be long too: fails when so much has arrived without the end of an entry. */
const meteredBytes = (progress: { bytes: number }) =>
  async function* (source: AsyncIterable<Buffer>) {
    for await (const part of source) {
      progress.bytes += part.length;
      if (progress.bytes > MAX_ENTRY + SLACK) throw invalidBackup(`more than ${MAX_ENTRY} bytes without an entry`);
      yield part;
    }
  };

async function bytesOf(entry: AsyncIterable<unknown> & { header: Header }): Promise<Buffer> {
  const { name, size = 0 } = entry.header;
  if (size > MAX_ENTRY) throw invalidBackup(`${name} has ${size} bytes, expected at most ${MAX_ENTRY}`);
  const parts: Buffer[] = [];
  for await (const part of entry) parts.push(part as Buffer);
  return Buffer.concat(parts);
}

function contentOf(name: string, place: EntryPlace, bytes: Buffer): ArchivedPart {
  const text = bytes.toString();
  switch (place.kind) {
    case 'manifest':
      return { kind: 'manifest', manifest: manifestIn(text) };
    case 'secret': {
      const ring = text.split('\n').filter((key) => key !== '');
      if (ring.length === 0 || ring.some((key) => key.length < MIN_KEY)) throw invalidBackup(`${name} has no keys`);
      return { kind: 'secret', name: place.name, ring };
    }
    case 'chunk':
      return { kind: 'chunk', collection: place.collection, documents: documentsIn(name, place.collection, text) };
    default:
      throw invalidBackup(name);
  }
}

function manifestIn(text: string): Manifest {
  const manifest = parseObject('manifest.json', text);
  const { format, schema, nodewright, createdAt, from } = manifest as Partial<Manifest>;
  for (const [key, value, supportedVersion] of [
    ['format', format, FORMAT],
    ['schema', schema, SCHEMA_VERSION],
  ] as const) {
    if (typeof value !== 'number') throw invalidBackup(`manifest.json without a number ${key}`);
    if (value <= supportedVersion) continue;
    const message = `the backup was made by nodewright ${nodewright}: its ${key} is ${value}, expected at most ${supportedVersion}`;
    throw new NodewrightError('BACKUP_NEWER', `${message}; restore it with that version`);
  }
  if (typeof createdAt !== 'string' || Number.isNaN(Date.parse(createdAt)))
    throw invalidBackup('no time in manifest.json');
  if (from !== 'embedded' && from !== 'services') throw invalidBackup('manifest.json without "from"');
  return manifest as unknown as Manifest;
}

function documentsIn(name: string, collection: string, text: string): Document[] {
  const table = tables.get(collection) as Table;
  const lines = text.split('\n');
  if (lines.pop() !== '') throw invalidBackup(`${name} ends within a line`);
  return lines.map((line, at) => {
    const where = `line ${at + 1} of ${name}`;
    const document = parseObject(where, line);
    const { id } = document;
    if (typeof id !== 'string' || id === '' || !isStorable(id)) throw invalidBackup(`${where} has no id`);
    try {
      for (const column of table.columns) columnValue(table, column, document as unknown as Document);
    } catch (error) {
      throw invalidBackup(`${where}: ${messageOf(error)}`);
    }
    return document as unknown as Document;
  });
}

function parseObject(where: string, text: string): Record<string, unknown> {
  try {
    const value: unknown = JSON.parse(text);
    if (isObject(value) && !Array.isArray(value)) return value as Record<string, unknown>;
  } catch {}
  throw invalidBackup(`${where} is no JSON object`);
}

function sumsIn(bytes: Buffer): Record<string, EntrySum> {
  const { entries } = parseObject('checksums.json', bytes.toString());
  if (!isObject(entries)) throw invalidBackup('checksums.json without "entries"');
  return entries as Record<string, EntrySum>;
}

function compare(actual: Record<string, EntrySum>, expected: Record<string, EntrySum>): void {
  for (const [name, { sha256, bytes, count }] of Object.entries(actual)) {
    const sum = Object.hasOwn(expected, name) ? expected[name] : undefined;
    if (sum?.sha256 !== sha256 || sum.bytes !== bytes || sum.count !== count)
      throw invalidBackup(`${name} was changed`);
  }
  for (const name of Object.keys(expected)) if (!(name in actual)) throw invalidBackup(`${name} is missing`);
}
