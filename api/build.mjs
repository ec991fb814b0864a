/**
 * Bundles the daemon's sources into one file, which `npm start` runs: a process that compiles each source itself needs
 * two more seconds of CPU time to start. Packages are not bundled. This file is plain JavaScript for the same reason.
 *
 * An unchanged file is not rewritten, so that starting the daemon requires no write permission here.
 */
import { mkdir, readFile, rename, utimes, writeFile } from 'node:fs/promises';
import { dirname } from 'node:path';
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';

const root = fileURLToPath(new URL('..', import.meta.url));
const file = `${root}node_modules/.cache/nodewright/daemon.mjs`;

const { outputFiles } = await build({
  ...{ entryPoints: [`${root}api/main.ts`], absWorkingDir: root, outfile: file, write: false },
  ...{ bundle: true, packages: 'external', platform: 'node', format: 'esm', target: 'node20' },
  ...{ keepNames: true, sourcemap: 'inline', sourcesContent: false, logLevel: 'warning' },
});
const [{ text }] = outputFiles;
const isSame = (await readFile(file, 'utf8').catch(() => undefined)) === text;
// Must not be older than its sources: that is how an outdated file is detected.
if (isSame) await utimes(file, new Date(), new Date()).catch(() => {});
else await put(text).catch(refuse);

/** Replaces the file atomically, so that no process starts an incomplete one. */
async function put(text) {
  const draft = `${file}.${process.pid}`;
  await mkdir(dirname(file), { recursive: true });
  await writeFile(draft, text);
  await rename(draft, file);
}

function refuse({ message }) {
  console.error(
    `nodewright: cannot write the file that the daemon runs (${message}); run npm run build as a user who may`,
  );
  process.exit(1);
}
