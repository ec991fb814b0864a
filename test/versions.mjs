/**
 * The supported versions of Node.js, besides the running one: the oldest, and the newest of each later line.
 * `node test/versions.mjs` installs them into the cache, from packages that contain nothing but the program.
 */
import { execFileSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

/** By major version. */
export const VERSIONS = { 20: '20.19.0', 22: '22.23.3', 24: '24.21.0' };

const home = fileURLToPath(new URL('../node_modules/.cache/nodewright/node/', import.meta.url));

/** @returns the folder of the program `node`; undefined: it is not installed */
export function folderOf(major) {
  const folder = join(home, `node_modules/node-${major}/bin`);
  return existsSync(join(folder, 'node')) ? folder : undefined;
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const source = `node-${process.platform}-${process.arch}`;
  const packages = Object.entries(VERSIONS).map(([major, version]) => `node-${major}@npm:${source}@${version}`);
  execFileSync('npm', ['install', '--prefix', home, '--no-audit', '--no-fund', ...packages], { stdio: 'inherit' });
}
