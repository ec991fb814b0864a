/** The options of esbuild that the builds of the daemon, the tests and their child processes share. Packages are external. */
import { fileURLToPath } from 'node:url';

export const bundling = {
  absWorkingDir: fileURLToPath(new URL('..', import.meta.url)),
  bundle: true,
  packages: 'external',
  platform: 'node',
  format: 'esm',
  loader: { '.sh': 'text' },
  alias: { 'nodewright/define': './engine/define/index.ts', 'nodewright/test': './engine/simulate/index.ts' },
  target: 'node20',
  logLevel: 'warning',
};
