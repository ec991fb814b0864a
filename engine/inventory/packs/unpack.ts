/**
 * Unpacks an untrusted archive, a gzipped tar.
 *
 * 1. The archive is rejected at the first invalid entry: a path that leads out of the archive, a link, a device, or an
 *    excess of a limit. Limits apply to the bytes read, whatever the headers say.
 * 2. Files are written under numbers (`inventory/files/served-folder.ts`): no name of the archive becomes a path.
 * 3. Of two entries with the same name the later applies, as in tar.
 */
import { pipeline } from 'node:stream/promises';
import { createGunzip } from 'node:zlib';
import { extract, type Header } from 'tar-stream';
import { limitBytes } from '../../vocabulary/byte-limits.ts';
import { NodewrightError } from '../../vocabulary/errors.ts';
import { codeOf, messageOf } from '../../vocabulary/thrown-values.ts';
import { type Index, store, type UnpackedFile } from '../files/served-folder.ts';
import { ENTRIES, MAX_NAME_BYTES } from './pack-limits.ts';

export interface UnpackedPack {
  files: Index;
  /** Names of folders, including those that occur only in names of files. */
  folders: ReadonlySet<string>;
}

/**
 * @param folder empty; receives the files
 * @param limit total bytes of the files
 * @throws NodewrightError INVALID, naming what was found
 */
export async function unpack(archive: AsyncIterable<Uint8Array>, folder: string, limit: number): Promise<UnpackedPack> {
  const entries = extract();
  // Room for headers and padding.
  const most = limit + ENTRIES * 2 * MAX_NAME_BYTES;
  const limitUnpacked = (bytes: AsyncIterable<Uint8Array>) => limitBytes(bytes, most, tooMuch);
  const fed = pipeline(archive, createGunzip(), limitUnpacked, entries);
  // Awaited below: errors of the entries take precedence.
  fed.catch(() => {});
  const files = new Map<string, UnpackedFile>();
  const folders = new Set<string>();
  let count = 0;
  try {
    for await (const entry of entries) {
      const { name, isFolder } = checkedEntry(entry.header);
      count += 1;
      if (count > ENTRIES) throw packRejection(`more than ${ENTRIES} files and folders; expected fewer`);
      for (const above of foldersOf(name)) folders.add(above);
      if (isFolder) {
        folders.add(name);
        entry.resume();
      } else {
        files.set(name, await store(folder, count, entry as AsyncIterable<Uint8Array>));
      }
    }
    await fed;
  } catch (error) {
    entries.destroy();
    throw rejectionOf(error);
  }
  return { files, folders };
}

const tooMuch = () => packRejection('more in it than the limit allows when unpacked; send less');

/** @throws NodewrightError INVALID */
function checkedEntry({ name, type }: Header): { name: string; isFolder: boolean } {
  if (type !== 'file' && type !== 'contiguous-file' && type !== 'directory') {
    throw packRejection(`${shownName(name)}, a ${type ?? 'entry of unknown type'}; expected files and folders only`);
  }
  const path = entryPath(name);
  const isFolder = type === 'directory';
  if (path === '' && !isFolder) throw packRejection(`a file without a name, ${shownName(name)}`);
  return { name: path, isFolder };
}

const FORBIDDEN = /[\p{Cc}\\]/u;

/** Normalizes a name: no `.`, no slash at either end. @throws NodewrightError INVALID */
export function entryPath(name: string): string {
  if (name.startsWith('/'))
    throw packRejection(`the absolute path ${shownName(name)}; expected paths below the archive's root`);
  if (Buffer.byteLength(name) > MAX_NAME_BYTES)
    throw packRejection(`a name of more than ${MAX_NAME_BYTES} bytes; expected a shorter one`);
  if (FORBIDDEN.test(name)) throw packRejection(`the name ${shownName(name)} with control characters or a backslash`);
  const parts = name.split('/').filter((part) => part !== '' && part !== '.');
  if (parts.includes('..')) throw packRejection(`the path ${shownName(name)}, which leads out with '..'`);
  return parts.join('/');
}

function foldersOf(path: string): string[] {
  const parts = path.split('/').slice(0, -1);
  return parts.map((_, at) => parts.slice(0, at + 1).join('/'));
}

const shownName = (name: string) => JSON.stringify(name.slice(0, 100));

/** @param problem the offending content, and what was expected */
export const packRejection = (problem: string) => new NodewrightError('INVALID', `The pack has ${problem}`);

/** Returns the first error: of the parser, or of the stream that feeds it. */
function rejectionOf(error: unknown): unknown {
  if (error instanceof NodewrightError) return error;
  const [code, message] = [codeOf(error), messageOf(error)];
  if (code.startsWith('Z_')) {
    return new NodewrightError('INVALID', 'The pack is not a complete gzip file; expected a gzipped tar', {
      cause: error,
    });
  }
  // Other errors with a code are those of the disk or the sender.
  if (code !== '' && !/^ERR_STREAM/.test(code)) return error;
  const why = message === '' ? 'cannot be read' : message.slice(0, 100);
  return new NodewrightError('INVALID', `The pack is not a complete tar file: ${why}`, { cause: error });
}
