/** The daemon program for tests and benches: the file that `npm start` runs, or the sources if they are newer. */
import { readdirSync, statSync } from 'node:fs';
import { inPackage } from '../../engine/define/place.ts';

/** For Node: optimizing the WebAssembly of the embedded database takes longer than most tests. */
export const SHORT_LIVED = '--liftoff-only';

const file = inPackage('node_modules/.cache/nodewright/daemon.mjs');

const changed = (path: string): number => statSync(path, { throwIfNoEntry: false })?.mtimeMs ?? 0;

const newest = (folder: string): number =>
  Math.max(
    ...readdirSync(folder, { recursive: true, encoding: 'utf8' })
      .filter((name) => name.endsWith('.ts'))
      .map((name) => changed(`${folder}/${name}`)),
  );

/** Returns the arguments for Node, without those of the daemon. */
export const daemonProgram = (): string[] =>
  changed(file) > Math.max(newest(inPackage('engine')), newest(inPackage('api')))
    ? ['--enable-source-maps', file]
    : ['--import=tsx', 'api/main.ts'];
