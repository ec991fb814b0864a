/**
 * Bundles the daemon's sources, with most packages, into the files that `npm start` runs: a process that compiles each
 * source itself needs two more seconds of CPU time to start, and one that finds and reads the files of each package
 * half a second more. An adapter that is not configured is not loaded. This file is plain JavaScript for the same reason.
 *
 * 1. Unchanged files are not rewritten, so that starting the daemon requires no write permission here.
 * 2. If no file has changed since the last build, nothing is built (`build-stamp.mjs`).
 * 3. The console is bundled too (`console/build.mjs`).
 * 4. The included graphs and tasks are loaded once, so that the first start of a daemon need not (`library/prebuild.ts`).
 */
import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { mkdir, readdir, readFile, rename, rm, stat, symlink, utimes, writeFile } from 'node:fs/promises';
import { basename, dirname, join, relative } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { buildConsole } from '../console/build.mjs';
import { isCurrent, stampOf } from './build-stamp.mjs';
import { BUILD_ID, bundling, taskPrograms, withPackages } from './bundling.mjs';

const root = fileURLToPath(new URL('../..', import.meta.url));
const home = join(root, 'dist');
const chunks = join(home, 'daemon');
const stampFile = join(home, 'daemon.json');
const DAY_MS = 24 * 60 * 60 * 1000;
/** Parts of a running daemon, or of an open page, that it has not needed yet. */
const KEPT_MS = 30 * DAY_MS;
const TOUCHED_MS = DAY_MS;
/** Folders of the files that the prebuild loads: sources in the package, which definitions of others import too. */
const prebuilt = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')).files.filter((folder) =>
  /^(?:graphs|tasks|engine\/(?:define|vocabulary|hardware\/[a-z-]+))$/.test(folder),
);

/** The command shares no instance with definitions, and reading the many files of undici would take longer than most commands. */
const commandPackages = {
  name: 'command-packages',
  setup({ onResolve }) {
    onResolve({ filter: /^undici$/ }, ({ importer }) =>
      importer.startsWith(join(root, 'api/cli/')) ? { path: join(root, 'node_modules/undici/index.js') } : undefined,
    );
  },
};

if (isCurrent(stampFile, root)) await touch();
else await buildDaemon();

async function buildDaemon() {
  const start = Date.now();
  // Loaded only here: it starts a process.
  const { build, version } = await import('esbuild');
  const { outputFiles, metafile } = await build({
    ...bundling,
    entryPoints: {
      daemon: 'api/process/main.ts',
      nw: 'api/cli/entry.ts',
      define: 'engine/define/index.ts',
      test: 'api/story/index.ts',
      prebuild: 'engine/library/versions/prebuild.ts',
      'packages/typebox/index': 'typebox',
      ...(await taskPrograms()),
    },
    outdir: home,
    outExtension: { '.js': '.mjs' },
    // The name of a chunk contains a hash of its text: a daemon that runs can still load those of its own build.
    chunkNames: 'daemon/[name]-[hash]',
    ...withPackages,
    plugins: [...withPackages.plugins, commandPackages],
    write: false,
    metafile: true,
    splitting: true,
    minifySyntax: true,
    minifyWhitespace: true,
    // Node.js shows the line that an uncaught error comes from.
    lineLimit: 200,
    sourcemap: 'linked',
    sourcesContent: false,
  });
  checkModules(metafile);
  const outputs = identified(outputFiles, version);
  // The program comes last, because it imports the chunks.
  const isProgram = ({ path }) => path === join(home, 'daemon.mjs');
  for (const file of outputs.toSorted((one, other) => isProgram(one) - isProgram(other))) {
    await put(file).catch(reject);
  }
  await describeTypebox().catch(reject);
  const pages = await buildConsole(build, join(home, 'console'));
  for (const { path, contents } of pages.files) await put({ path, text: contents }).catch(reject);
  const paths = [...outputs, ...pages.files].map(({ path }) => path);
  for (const folder of [chunks, join(home, 'console/assets')]) await removeOld(folder, paths).catch(() => {});
  // Without a stamp, the next start builds again.
  await rm(stampFile, { force: true }).catch(() => {});
  // Without results, a first start takes longer.
  await loadDefinitions().catch(({ message }) => console.error(`nodewright: without a prebuild (${message})`));
  const inputs = new Set([...Object.keys(metafile.inputs), ...pages.inputs, ...(await prebuiltFiles())]);
  try {
    await put({ path: stampFile, text: stampOf([...inputs], paths, root, start) });
  } catch {
    // A file changed during the build.
  }
}

