/**
 * Unpacks an archive that nobody vouches for: a tar in gzip, as somebody outside sent it.
 *
 * 1. It is refused as soon as one thing in it is: a name that leads out of the archive, a link, a device, more than the
 *    limits allow. Limits count what was read, whatever headers say.
 * 2. Files are written under numbers (`files/served.ts`): no name of the archive becomes a path.
 * 3. Of two entries with one name the later counts, as tar has it.
 */
import { pipeline } from 'node:stream/promises';
import { createGunzip } from 'node:zlib';
import { extract, type Header } from 'tar-stream';
import { NodewrightError } from '../define/errors.ts';
import { type Index, type Stored, store } from '../files/served.ts';
import { ENTRIES, NAME } from './limits.ts';

export interface Unpacked {
  files: Index;
  /** Names of folders, with those that are only in the names of files. */
  folders: ReadonlySet<string>;
}

/**
 * @param folder empty; gets the files
 * @param limit bytes of all files
 * @throws NodewrightError INVALID, saying what was found
 */
export async function unpack(archive: AsyncIterable<Uint8Array>, folder: string, limit: number): Promise<Unpacked> {
  const entries = extract();
  const fed = pipeline(archive, createGunzip(), metered(limit), entries);
  // Said below, after what the entries say.
  fed.catch(() => {});
  const files = new Map<string, Stored>();
  const folders = new Set<string>();
  let count = 0;
  try {
    for await (const entry of entries) {
      const { name, isFolder } = checked(entry.header);
      count += 1;
      if (count > ENTRIES) throw refusal(`more than ${ENTRIES} files and folders; expected fewer`);
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
    throw refusalOf(error);
  }
  return { files, folders };
}

/** Lets through what comes out of the gzip, as far as the limit. */
const metered = (limit: number) =>
  async function* (source: AsyncIterable<Uint8Array>) {
    // Headers and padding besides what the files hold.
    let left = limit + ENTRIES * 2 * NAME;
    for await (const part of source) {
      left -= part.length;
      if (left < 0) throw refusal('more in it than the limit allows when it is unpacked; send less');
      yield part;
    }
  };

/** @throws NodewrightError INVALID */
function checked({ name, type }: Header): { name: string; isFolder: boolean } {
  if (type !== 'file' && type !== 'contiguous-file' && type !== 'directory') {
    throw refusal(`${shown(name)}, a ${type ?? 'thing of no kind'}; expected files and folders only`);
  }
  const path = pathOf(name);
  const isFolder = type === 'directory';
  if (path === '' && !isFolder) throw refusal(`a file without a name, ${shown(name)}`);
  return { name: path, isFolder };
}

const FORBIDDEN = /[\p{Cc}\\]/u;

/** A name in its plain form: no `.`, no slash at either end. @throws NodewrightError INVALID */
export function pathOf(name: string): string {
  if (name.startsWith('/')) throw refusal(`the absolute path ${shown(name)}; expected paths below the archive's root`);
  if (Buffer.byteLength(name) > NAME) throw refusal(`a name of more than ${NAME} bytes; expected a shorter one`);
  if (FORBIDDEN.test(name)) throw refusal(`the name ${shown(name)} with control characters or a backslash`);
  const parts = name.split('/').filter((part) => part !== '' && part !== '.');
  if (parts.includes('..')) throw refusal(`the path ${shown(name)}, which leads out with '..'`);
  return parts.join('/');
}

function foldersOf(path: string): string[] {
  const parts = path.split('/').slice(0, -1);
  return parts.map((_, at) => parts.slice(0, at + 1).join('/'));
}

const shown = (name: string) => JSON.stringify(name.slice(0, 100));

/** @param found what is in the pack, and what was expected */
export const refusal = (found: string) => new NodewrightError('INVALID', `The pack has ${found}`);

/** What went wrong first: what the reader of entries says, or who feeds it. */
function refusalOf(error: unknown): unknown {
  if (error instanceof NodewrightError) return error;
  const { code = '', message = '' } = error as NodeJS.ErrnoException;
  if (code.startsWith('Z_')) {
    return new NodewrightError('INVALID', 'The pack is not a whole gzip file; expected a tar in gzip', {
      cause: error,
    });
  }
  // The disk, or whoever sends it, is at fault for what has a code.
  if (code !== '' && !/^ERR_STREAM/.test(code)) return error;
  const why = message === '' ? 'cannot be read' : message.slice(0, 100);
  return new NodewrightError('INVALID', `The pack is not a whole tar file: ${why}`, { cause: error });
}
