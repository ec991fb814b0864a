/**
 * Bundles the daemon's sources, with most packages, into the files that `npm start` runs: a process that compiles each
 * source itself needs two more seconds of CPU time to start, and one that finds and reads the files of each package
 * half a second more. An adapter that is not configured is not loaded. This file is plain JavaScript for the same reason.
 *
 * 1. Unchanged files are not rewritten, so that starting the daemon requires no write permission here.
 * 2. If no file has changed since the last build, nothing is built (`build-stamp.mjs`).
 */
import { mkdir, readdir, readFile, rename, rm, stat, utimes, writeFile } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { isCurrent, stampOf } from './build-stamp.mjs';
import { bundling } from './bundling.mjs';

const root = fileURLToPath(new URL('..', import.meta.url));
const home = join(root, 'node_modules/.cache/nodewright');
const chunks = join(home, 'daemon');
const stampFile = join(home, 'daemon.json');
const DAY_MS = 24 * 60 * 60 * 1000;

/** They have files beside their code, or native parts; or definitions import them too, and both use the same instance. */
const external = [
  'esbuild',
  'libsql',
  'msgpackr-extract',
  'swagger-ui-dist',
  '@jitl/quickjs-wasmfile-release-sync',
  'quickjs-emscripten-core',
  'typebox',
  'undici',
  'xstate',
  // Optional parts of MongoDB's driver, which are not installed.
  '@aws-sdk/credential-providers',
  '@mongodb-js/zstd',
  'aws4',
  'gcp-metadata',
  'kerberos',
  'mongodb-client-encryption',
  'snappy',
  'socks',
];

/** They compare the names of their classes, which a bundle may change. */
const named = /\/node_modules\/(bullmq|ioredis|mongodb|bson|redis-errors)\//;

/** Maps each file of a package to one position: the maps of packages would be larger than their code. */
const packages = {
  name: 'packages',
  setup({ onLoad, esbuild }) {
    const map = { version: 3, sources: ['package'], names: [], mappings: 'AAAA' };
    const comment = `//# sourceMappingURL=data:application/json;base64,${btoa(JSON.stringify(map))}`;
    onLoad({ filter: /\/node_modules\/.*\.[cm]?js$/ }, async ({ path }) => {
      const text = await readFile(path, 'utf8');
      const code = named.test(path) ? (await esbuild.transform(text, { keepNames: true })).code : text;
      return { contents: `${code}\n${comment}`, loader: 'js' };
    });
  },
};

if (await isCurrent(stampFile, root)) await touch();
else await buildDaemon();

async function buildDaemon() {
  const start = Date.now();
  // Loaded only here: it starts a process.
  const { build } = await import('esbuild');
  const { outputFiles, metafile } = await build({
    ...bundling,
    entryPoints: { daemon: 'api/main.ts' },
    outdir: home,
    outExtension: { '.js': '.mjs' },
    // The name of a chunk contains a hash of its text: a daemon that runs can still load those of its own build.
    chunkNames: 'daemon/[name]-[hash]',
    packages: 'bundle',
    external,
    // Packages in CommonJS find Node's own modules by `require`.
    banner: {
      js: "import { createRequire as createRequireOf } from 'node:module'; const require = createRequireOf(import.meta.url), __dirname = import.meta.dirname;",
    },
    plugins: [packages],
    write: false,
    metafile: true,
    splitting: true,
    minifySyntax: true,
    minifyWhitespace: true,
    sourcemap: 'inline',
    sourcesContent: false,
  });
  // The program comes last, because it imports the chunks.
  const isProgram = ({ path }) => path === join(home, 'daemon.mjs');
  for (const file of outputFiles.toSorted((one, other) => isProgram(one) - isProgram(other))) {
    await put(file).catch(refuse);
  }
  const outputs = outputFiles.map(({ path }) => path);
  await removeOld(outputs).catch(() => {});
  // Without a stamp, the next start builds again.
  await rm(stampFile, { force: true }).catch(() => {});
  await stampOf(Object.keys(metafile.inputs), outputs, root, start).then(
    (text) => put({ path: stampFile, text }),
    () => {},
  );
}

/** A file that is in use is not removed. */
async function touch() {
  const { outputs } = JSON.parse(await readFile(stampFile, 'utf8'));
  for (const path of outputs) await utimes(path, new Date(), new Date()).catch(() => {});
}

/** Replaces the file atomically, so that no process starts an incomplete one. */
async function put({ path, text }) {
  if ((await readFile(path, 'utf8').catch(() => undefined)) === text) {
    await utimes(path, new Date(), new Date()).catch(() => {});
    return;
  }
  const draft = `${path}.${process.pid}`;
  await mkdir(dirname(path), { recursive: true });
  await writeFile(draft, text);
  await rename(draft, path);
}

async function removeOld(outputs) {
  const current = new Set(outputs.map((path) => basename(path)));
  for (const name of await readdir(chunks)) {
    const { mtimeMs } = await stat(join(chunks, name));
    if (!current.has(name) && Date.now() - mtimeMs > DAY_MS) await rm(join(chunks, name));
  }
}

function refuse({ message }) {
  console.error(
    `nodewright: cannot write the files that the daemon runs (${message}); run npm run build as a user who may`,
  );
  process.exit(1);
}
