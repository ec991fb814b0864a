/**
 * Makes one file of the daemon's sources, which `npm start` runs: a process that translates each source by itself takes
 * two seconds of the processor more for its start. Packages stay outside. It is plain JavaScript for the same reason.
 *
 * What is there already and is the same is left alone: whoever starts the daemon need not be allowed to write here.
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
// As old as its sources, or younger: by that it is told whether it is theirs.
if (isSame) await utimes(file, new Date(), new Date()).catch(() => {});
else await put(text).catch(refuse);

/** Nobody starts a file that is half written. */
async function put(text) {
  const draft = `${file}.${process.pid}`;
  await mkdir(dirname(file), { recursive: true });
  await writeFile(draft, text);
  await rename(draft, file);
}

function refuse({ message }) {
  console.error(`nodewright: cannot write what the daemon is started from (${message}); run npm run build as who may`);
  process.exit(1);
}
