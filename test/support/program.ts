/** The daemon program for tests and benches: the file that `npm start` runs, or the sources if they are newer. */
import { readdirSync, statSync } from 'node:fs';
import { packagePath } from '../../engine/define/package-path.ts';

/** For Node: optimizing the WebAssembly of the embedded database takes longer than most tests. */
export const SHORT_LIVED = '--liftoff-only';

const file = packagePath('node_modules/.cache/nodewright/daemon.mjs');

const changed = (path: string): number => statSync(path, { throwIfNoEntry: false })?.mtimeMs ?? 0;

const newest = (folder: string): number =>
  Math.max(
    ...readdirSync(folder, { recursive: true, encoding: 'utf8' })
      .filter((name) => name.endsWith('.ts'))
      .map((name) => changed(`${folder}/${name}`)),
  );

/** Returns the arguments for Node, without those of the daemon. */
export const daemonProgram = (): string[] =>
  changed(file) > Math.max(newest(packagePath('engine')), newest(packagePath('api')))
    ? ['--enable-source-maps', file]
    : ['--import=tsx', 'api/main.ts'];
