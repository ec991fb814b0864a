/** The programs that tests and benches start as separate processes. */
import { join } from 'node:path';
import { packagePath } from '../../engine/define/package-path.ts';

/** For Node: optimizing WebAssembly, as of the sandbox for templates, takes longer than most tests. */
export const SHORT_LIVED = '--liftoff-only';

/** MiB. As in `npm start`, for the reason in `engine/DECISIONS.md`. */
const YOUNG_GENERATION = '--max-semi-space-size=32';

/** Arguments for Node, without those of the daemon: the program of `npm start`, as `npm run build` generates it. */
export const daemonProgram = (): string[] => [YOUNG_GENERATION, '--enable-source-maps', packagePath('dist/daemon.mjs')];

/**
 * Returns the arguments for Node that run a program of `test/`.
 * @param name without extension, such as `support/engine-child`
 */
export function testProgram(name: string): string[] {
  const build = process.env.NODEWRIGHT_TEST_BUILD;
  if (build === undefined) return ['--import=tsx', packagePath(`test/${name}.ts`)];
  return ['--enable-source-maps', packagePath(join(build, `${name}.js`))];
}
