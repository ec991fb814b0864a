/**
 * The package root, whether the program runs from its sources or from the single file that `npm run build` generates.
 * Files next to a source are not next to that generated file.
 */
import { existsSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

function rootAbove(folder: string): string {
  if (existsSync(join(folder, 'package.json'))) return folder;
  if (dirname(folder) === folder) throw new Error("found no package.json above the program; expected nodewright's");
  return rootAbove(dirname(folder));
}

/** Absolute; without a trailing slash. */
export const packageRoot = rootAbove(dirname(fileURLToPath(import.meta.url)));

/** @param path relative to the package root, such as `engine/inventory/files/profiles` @returns the absolute path */
export const packagePath = (path: string): string => join(packageRoot, path);
