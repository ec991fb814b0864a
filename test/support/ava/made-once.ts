/** Results that take a while to make and are the same for all tests: made once, and kept in the cache. */
import { existsSync } from 'node:fs';
import { mkdir, mkdtemp, rename, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { packagePath } from '../../../engine/vocabulary/package-path.ts';

export const cacheHome = packagePath('node_modules/.cache/nodewright');

/**
 * When several processes make it concurrently, one of them renames it into place.
 * @param make @returns the path of the result, which is the draft, a new folder, or in it
 * @returns the path
 */
export async function madeOnce(path: string, make: (draft: string) => Promise<string>): Promise<string> {
  if (existsSync(path)) return path;
  await mkdir(cacheHome, { recursive: true });
  const draft = await mkdtemp(join(cacheHome, 'draft-'));
  try {
    await rename(await make(draft), path).catch((error) => {
      if (!existsSync(path)) throw error;
    });
  } finally {
    await rm(draft, { recursive: true, force: true });
  }
  return path;
}
