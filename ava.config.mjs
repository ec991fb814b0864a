import { writeFile } from 'node:fs/promises';
import './test/wake-ups.mjs';
import './api/build/build.mjs';
import { buildTests } from './test/build.mjs';
import { groupsOf, MOST_FILES, writeGroups } from './test/groups.mjs';
import { shortLived } from './test/node-arguments.mjs';
import { longTests, rotationOf, testsOf, testsOfVersions } from './test/tiers.mjs';

const { folder, imports, modules } = await buildTests();
const {
  TESTS,
  NODEWRIGHT_COVERAGE: coverage,
  NODEWRIGHT_TEST_GROUPS: groupsFile,
  NODEWRIGHT_TEST_OTHER_NODE: otherNode,
  NODEWRIGHT_TEST_SEED: seed,
  NODEWRIGHT_TEST_STARTS_UNTIL: until,
  NODEWRIGHT_TEST_TIMES: times,
} = process.env;
const wanted = testsOf(imports, TESTS);
const tests = otherNode ? testsOfVersions(modules, wanted) : wanted;
const long = longTests(imports, tests);
const rotation = until === undefined ? undefined : rotationOf(imports, tests, long, seed);
const withDaemons = rotation === undefined ? MOST_FILES.withDaemons : MOST_FILES.withDaemonsInRotation;
const most = TESTS?.includes('system') ? withDaemons : MOST_FILES.ofOneProcess;
// A run of single files has a process for each of them, as the repetition of a failure does.
const groups = TESTS === undefined ? tests.map((test) => [test]) : await groupsOf(rotation ?? { tests, long }, most);
if (groupsFile && TESTS !== undefined) await writeFile(groupsFile, JSON.stringify(groups));
const programs = await writeGroups(groups, folder, rotation);
const files = groups.map(([first]) => first);

export default {
  files,
  sortTestFiles: (one, other) => place(one) - place(other),
  typescript: { compile: false, rewritePaths: { 'test/': `${programs}/` } },
  environmentVariables: { NODEWRIGHT_TEST_BUILD: folder },
  require: [...(coverage ? ['./test/measured-files.mjs'] : []), ...(times ? ['./test/used-time.mjs'] : [])],
  nodeArguments: ['--enable-source-maps', ...shortLived(), '--max-semi-space-size=32', '--min-semi-space-size=16'],
  workerThreads: false,
  // On two processors: many of the tests mostly wait, most of all for services, BMCs and other processes.
  concurrency: 6,
  // Ends a run that hangs. Each wait has a limit of its own (test/support/ava/patience.ts), so that a test needs none.
  timeout: '8m',
};

/** @param path absolute */
const place = (path) => files.findIndex((test) => path.endsWith(`/${test}`));
