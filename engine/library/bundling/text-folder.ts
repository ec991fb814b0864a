/**
 * The folder of the texts that Node.js imports. Packages that they import are resolved from here:
 *
 * 1. `texts/node_modules` has packages that the build of the daemon has bundled into a few files: typebox consists of
 *    hundreds. The daemon uses the same instance. Its modules only forward to those of the build, by their whole paths:
 *    Node.js 20 may import a module by the path of a link, from which the build's relative imports lead nowhere, if the
 *    last file that the process looked at was a pipe or a socket (`realpathSync` reads the state of that file).
 * 2. `node_modules` above it is a link to all packages of nodewright, each whole.
 */
import { randomUUID } from 'node:crypto';
import {
  access,
  mkdir,
  readdir,
  readFile,
  readlink,
  realpath,
  rename,
  symlink,
  unlink,
  writeFile,
} from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { packagePath, packageRoot } from '../../vocabulary/package-path.ts';
import { codeOf } from '../../vocabulary/thrown-values.ts';

/** Written by `api/build/build.mjs`. */
const bundledPackages = packagePath('dist/packages');

interface BundledPackage {
  name: string;
  exports: Record<string, string | { import: string }>;
}

export const textsIn = (cacheDir: string): string => join(cacheDir, 'texts');

/** Writes the text where Node.js can import it, atomically: another load may be importing it. @returns the file */
export async function put({ text, hash }: { text: string; hash: string }, cacheDir: string): Promise<string> {
  const file = join(textsIn(cacheDir), `${hash}.mjs`);
  await prepareOnce(cacheDir);
  await replace(file, text).catch(async (error) => {
    if (codeOf(error) !== 'ENOENT') throw error;
    // The folder was removed.
    last = undefined;
    await prepareOnce(cacheDir);
    await replace(file, text);
  });
  return file;
}

let last: { cacheDir: string; done: Promise<void> } | undefined;

/** Once for all texts of a folder: a start puts one for each definition. */
async function prepareOnce(cacheDir: string): Promise<void> {
  if (last?.cacheDir !== cacheDir) last = { cacheDir, done: prepareFolder(cacheDir) };
  const { done } = last;
  await done.catch((error) => {
    if (last?.done === done) last = undefined;
    throw error;
  });
}

async function prepareFolder(cacheDir: string): Promise<void> {
  const texts = textsIn(cacheDir);
  await mkdir(texts, { recursive: true });
  await forwardAll(join(texts, 'node_modules'));
  await link(join(cacheDir, 'node_modules'), await nodeModules());
}

async function replace(file: string, text: string): Promise<void> {
  const draft = join(dirname(file), `draft-${randomUUID()}.mjs`);
  await writeFile(draft, text);
  await rename(draft, file);
}

/** Concurrent calls write the same. */
async function forwardAll(folder: string): Promise<void> {
  // A link to the bundled packages, as earlier versions made.
  await unlink(folder).catch(() => {});
  for (const name of await readdir(bundledPackages).catch(() => [])) {
    await forward(await realpath(join(bundledPackages, name)), join(folder, name));
  }
}

/** The description is written last: it says that all is there. */
async function forward(bundled: string, folder: string): Promise<void> {
  const { name, exports } = JSON.parse(await readFile(join(bundled, 'package.json'), 'utf8')) as BundledPackage;
  const targets = Object.entries(exports).map(([path, target], at): [string, string, string] => {
    const module = typeof target === 'string' ? target : target.import;
    return [path, `./${at}.mjs`, pathToFileURL(join(bundled, module)).href];
  });
  const description = join(folder, 'package.json');
  const text = JSON.stringify({
    name,
    exports: Object.fromEntries(targets.map(([path, file]) => [path, file])),
    targets: targets.map(([, , url]) => url),
  });
  if ((await readFile(description, 'utf8').catch(() => undefined)) === text) return;
  await mkdir(folder, { recursive: true });
  for (const [, file, url] of targets) {
    const from = JSON.stringify(url);
    await replace(
      join(folder, file),
      `import * as all from ${from};\nexport * from ${from};\nexport default all.default;\n`,
    );
  }
  await replace(description, text);
}

async function link(path: string, target: string): Promise<void> {
  if ((await readlink(path).catch(() => undefined)) === target) return;
  const draft = `${path}-${randomUUID()}`;
  await symlink(target, draft, 'dir');
  await rename(draft, path);
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