/** A dynamic import of a bundled CommonJS package has only a default export, unlike that of the installed package. */
function checkModules({ inputs, outputs }) {
  for (const { entryPoint = '' } of Object.values(outputs)) {
    if (!entryPoint.includes('node_modules/') || inputs[entryPoint].format !== 'cjs') continue;
    throw new Error(`found an import() of ${entryPoint}, a CommonJS module; expected a static import of it`);
  }
}

/** Replaces the placeholder of the build's identity. */
function identified(outputFiles, version) {
  const hash = createHash('sha256').update(version);
  for (const { path, text } of outputFiles) hash.update(`${basename(path)} ${text}`);
  const id = hash.digest('hex');
  return outputFiles.map(({ path, text }) => ({ path, text: text.replaceAll(BUILD_ID, id) }));
}

/** The bundled package exports the same as the installed one, whose other parts are linked. */
async function describeTypebox() {
  const folder = join(home, 'packages/typebox');
  const installed = join(root, 'node_modules/typebox');
  const { name, version, type, exports } = JSON.parse(await readFile(join(installed, 'package.json'), 'utf8'));
  const text = JSON.stringify({ name, version, type, exports: { ...exports, '.': './index.mjs' } });
  await put({ path: join(folder, 'package.json'), text });
  await rm(join(folder, 'build'), { recursive: true, force: true });
  await symlink(relative(folder, join(installed, 'build')), join(folder, 'build'), 'dir');
}

/** In a folder of its own, because another build may run. */
async function loadDefinitions() {
  const { prebuild } = await import(pathToFileURL(join(home, 'prebuild.mjs')).href);
  const [library, draft] = [join(home, 'library'), join(home, `library.${process.pid}`)];
  try {
    await prebuild(draft);
    await rm(library, { recursive: true, force: true });
    await rename(draft, library);
  } finally {
    await rm(draft, { recursive: true, force: true });
  }
}

async function prebuiltFiles() {
  const lists = prebuilt.map(async (folder) => {
    const entries = await readdir(join(root, folder), { recursive: true, withFileTypes: true });
    return entries
      .filter((entry) => entry.isFile())
      .map((entry) => relative(root, join(entry.parentPath ?? entry.path, entry.name)));
  });
  return (await Promise.all(lists)).flat();
}

/** A file that is in use is not removed. Once a day is enough, and leaves most commands without these writes. */
async function touch() {
  if (Date.now() - (await stat(stampFile)).mtimeMs < TOUCHED_MS) return;
  const { outputs } = JSON.parse(await readFile(stampFile, 'utf8'));
  for (const path of [...outputs, stampFile]) await utimes(path, new Date(), new Date()).catch(() => {});
}

/** Replaces the file atomically, so that no process starts an incomplete one. */
async function put({ path, text }) {
  if ((await readFile(path).catch(() => undefined))?.equals(Buffer.from(text))) {
    await utimes(path, new Date(), new Date()).catch(() => {});
    return;
  }
  const draft = `${path}.${process.pid}`;
  await mkdir(dirname(path), { recursive: true });
  await writeFile(draft, text);
  await rename(draft, path);
}

async function removeOld(folder, outputs) {
  const current = new Set(outputs.map((path) => basename(path)));
  for (const name of await readdir(folder)) {
    const { mtimeMs } = await stat(join(folder, name));
    if (!current.has(name) && Date.now() - mtimeMs > KEPT_MS) await rm(join(folder, name));
  }
}

function reject({ message }) {
  console.error(
    `nodewright: cannot write the files that the daemon runs (${message}); run npm run build as a user who may`,
  );
  process.exit(1);
}
