/** A copy of a pack of RackHD that can be uploaded: without the roots in its config.json that it does not have. */
import { existsSync } from 'node:fs';
import { cp, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { isObject } from '../../../engine/vocabulary/json.ts';

/** @param use gets the folder of the copy, and the roots that were left out */
export async function withPackCopy<T>(
  folder: string,
  use: (copy: string, leftOut: string[]) => Promise<T>,
): Promise<T> {
  const at = await mkdtemp(join(tmpdir(), 'nodewright-rackhd-'));
  try {
    const copy = join(at, 'pack');
    await cp(folder, copy, { recursive: true });
    const file = join(copy, 'config.json');
    const config: unknown = JSON.parse(await readFile(file, 'utf8'));
    if (!isObject(config)) throw new Error('its config.json is not an object');
    const leftOut = Object.entries(config).flatMap(([key, root]) =>
      key.endsWith('Root') && typeof root === 'string' && !existsSync(join(copy, root)) ? [key] : [],
    );
    const remainingConfig = Object.fromEntries(Object.entries(config).filter(([key]) => !leftOut.includes(key)));
    await writeFile(file, JSON.stringify(remainingConfig));
    return await use(copy, leftOut);
  } finally {
    await rm(at, { recursive: true, force: true });
  }
}
