// The program of the command `nw`. In a checkout of the sources, it is built first if they have changed.
import { existsSync } from 'node:fs';

const build = new URL('build/build.mjs', import.meta.url);
if (existsSync(build)) await import(build);
await import('../dist/nw.mjs');
