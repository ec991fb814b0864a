/** What a test or a benchmark starts as the daemon: what `npm start` runs, or its sources when they were changed since. */
import { readdirSync, statSync } from 'node:fs';
import { inPackage } from '../../engine/define/place.ts';

/** For Node: the embedded database is WebAssembly, and to make that fast takes longer than most tests. */
export const SHORT_LIVED = '--liftoff-only';

const file = inPackage('node_modules/.cache/nodewright/daemon.mjs');

const changed = (path: string): number => statSync(path, { throwIfNoEntry: false })?.mtimeMs ?? 0;

const newest = (folder: string): number =>
  Math.max(
    ...readdirSync(folder, { recursive: true, encoding: 'utf8' })
      .filter((name) => name.endsWith('.ts'))
      .map((name) => changed(`${folder}/${name}`)),
  );

/** @returns the arguments for Node, without those of the daemon */
export const daemonProgram = (): string[] =>
  changed(file) > Math.max(newest(inPackage('engine')), newest(inPackage('api')))
    ? ['--enable-source-maps', file]
    : ['--import=tsx', 'api/main.ts'];
