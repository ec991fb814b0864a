/** The templates and boot profiles of a checkout of on-taskgraph, which its nodes fetch. */
import { existsSync } from 'node:fs';
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
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
    const entries = await readdir(join(folder, place), { withFileTypes: true });
    const names = entries.filter((entry) => entry.isFile()).map(({ name }) => name);
    for (const name of names.sort().slice(0, SERVED_TEXTS)) {
      const file = `${place}/${name}`;
      texts.push({ kind, name, file, bytes: await readFile(join(folder, file)), isOurs: ours.has(name) });
    }
  }
  return texts;
}
