#!/usr/bin/env -S MALLOC_ARENA_MAX=2 MALLOC_MMAP_THRESHOLD_=262144 node --max-semi-space-size=32 --heap-growing-percent=60 --enable-source-maps
// The command `nw`. In a checkout of the sources, it is built first if they have changed.
import { existsSync } from 'node:fs';

const build = new URL('build/build.mjs', import.meta.url);
if (existsSync(build)) await import(build);
await import('../dist/nw.mjs');
