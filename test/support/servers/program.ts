/** The programs that tests and benches start as separate processes. */
import { join } from 'node:path';
import { packagePath } from '../../../engine/vocabulary/package-path.ts';

/** Both as in `npm start`, for the reasons in `engine/DECISIONS.md`. */
const HEAP = ['--max-semi-space-size=16', '--heap-growing-percent=60'];
export const ALLOCATOR = { MALLOC_ARENA_MAX: '2', MALLOC_MMAP_THRESHOLD_: '262144' };

/** Arguments for Node, without those of the daemon: the program of `npm start`, as `npm run build` generates it. */
export const daemonProgram = (): string[] => [...HEAP, '--enable-source-maps', packagePath('dist/daemon.mjs')];

/**
 * Returns the arguments for Node that run a program of `test/`.
 * @param name without extension, such as `support/engine/engine-child`
 */
export function testProgram(name: string): string[] {
  const build = process.env.NODEWRIGHT_TEST_BUILD;
  if (build === undefined) return ['--import=tsx', packagePath(`test/${name}.ts`)];
  return ['--enable-source-maps', packagePath(join(build, `${name}.js`))];
}
