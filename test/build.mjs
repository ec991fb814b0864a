/**
 * Bundles all tests, and the sources and packages that they use, into JavaScript for Node.js: a test process that compiles
 * each source itself needs more than a second of CPU time to start, and half a second to read the files of packages.
 *
 * Each build has its own folder, named by a hash of its contents, so that a new build does not disturb running tests. If no
 * file has changed since the last build, nothing is built (`api/build/build-stamp.mjs`).
 */
import { createHash } from 'node:crypto';
import { readdir, readFile, rename, rm, stat, utimes, writeFile } from 'node:fs/promises';
import { basename, join, relative } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { isCurrent, stampOf } from '../api/build/build-stamp.mjs';
import { BUILD_ID, bundling, withPackages } from '../api/build/bundling.mjs';
import { putFolder } from './put-folder.mjs';

const root = fileURLToPath(new URL('..', import.meta.url));
const home = join(root, 'node_modules/.cache/nodewright/tests');
/** The last build: its stamp, its folder, and the imports of its files. */
const lastFile = join(home, 'last.json');
const DAY_MS = 24 * 60 * 60 * 1000;

/** Gives each source its own address; otherwise it would have that of the bundle. */
const addresses = {
  name: 'addresses',
  setup({ onLoad }) {
    onLoad({ filter: /\.ts$|\/test\/[a-z]+\.mjs$/ }, async ({ path }) => {
      const text = await readFile(path, 'utf8');
      if (!text.includes('import.meta.url')) return undefined;
      const address = JSON.stringify(pathToFileURL(path).href);
      return { contents: text.replaceAll('import.meta.url', address), loader: 'ts' };
    });
  },
};

/** Tests that draw values import fast-check with the seed of the run (`properties.mjs`); it takes others no time. */
const seeded = {
  name: 'seeded',
  setup({ onResolve }) {
    const path = join(root, 'test/properties.mjs');
    onResolve({ filter: /^fast-check$/ }, ({ importer }) => (importer === path ? undefined : { path }));
  },
};

/** Tests import AVA in a form that lets several files share a process. */
const together = {
  name: 'together',
  setup({ onResolve }) {
    const path = join(root, TOGETHER);
    onResolve({ filter: /^ava$/ }, ({ importer }) => (importer === path ? undefined : { path }));
  },
};

/** @returns paths relative to the root */
async function testFiles() {
  const names = await readdir(join(root, 'test'), { recursive: true });
  return names
    .filter((name) => name.endsWith('.test.ts'))
    .sort()
    .map((name) => `test/${name}`);
}

const TOGETHER = 'test/support/ava/together.ts';

/** Programs that tests start, or that start tests. */
const PROGRAMS = ['test/support/engine/engine-child.ts', TOGETHER];

/** All tests of the API use it: what it imports says nothing about them. */
const SHARED_SERVER = 'test/support/servers/api.ts';

/** Packages that only tests need. */
const { devDependencies } = JSON.parse(await readFile(join(root, 'package.json'), 'utf8'));

/** @returns esbuild's result, in memory: one output for each test and program, and their shared chunks */
async function bundled(tests) {
  // Loaded only here: it starts a process.
  const { build } = await import('esbuild');
  return build({
    ...bundling,
    ...withPackages,
    external: [...withPackages.external, ...Object.keys(devDependencies)],
    entryPoints: [...tests, ...PROGRAMS],
    // As deep as the folder of the build, so that the addresses in source maps are right.
    outdir: join(home, 'build'),
    outbase: 'test',
    splitting: true,
    // A process reads some 4 MB of it, and what it reads takes a fifth of its start.
    minifyWhitespace: true,
    lineLimit: 200,
    sourcemap: 'linked',
    sourcesContent: false,
    write: false,
    metafile: true,
    plugins: [...withPackages.plugins, addresses, seeded, together],
  });
}

/**
 * @returns the build's folder, relative to the root, and by test: the files that it imports, directly or not, including
 * itself, and the modules of Node.js, such as `node:http`; and of these the ones that others than the shared server import
 */
export async function buildTests() {
  const tests = await testFiles();
  const { folder, inputs } = (await lastBuild(tests)) ?? (await newBuild(tests));
  await removeOld();
  const imports = new Map(tests.map((test) => [test, reached(test, inputs)]));
  const shared = reached(SHARED_SERVER, inputs);
  const modules = new Map(
    tests.map((test) => [
      test,
      modulesIn(
        [...imports.get(test)].filter((file) => !shared.has(file)),
        inputs,
      ),
    ]),
  );
  return { folder, imports, modules };
}

/** @returns undefined: a new one would differ */
async function lastBuild(tests) {
  if (!isCurrent(lastFile, root)) return undefined;
  const last = JSON.parse(await readFile(lastFile, 'utf8'));
  if (tests.join() !== last.tests.join()) return undefined;
  await utimes(join(root, last.folder), new Date(), new Date());
  return last;
}

async function newBuild(tests) {
  const start = Date.now();
  const { outputFiles, metafile } = await bundled(tests);
  const hash = createHash('sha256');
  for (const { path, hash: content } of outputFiles) hash.update(`${path} ${content}\n`);
  const id = hash.digest('hex');
  const folder = join(home, id.slice(0, 16));
  const isBuilt = await utimes(folder, new Date(), new Date()).then(
    () => true,
    () => false,
  );
  if (!isBuilt) {
    const files = outputFiles.map(({ path, text }) => [
      relative(join(home, 'build'), path),
      text.replaceAll(BUILD_ID, id),
    ]);
    await putFolder(folder, [['package.json', '{ "type": "module" }\n'], ...files]);
  }
  const own = Object.entries(metafile.inputs).filter(([file]) => !file.includes('node_modules/'));
  const inputs = Object.fromEntries(own.map(([file, { imports }]) => [file, imports.filter(isOwn)]));
  const built = { folder: relative(root, folder), tests, inputs };
  const read = ['test/build.mjs', ...Object.keys(metafile.inputs)];
  try {
    const stamp = JSON.parse(stampOf(read, [join(folder, 'package.json')], root, start));
    await replace(lastFile, JSON.stringify({ ...stamp, ...built }));
  } catch {
    // A file changed during the build.
  }
  return built;
}

/** @returns whether it is a file of the project, or a module of Node.js */
const isOwn = ({ path, external }) => (external ? path.startsWith('node:') : !path.includes('node_modules/'));

async function replace(file, text) {
  const draft = `${file}.${process.pid}`;
  await writeFile(draft, text);
  await rename(draft, file);
}

function reached(file, inputs) {
  const found = new Set([file]);
  for (const each of found) for (const { path } of inputs[each] ?? []) found.add(path);
  return found;
}

/** @returns the modules of Node.js that the files import themselves */
const modulesIn = (files, inputs) =>
  files.flatMap((file) => inputs[file] ?? []).flatMap(({ path }) => (path.startsWith('node:') ? [path] : []));

async function removeOld() {
  for (const name of await readdir(home)) {
    const path = join(home, basename(name));
    const { mtimeMs } = await stat(path).catch(() => ({ mtimeMs: Date.now() }));
    if (Date.now() - mtimeMs > DAY_MS) await rm(path, { recursive: true, force: true });
  }
}
