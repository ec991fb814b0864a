/**
 * The tiers of the tests, and the tests that a change concerns. Both are derived from what a test imports, so that no
 * list can be wrong: a test is in the first tier for which it reaches one of the modules.
 */
import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('..', import.meta.url));

const support = (name) => `test/support/${name}.ts`;

/** Modules, by tier. */
const MARKS = {
  /** Starts daemons, other processes or machines, and ends them at any time. */
  system: [
    'servers/program',
    'faults/child',
    'source/page-steps',
    'faults/small-disk',
    'bmcs/machine',
    'faults/power-campaign',
    'console/demo-process',
  ]
    .map(support)
    .concat('test/simulate/simulators.ts'),
  /** Needs a server or a program that npm does not install: Redis, MongoDB, RabbitMQ, a BMC simulator, Python, curl. */
  services: [
    'ava/needs',
    'servers/mongodb',
    'servers/redis',
    'servers/rabbitmq',
    'bmcs/ipmi-sim',
    'servers/python',
  ].map(support),
  /** Runs the real engine, its embedded database, or the processes and threads for the code of others. */
  engine: [
    'engine/assembly/engine.ts',
    'engine/platform/store/database.ts',
    'engine/library/bundling/trial.ts',
    'engine/inventory/files/rendering.ts',
  ],
  /** The rest: pure functions, and HTTP over a fake engine. */
  unit: [],
};
const TIERS = Object.keys(MARKS);
/** Tests that mostly wait start first, so that short ones fill the gaps. */
const STARTS = ['services', 'system', 'engine', 'unit'];

/** Tests that reach one of these take the longest: one of them alone at the end would leave a processor idle. */
const LONG = [
  'bmcs/machine',
  'bmcs/provisioning',
  'bmcs/ipmi-sim',
  'console/browser',
  'console/demo-process',
  'source/built-image',
  'source/packed-project',
  'source/page-run',
  'data/bad-requests',
  'faults/census',
]
  .map(support)
  .concat('test/chaos/campaign.ts', 'test/simulate/simulators.ts');

/** Long tests that a run can start before all others. */
const FEW_LONG = 3;

/** Long tests that would take too long at the end of a run. */
const EARLY = ['test/deploy/image.test.ts'];

/** In every run of CI, however long it takes, beside the tests of the tier `unit`: workflows go on when processes die. */
const ALWAYS = /^test\/(engine\/durable|simulate)\/|^test\/e2e\/(chaos|failover)\./;

/**
 * Modules of Node.js whose versions differ in more than their speed: connections, streams, processes. Code that only
 * computes is the same on each version, because the compiler permits what the oldest one has.
 */
const OF_VERSIONS = /^node:(child_process|dgram|dns|https?|inspector|readline|stream|tls|vm|worker_threads|zlib)(\/|$)/;

/** Tests that read sources and pages. */
const READERS = ['test/structure.test.ts', 'test/english.test.ts', 'test/docs.test.ts'];
/** Files that other modules load when they run. */
const LOADED = /^(graphs|tasks|fixtures|engine\/inventory\/files)\//;
const LOADERS = ['data/catalogue', 'engine/engine', 'servers/program'];
/** A change of these concerns all tests. */
const COMMON = /^(package(-lock)?\.json|tsconfig\.json|ava\.config\.mjs|test\/[a-z]+\.mjs)$/;

// A module that was renamed marks nothing.
for (const file of [...Object.values(MARKS), LONG, EARLY, READERS].flat(2)) {
  if (!existsSync(join(root, file))) throw new Error(`found no ${file}, which test/tiers.mjs names`);
}

const tierOf = (files) => TIERS.find((tier) => tier === 'unit' || MARKS[tier].some((file) => files.has(file)));

/**
 * @param imports by test: the files that it reaches
 * @param wanted tiers, separated by commas, or `changed`; undefined: all tests
 * @returns the tests, in the order in which they should start
 */
