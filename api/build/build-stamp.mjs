/**
 * The stamp of a build: size and time of each file that was read for it. A build whose stamp still holds need not be
 * repeated.
 *
 * Files of packages are installed with the same old times, so the descriptions of the packages are part of the stamp:
 * they contain the versions.
 */
import { createHash } from 'node:crypto';
import { readFile, stat } from 'node:fs/promises';
import { join } from 'node:path';

const BUILDERS = [
  'api/build/build.mjs',
  'api/build/build-stamp.mjs',
  'api/build/bundling.mjs',
  'package.json',
  'tsconfig.json',
];

/**
 * @param inputs paths relative to the root
 * @param outputs absolute paths
 * @param start ms of the build's start
 * @throws Error if a file changed since then: the build may have read it before
 */
export async function stampOf(inputs, outputs, root, start) {
  const files = [...BUILDERS, ...inputs];
  const states = await statesOf(files, root);
  const changed = files.find((_, at) => states[at].mtimeMs >= start);
  if (changed !== undefined) throw new Error(`${changed} changed during the build`);
  const packages = await packagesOf(files, root);
  return JSON.stringify({ packages, outputs, files: files.map((file, at) => [file, textOf(states[at])]) });
}

/** @returns whether a build would give the same files, which are there */
export async function isCurrent(stampFile, root) {
  try {
    const { packages, outputs, files } = JSON.parse(await readFile(stampFile, 'utf8'));
    const paths = files.map(([path]) => path);
    const [states, found] = await Promise.all([statesOf(paths, root), packagesOf(paths, root), statesOf(outputs, '')]);
    return packages === found && files.every(([, text], at) => isSame(text, states[at]));
  } catch {
    return false;
  }
}

const statesOf = (files, root) => Promise.all(files.map((file) => stat(join(root, file))));

const textOf = ({ size, mtimeMs }) => `${size} ${mtimeMs}`;

/** Layers of images and archives have whole seconds, rounded; the time of a file that was changed later hardly ever is one. */
function isSame(text, { size, mtimeMs }) {
  const [before, time] = text.split(' ').map(Number);
  const isRounded = mtimeMs % 1_000 === 0 && Math.abs(mtimeMs - time) < 1_000;
  return size === before && (mtimeMs === time || isRounded);
}

/** Returns a hash of the descriptions of all packages that the files belong to. */
async function packagesOf(files, root) {
  const folders = files.flatMap((file) => /^.*node_modules\/(?:@[^/]+\/)?[^/]+(?=\/)/.exec(file) ?? []);
  const texts = [...new Set(folders)].sort().map((folder) => readFile(join(root, folder, 'package.json')));
  const hash = createHash('sha256');
  for (const text of await Promise.all(texts)) hash.update(text);
  return hash.digest('hex');
}
