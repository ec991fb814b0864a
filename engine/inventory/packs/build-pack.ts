/**
 * Builds a pack from a folder: the gzipped tar of its files. The same files give the same bytes, on any machine at any
 * time: sorted by name, without times, owners and modes. Hidden files, and folders of packages, are left out.
 */
import { createReadStream } from 'node:fs';
import { readdir, stat } from 'node:fs/promises';
import { join, relative, sep } from 'node:path';
import { pipeline as piped, type Readable } from 'node:stream';
import { createGzip } from 'node:zlib';
import { pack } from 'tar-stream';
import { ENTRIES } from './pack-limits.ts';
import { packRejection } from './unpack.ts';

const isLeftOut = (name: string): boolean =>
  name.split('/').some((part) => part.startsWith('.') || part === 'node_modules');

/** Returns the names of the files of a pack, sorted. @throws NodewrightError INVALID for a link or a special file */
async function packFiles(folder: string): Promise<string[]> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true });
  const names = entries.flatMap((entry) => {
    const name = relative(folder, join(entry.parentPath, entry.name)).split(sep).join('/');
    if (isLeftOut(name) || entry.isDirectory()) return [];
    if (entry.isFile()) return [name];
    throw packRejection(
      `${name}, a ${entry.isSymbolicLink() ? 'link' : 'special file'}; expected files and folders only`,
    );
  });
  if (names.length > ENTRIES) throw packRejection(`more than ${ENTRIES} files; expected fewer`);
  return names.sort();
}

/** Returns the bytes of a pack, as they are read. @throws NodewrightError INVALID if the folder is none of a pack */
export async function buildPack(folder: string): Promise<Readable> {
  const names = await packFiles(folder);
  if (!names.includes('config.json')) throw packRejection('no config.json at its root; expected one');
  const archive = pack();
  const gzip = createGzip({ level: 9 });
  piped(archive, gzip, () => {});
  const add = async () => {
    for (const name of names) await addFile(archive, folder, name);
    archive.finalize();
  };
  add().catch((error: Error) => gzip.destroy(error));
  return gzip;
}

async function addFile(archive: ReturnType<typeof pack>, folder: string, name: string): Promise<void> {
  const path = join(folder, name);
  const { size } = await stat(path);
  const header = { name, size, mode: 0o644, mtime: new Date(0), uid: 0, gid: 0, uname: '', gname: '' };
  await new Promise<void>((resolve, reject) => {
    const entry = archive.entry(header, (error) => (error ? reject(error) : resolve()));
    createReadStream(path).on('error', reject).pipe(entry);
  });
}