export function testsOf(imports, wanted) {
  if (wanted === 'changed') return concerned(imports);
  const tiers = wanted?.split(',') ?? TIERS;
  const unknown = tiers.find((tier) => !TIERS.includes(tier));
  if (unknown !== undefined) {
    throw new Error(`found '${unknown}' in TESTS; expected 'changed', or some of ${TIERS.join(', ')}`);
  }
  // Folders in reverse: `tasks` waits for machines, `api` does not.
  const tests = [...imports.keys()].toReversed();
  return STARTS.filter((tier) => tiers.includes(tier)).flatMap((tier) =>
    tests.filter((test) => tierOf(imports.get(test)) === tier),
  );
}

/** Those of pages, of sources, of the runner itself, and of the files that deploy a daemon. */
const OF_PROJECT = /^test\/(deploy\/|[^/]*$)/;

/** Every operation of the API, and its endpoints with TLS, on the server that all tests of the API share. */
const OF_SERVER = ['test/api/openapi.test.ts', 'test/api/daemon.test.ts'];

/**
 * @param modules by test: the modules of Node.js that it reaches otherwise than through the shared server
 * @returns those that another version of Node.js could fail
 */
export const testsOfVersions = (modules, tests) =>
  tests.filter(
    (test) =>
      OF_SERVER.includes(test) ||
      (!OF_PROJECT.test(test) && modules.get(test).some((module) => OF_VERSIONS.test(module))),
  );

/** @returns the tests that take long, each alone in its process; machines that boot and install take the longest */
export function longTests(imports, tests) {
  const rank = (test) => LONG.findIndex((file) => imports.get(test).has(file));
  return tests.filter((test) => rank(test) >= 0).sort((one, other) => rank(one) - rank(other));
}

/**
 * The order of the tests of a run that has to end: those that start first are others in each run, and those that would start too late
 * are left to later runs.
 *
 * @param imports as for `testsOf` @param long in their own order @param seed of the run
 * @returns `always` is never left; half of the long tests starts early, and the other half last, unless they are few
 */
export function rotationOf(imports, tests, long, seed) {
  const placeOf = (test) => createHash('sha256').update(`${seed} ${test}`).digest('hex');
  const isAlways = (test) => ALWAYS.test(test) || tierOf(imports.get(test)) === 'unit';
  const drawn = tests.filter((test) => !isAlways(test)).sort((one, other) => (placeOf(one) < placeOf(other) ? -1 : 1));
  const always = tests.filter(isAlways);
  const drawnLong = drawn.filter((test) => long.includes(test));
  const early = Math.max(FEW_LONG, Math.ceil(drawnLong.length / 2));
  const last = drawnLong.slice(early).filter((test) => !EARLY.includes(test));
  return { always, tests: [...always, ...drawn], long: long.filter((test) => !last.includes(test)), last };
}

/** @returns the tests that reach a changed file, and those that read all files */
function concerned(imports) {
  const changed = changedFiles();
  if (changed.some((file) => COMMON.test(file))) return testsOf(imports);
  const sought = new Set([...changed, ...(changed.some((file) => LOADED.test(file)) ? LOADERS.map(support) : [])]);
  return testsOf(imports).filter(
    (test) => READERS.includes(test) || [...imports.get(test)].some((file) => sought.has(file)),
  );
}

/** @returns files that differ from the branch `main`, committed or not */
function changedFiles() {
  const [base] = git('merge-base', 'HEAD', 'main');
  return [...git('diff', '--name-only', base), ...git('ls-files', '--others', '--exclude-standard')];
}

function git(...args) {
  const { status, stdout, stderr } = spawnSync('git', args, { cwd: root, encoding: 'utf8' });
  if (status !== 0) throw new Error(`git ${args.join(' ')} failed: ${stderr.trim()}`);
  return stdout.split('\n').filter((line) => line !== '');
}
