import './api/build/build.mjs';
import { buildTests } from './test/build.mjs';
import { testsOf } from './test/tiers.mjs';

const { folder, imports } = await buildTests();
const { TESTS, NODEWRIGHT_COVERAGE: coverage, NODEWRIGHT_TEST_OTHER_NODE: otherNode } = process.env;
/** Those of pages, of sources and of the runner itself, which are the same on each version of Node.js. */
const isOfProject = (test) => !test.slice('test/'.length).includes('/');
const tests = testsOf(imports, TESTS).filter((test) => !(otherNode && isOfProject(test)));

export default {
  files: tests,
  sortTestFiles: (one, other) => place(one) - place(other),
  typescript: { compile: false, rewritePaths: { 'test/': `${folder}/` } },
  environmentVariables: { NODEWRIGHT_TEST_BUILD: folder },
  require: ['./test/properties.mjs', ...(coverage ? ['./test/measured-files.mjs'] : [])],
  nodeArguments: ['--enable-source-maps', '--liftoff-only'],
  workerThreads: false,
  // On two processors: many of the tests mostly wait.
  concurrency: 6,
  // Ends a run that hangs. Each wait has a limit of its own (test/support/ava/patience.ts), so that a test needs none.
  timeout: '8m',
};

/** @param path absolute */
const place = (path) => tests.findIndex((test) => path.endsWith(`/${test}`));
