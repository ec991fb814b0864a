import './api/build.mjs';
import { buildTests } from './test/build.mjs';

const build = await buildTests();

export default {
  files: ['test/**/*.test.ts'],
  typescript: { compile: false, rewritePaths: { 'test/': `${build}/` } },
  environmentVariables: { NODEWRIGHT_TEST_BUILD: build },
  nodeArguments: ['--enable-source-maps', '--liftoff-only'],
  workerThreads: false,
  concurrency: 3,
  timeout: '2m',
};
