/**
 * The stamp of a build: size and time of each file that was read for it. A build whose stamp still holds need not be
 * repeated.
 *
 * Of the packages, the stamp has the list that npm keeps of what it has installed, with their versions and hashes. Their files
 * are not looked at: they are as many as the sources, and this check is a part of each command. So a build does not
 * notice a file of a package that was changed by hand; `rm dist/daemon.json` repeats it.
 */
import { createHash } from 'node:crypto';
import { readFileSync, statSync } from 'node:fs';
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
export function stampOf(inputs, outputs, root, start) {
  const files = [...BUILDERS, ...inputs.filter((file) => !file.includes('node_modules/'))];
  const states = statesOf(files, root);
  const changed = files.find((_, at) => states[at].mtimeMs >= start);
  if (changed !== undefined) throw new Error(`${changed} changed during the build`);
  const packages = packagesIn(root);
  return JSON.stringify({ packages, outputs, files: files.map((file, at) => [file, textOf(states[at])]) });
}

/** @returns whether a build would give the same files, which are there */
export function isCurrent(stampFile, root) {
  try {
    const { packages, outputs, files } = JSON.parse(readFileSync(stampFile, 'utf8'));
    const paths = files.map(([path]) => path);
    statesOf(outputs, '');
    const states = statesOf(paths, root);
    return packages === packagesIn(root) && files.every(([, text], at) => isSame(text, states[at]));
  } catch {
    return false;
  }
}

const statesOf = (files, root) => files.map((file) => statSync(join(root, file)));

const textOf = ({ size, mtimeMs }) => `${size} ${mtimeMs}`;

/** Layers of images and archives have whole seconds, rounded; the time of a file that was changed later hardly ever is one. */
function isSame(text, { size, mtimeMs }) {
  const [before, time] = text.split(' ').map(Number);
  const isRounded = mtimeMs % 1_000 === 0 && Math.abs(mtimeMs - time) < 1_000;
  return size === before && (mtimeMs === time || isRounded);
}

/** Returns a hash of npm's list of the installed packages. */
function packagesIn(root) {
  const list = readFileSync(join(root, 'node_modules/.package-lock.json'));
  return createHash('sha256').update(list).digest('hex');
}
