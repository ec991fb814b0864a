/**
 * The folder of the texts that Node.js imports. Packages that they import are resolved from here:
 *
 * 1. `texts/node_modules` leads to packages that the build of the daemon has bundled into a few files: typebox consists
 *    of hundreds. The daemon uses the same instance.
 * 2. `node_modules` above it leads to all packages of nodewright.
 */
import { randomUUID } from 'node:crypto';
import { access, mkdir, readlink, rename, rm, symlink, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { packagePath, packageRoot } from '../../vocabulary/package-path.ts';

/** Written by `api/build/build.mjs`. */
const bundledPackages = packagePath('dist/packages');

export const textsIn = (cacheDir: string): string => join(cacheDir, 'texts');

/** Writes the text where Node.js can import it, atomically: another load may be importing it. @returns the file */
export async function put({ text, hash }: { text: string; hash: string }, cacheDir: string): Promise<string> {
  const texts = textsIn(cacheDir);
  await mkdir(texts, { recursive: true });
  await link(join(texts, 'node_modules'), bundledPackages);
  await link(join(cacheDir, 'node_modules'), await nodeModules());
  const file = join(texts, `${hash}.mjs`);
  const draft = join(texts, `${hash}.${randomUUID()}.mjs`);
  await writeFile(draft, text);
  await rename(draft, file);
  return file;
}

async function link(path: string, target: string): Promise<void> {
  if ((await readlink(path).catch(() => undefined)) === target) return;
  await rm(path, { force: true, recursive: true });
  await symlink(target, path, 'dir').catch((error: NodeJS.ErrnoException) => {
    // A concurrent load in this process has created it.
    if (error.code !== 'EEXIST') throw error;
  });
}

/** Returns the nearest node_modules with our packages: our own, or that of the project that installed this package. */
async function nodeModules(): Promise<string> {
  for (let at = packageRoot; ; at = dirname(at)) {
    const draft = join(at, 'node_modules');
    const there = await access(join(draft, 'xstate')).then(
      () => true,
      () => false,
    );
    if (there) return draft;
    if (dirname(at) === at) throw new Error(`found no node_modules with xstate above ${packageRoot}; run npm ci`);
  }
}
