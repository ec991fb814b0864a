import './api/build.mjs';
import { buildTests } from './test/build.mjs';
import { testsOf } from './test/tiers.mjs';

const { folder, imports } = await buildTests();
const { TESTS, NODEWRIGHT_COVERAGE: coverage } = process.env;
const tests = testsOf(imports, TESTS);

export default {
  files: tests,
  sortTestFiles: (one, other) => place(one) - place(other),
  typescript: { compile: false, rewritePaths: { 'test/': `${folder}/` } },
  environmentVariables: { NODEWRIGHT_TEST_BUILD: folder, ...(coverage && { NODE_V8_COVERAGE: coverage }) },
  ...(coverage && { require: ['./test/measured.mjs'] }),
  nodeArguments: ['--enable-source-maps', '--liftoff-only'],
  workerThreads: false,
  concurrency: 4,
  timeout: '2m',
};

/** @param path absolute */
const place = (path) => tests.findIndex((test) => path.endsWith(`/${test}`));
