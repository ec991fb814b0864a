/**
 * Makes one file of the daemon's sources, which `npm start` runs: a process that translates each source by itself takes
 * two seconds of the processor more for its start. Packages stay outside. It is plain JavaScript for the same reason.
 */
import { rename } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';

const root = fileURLToPath(new URL('..', import.meta.url));
const file = `${root}node_modules/.cache/nodewright/daemon.mjs`;
// Nobody starts a file that is half written.
const made = `${file}.${process.pid}`;

await build({
  ...{ entryPoints: [`${root}api/main.ts`], absWorkingDir: root, outfile: made },
  ...{ bundle: true, packages: 'external', platform: 'node', format: 'esm', target: 'node20' },
  ...{ keepNames: true, sourcemap: 'inline', sourcesContent: false, logLevel: 'warning' },
});
await rename(made, file);
