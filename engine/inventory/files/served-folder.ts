/** A folder of served files, numbered on the disk, so that no name from outside becomes a path. */
import { createHash } from 'node:crypto';
import { createReadStream, createWriteStream } from 'node:fs';
import { readFile, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';

export interface UnpackedFile {
  /** Name of the file in the folder. */
  number: number;
  /** Bytes. */
  size: number;
  /** Hexadecimal. */
  sha256: string;
}

/** By the name under which the file is requested. */
export type Index = ReadonlyMap<string, UnpackedFile>;

/** A file that can be read completely or in part. */
export interface ServedFile extends Omit<UnpackedFile, 'number'> {
  /** @param range first and last byte */
  open(range?: { start: number; end: number }): Readable;
}

const INDEX = 'index.json';

export const fileIn = (folder: string, { number, size, sha256 }: UnpackedFile): ServedFile => ({
  size,
  sha256,
  open: (range) => createReadStream(join(folder, String(number)), range),
});

/** Writes the bytes to the file with this number. */
export async function store(folder: string, number: number, bytes: AsyncIterable<Uint8Array>): Promise<UnpackedFile> {
  const hash = createHash('sha256');
  let size = 0;
  const measuredBytes = async function* (source: AsyncIterable<Uint8Array>) {
    for await (const part of source) {
      hash.update(part);
      size += part.length;
      yield part;
    }
  };
  await pipeline(measuredBytes(bytes), createWriteStream(join(folder, String(number)), { flags: 'wx' }));
  return { number, size, sha256: hash.digest('hex') };
}

export const writeIndex = (folder: string, index: Index): Promise<void> =>
  writeFile(join(folder, INDEX), JSON.stringify([...index]));

/** @returns undefined when a file is missing or damaged: a disk may lose its last writes */
export async function readIndex(folder: string): Promise<Index | undefined> {
  try {
    const index: Index = new Map(JSON.parse(await readFile(join(folder, INDEX), 'utf8')) as [string, UnpackedFile][]);
    for (const stored of index.values()) if (!(await isWhole(folder, stored))) return undefined;
    return index;
  } catch {
    return undefined;
  }
}

async function isWhole(folder: string, { number, size, sha256 }: UnpackedFile): Promise<boolean> {
  const path = join(folder, String(number));
  if ((await stat(path)).size !== size) return false;
  const hash = createHash('sha256');
  for await (const part of createReadStream(path)) hash.update(part);
  return hash.digest('hex') === sha256;
}
