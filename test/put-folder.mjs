import { mkdir, rename, rm, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';

/**
 * Puts a folder that does not exist in place when it is complete, so that no other process reads an incomplete one.
 * @param files their paths in it, and their texts
 */
export async function putFolder(folder, files) {
  const draft = `${folder}.${process.pid}`;
  await rm(draft, { recursive: true, force: true });
  for (const [path, text] of files) {
    const file = join(draft, path);
    await mkdir(dirname(file), { recursive: true });
    await writeFile(file, text);
  }
  // Another process may have put the same one there.
  await rename(draft, folder).catch(() => rm(draft, { recursive: true }));
}
