/**
 * Where this package's files lie, whether it runs from its sources or from the one file that `npm run build` makes of
 * them: what lies beside a source does not lie beside that.
 */
import { existsSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

function rootAbove(folder: string): string {
  if (existsSync(join(folder, 'package.json'))) return folder;
  if (dirname(folder) === folder)
    throw new Error('found no package.json above the program; expected that of nodewright');
  return rootAbove(dirname(folder));
}

/** Absolute; without a slash at its end. */
export const packageRoot = rootAbove(dirname(fileURLToPath(import.meta.url)));

/** @param path from the package's root, as `engine/files/profiles`. @returns it, absolute */
export const inPackage = (path: string): string => join(packageRoot, path);
