/**
 * Bundles the daemon's sources into the files that `npm start` runs: a process that compiles each source itself needs
 * two more seconds of CPU time to start. Packages are not bundled, and an adapter that is not configured is not loaded.
 * This file is plain JavaScript for the same reason.
 *
 * Unchanged files are not rewritten, so that starting the daemon requires no write permission here.
 */
import { mkdir, readdir, readFile, rename, rm, stat, utimes, writeFile } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';
import { bundling } from './bundling.mjs';

const root = fileURLToPath(new URL('..', import.meta.url));
const home = join(root, 'node_modules/.cache/nodewright');
const chunks = join(home, 'daemon');
const DAY_MS = 24 * 60 * 60 * 1000;

const { outputFiles } = await build({
  ...bundling,
  entryPoints: { daemon: 'api/main.ts' },
  outdir: home,
  outExtension: { '.js': '.mjs' },
  // The name of a chunk contains a hash of its text: a daemon that runs can still load those of its own build.
  chunkNames: 'daemon/[name]-[hash]',
  write: false,
  splitting: true,
  sourcemap: 'inline',
  sourcesContent: false,
});
// The program comes last, because it imports the chunks.
const isProgram = ({ path }) => path === join(home, 'daemon.mjs');
for (const file of outputFiles.toSorted((one, other) => isProgram(one) - isProgram(other))) {
  await put(file).catch(refuse);
}
await removeOld().catch(() => {});

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

async function removeOld() {
  const current = new Set(outputFiles.map(({ path }) => basename(path)));
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
