/** The templates and boot profiles of a checkout of on-taskgraph, which its nodes fetch. */
import { existsSync } from 'node:fs';
import { readdir, readFile } from 'node:fs/promises';
import { basename, join, relative } from 'node:path';
import { packagePath } from '../../../engine/vocabulary/package-path.ts';

export interface ServedText {
  kind: 'template' | 'profile';
  name: string;
  /** Below the checkout. */
  file: string;
  bytes: Uint8Array;
  /** One that comes with nodewright has the name. */
  isOurs: boolean;
}

const places = [
  ['template', 'data/templates', 'engine/inventory/files/templates'],
  ['profile', 'data/profiles', 'engine/inventory/files/profiles'],
] as const;

const SERVED_TEXTS = 1_000;

export async function servedTextsIn(folder: string): Promise<ServedText[]> {
  const texts: ServedText[] = [];
  for (const [kind, place, included] of places) {
    if (!existsSync(join(folder, place))) continue;
    const ours = new Set(await readdir(packagePath(included)));
    // A folder, such as `install-photon`, only sorts them: a node asks by the name alone.
    const entries = await readdir(join(folder, place), { withFileTypes: true, recursive: true });
    const files = entries.filter((entry) => entry.isFile()).map(({ parentPath, name }) => join(parentPath, name));
    for (const path of files.sort().slice(0, SERVED_TEXTS)) {
      const name = basename(path);
      texts.push({
        kind,
        name,
        file: relative(folder, path),
        bytes: await readFile(path),
        isOurs: ours.has(name),
      });
    }
  }
  return texts;
}
