/**
 * `node test/run.mjs unit,engine services,system`: runs the tests of each argument, some tiers (`tiers.mjs`), one after
 * the other. The next ones start only if those before have passed. `unit@20` runs them on that version of Node.js
 * (`versions.mjs`), unless it is the running one, and `unit@22,24` on one of these, chosen by the seed; on each without a
 * seed. Such runs follow one another beside the arguments after them, with a low priority: they get the time of the
 * processors while other tests wait. Their failures are repeated after those.
 *
 * A file of tests that fails is run once more, alone. One that passes then is flaky: it is reported, and belongs into
 * `FLAKY.md`. More than a few of them fail the run. Tests with a low priority may get no time for longer than the limits
 * of the product itself allow; so one of them that passes alone has passed, and more of them may fail first. The last line
 * is the number of tests, such as `303 passed, 0 failed`.
 *
 * `--prepared`: only the first tests have what they need. For the next ones the run waits until standard input has a line
 * `prepared`, followed by what the machine lacks (`NODEWRIGHT_TEST_WITHOUT`), and for its end until it has a line `complete`.
 *
 * `--starts-within=680,780`: files that would start later than these seconds after the start, of the first tests and of the last ones, are
 * left to later runs, except those of `tiers.mjs` that never are. The seed of the run gives their order. The run names them, and
 * does not count them.
 *
 * `--coverage` measures the first tests on the running version of Node.js, which take a fifth more time by it: in CI in one
 * of four runs, chosen by the seed. A coverage that is too low is a failure like another, unless files were left to later runs.
 */
import { spawn } from 'node:child_process';
import { createHash, randomInt } from 'node:crypto';
import { once } from 'node:events';
import { existsSync, readFileSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { cpus, setPriority, tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { createInterface } from 'node:readline';
import { drawn } from './drawn.mjs';
import { watchTimes } from './process-times.mjs';
import { RECORDED } from './recorded-results.mjs';
import { folderOf } from './versions.mjs';

const MOST_FLAKY = 5;
/** Files of tests with a low priority: how many may fail and are run once more, and how many run at a time. */
const LOW = { most: 30, atOnce: 3 };
/** ms that `work` takes on the machine for which the limits of `support/ava/patience.ts` were chosen. */
const USUAL_MS = 20;
/** Files of a phase whose times are printed. */
const SHOWN = { costly: 20, last: 6 };
/** ms after its last test in which a process should have ended: one that waits for a timer keeps its place from others. */
const ENDS_IN_MS = 10_000;
/** For the tests on other versions of Node.js; the default is 0. */
const LOW_PRIORITY = 10;

const { CI, NODEWRIGHT_TEST_SEED, PATH } = process.env;
/** CI looks for values that no run has tried yet. */
const seed = NODEWRIGHT_TEST_SEED ?? (CI === 'true' ? String(randomInt(2 ** 31)) : undefined);

function work() {
  const from = performance.now();
  for (let n = 0; n < 25; n += 1)
    createHash('sha256')
      .update(Buffer.alloc(1 << 20))
      .digest();
  return performance.now() - from;
}

const slowness = (Math.min(work(), work(), work()) / USUAL_MS).toFixed(2);

/** Running ones. */
const children = new Set();

/** @returns the program's exit code */
async function program(file, args, { env = {}, output = 'inherit', priority = 0 } = {}) {
  const child = spawn(file, args, { env: { ...process.env, ...env }, stdio: ['ignore', output, 'inherit'] });
  // Before it starts processes, which inherit it.
  if (priority !== 0 && child.pid !== undefined) setPriority(child.pid, priority);
  children.add(child);
  const exited = once(child, 'exit');
  const found = output === 'pipe' ? await read(child.stdout) : {};
  const [code] = await exited;
  children.delete(child);
  return { ...found, code: code ?? 1 };
}

/** Before the path of a file that shares a process, AVA writes the one of the first file of its group. */
const OF_GROUP = /(?<= - )\S.* » (?=\S)/;

/** The line about a file that was left to a later run (`support/ava/together.ts`). */
const LEFT = /^ok \d+ - (?:\S.* )?» (\S.*) › left to a later run # SKIP/;
/** Their names. */
const leftFiles = [];

/** By name of a file, or of the first one of its group: when a line about its last test came, in ms. */
const lastLines = new Map();

/** Prints the lines of TAP, and counts the tests. */
async function read(stdout) {
  const found = { pass: 0, fail: 0, skip: 0, failed: [] };
  let leftHere = 0;
  for await (const line of createInterface({ input: stdout })) {
    const [, path] = LEFT.exec(line) ?? [];
    if (path !== undefined) {
      leftHere += 1;
      leftFiles.push(path.replaceAll(' › ', '/'));
      continue;
    }
    const [, count, number] = /^# (pass|fail|skip) (\d+)$/.exec(line) ?? [];
    if (count !== undefined) found[count] = Number(number);
    else console.log(line.replace(OF_GROUP, ''));
    const [, isFailure, title] = /^(not )?ok \d+ - (.*)$/.exec(line) ?? [];
    if (title === undefined) continue;
    if (isFailure) found.failed.push(title);
    const file = fileOf(title.split(' » ')[0]);
    if (file !== undefined) lastLines.set(nameOf(file), Date.now());
  }
  found.skip -= leftHere;
  return found;
}

const ava = (args, { env, priority }) =>
  program('node_modules/.bin/ava', ['--tap', ...args], {
    env: { NODEWRIGHT_TEST_SLOWNESS: slowness, ...env },
    output: 'pipe',
    priority,
  });

/** @returns the files of a failure: that of a test, or all of a process which ended, or whose hook failed */
function filesOf(title, groups) {
  const [first, own] = title.split(' » ');
  const file = fileOf(own ?? first);
  return (own === undefined && groups.find(([leader]) => leader === file)) || [file];
}

/** @returns the file with which a title begins, or the one of a process which ended */
function fileOf(title) {
  const [process] = /^\S+\.test\.[jt]s(?= exited )/.exec(title) ?? [];
  if (process !== undefined) return process;
  const names = title.split(' › ');
  const paths = names.map((_, length) => ['test', ...names.slice(0, length)].join('/'));
  return paths.flatMap((path) => [`${path}.test.ts`, `${path}.test.js`]).find((file) => existsSync(file));
}

/** @returns whether it is the error that ended a process, which AVA prints without its file */
const isError = (title) => !title.includes(' › ') && fileOf(title) === undefined;

const secondsSeen = watchTimes();
const total = { pass: 0, fail: 0, skip: 0 };
const flaky = [];
/** By running phase: the environment of its tests. */
const running = new Map();
process.once('SIGTERM', interrupt);
process.once('SIGINT', interrupt);
/** Failures that were repeated; the end of a process is one, of all its files. */
let repeated = 0;
const failures = [];

/** @returns whether the tests pass, at the latest when they run alone */
async function passes(tests, { env, priority, whenAlone, startsUntil }) {
  const ofRun = {
    ...(seed !== undefined && { NODEWRIGHT_TEST_SEED: seed }),
    ...(startsUntil !== undefined && { NODEWRIGHT_TEST_STARTS_UNTIL: startsUntil }),
  };
  const isLow = whenAlone !== undefined;
  const options = isLow ? [`--concurrency=${LOW.atOnce}`] : [];
  const { pass, fail, skip, failed, code } = await ava(options, { env: { TESTS: tests, ...ofRun, ...env }, priority });
  total.pass += pass;
  total.skip += skip;
  if (code === 0) return true;
  const groups = groupsIn(env);
  const lists = failed.filter((title) => !isError(title)).map((title) => filesOf(title, groups));
  const files = new Set(lists.flat());
  const causes = new Set(lists.map(([file]) => file)).size;
  const most = isLow ? LOW.most : MOST_FLAKY - repeated;
  if (files.size === 0 || files.has(undefined) || causes > most) {
    total.fail += Math.max(1, fail);
    failures.push(...failed);
    return false;
  }
  if (!isLow) repeated += causes;
  let left = 0;
  await whenAlone;
  for (const file of files) {
    console.log(`# once more, alone: ${file}`);
    // With the seed of every other run: chance does not decide whether a change is good.
    const again = await ava([file], { env });
    if (again.code === 0) {
      if (!isLow) flaky.push(file);
    } else {
      left += Math.max(1, again.fail);
      failures.push(...again.failed.map((title) => `${file}: ${title}`));
    }
  }
  total.pass += Math.max(0, fail - left);
  total.fail += left;
  return left === 0;
}

/** @returns the environment of tests on a version of Node.js; undefined: they do not run on it */
function environmentOf(major) {
  const [running] = process.versions.node.split('.');
  if (major === undefined) return {};
  if (major === running) return undefined;
  const folder = folderOf(major);
  if (folder !== undefined) return { PATH: `${folder}${delimiter}${PATH}`, NODEWRIGHT_TEST_OTHER_NODE: major };
  console.log(`# Node.js ${major} is not installed: node test/versions.mjs`);
  const { NODEWRIGHT_TEST_WITHOUT: without = '' } = process.env;
  if (CI !== 'true' || without.split(',').includes('versions')) return undefined;
  throw new Error(`found no Node.js ${major}; CI expects it`);
}

/** @returns whether the tests of a phase pass; prints how long they took, and which files took the most */
async function runs(phase, how) {
  const [tests, major] = phase.split('@');
  if (major !== undefined) console.log(`# on Node.js ${major}`);
  const from = performance.now();
  const idle = idleMs();
  const home = await mkdtemp(join(tmpdir(), 'nodewright-times-'));
  const env = { ...how.env, NODEWRIGHT_TEST_TIMES: join(home, 'times'), NODEWRIGHT_TEST_GROUPS: join(home, 'groups') };
  running.set(phase, env);
  const isPassed = await passes(tests, { ...how, env });
  running.delete(phase);
  const ms = performance.now() - from;
  const idlePercent = Math.round((100 * (idleMs() - idle)) / (ms * cpus().length));
  console.log(`# ${phase}: ${Math.round(ms / 1_000)} s, the processors idle for ${idlePercent} % of it`);
  const times = timesIn(env);
  if (times.length > 0) printTimes(phase, times, groupsIn(env));
  await rm(home, { recursive: true, force: true });
  return isPassed;
}

/** @returns the lists of files that share a process: none in a project whose configuration does not write them */
const groupsIn = ({ NODEWRIGHT_TEST_GROUPS: file }) => (existsSync(file) ? JSON.parse(readFileSync(file, 'utf8')) : []);

/** @returns the processes of tests that have ended */
function timesIn({ NODEWRIGHT_TEST_TIMES: list }) {
  if (!existsSync(list)) return [];
  const lines = readFileSync(list, 'utf8').trim().split('\n');
  return lines
    .map((line) => JSON.parse(line))
    .map((line) => ({ ...line, cpu: Math.max(line.cpu, secondsSeen(line.pid)) }));
}

/** Ends a run that takes too long, or that its user interrupts: prints which groups of files have not ended. */
function interrupt() {
  for (const child of children) child.kill('SIGTERM');
  for (const [phase, env] of running) {
    const ended = timesIn(env).map(({ file }) => nameOf(file));
    const groups = groupsIn(env);
    const left = groups.filter(([leader]) => !ended.includes(nameOf(leader)));
    const after = `${Math.round(process.uptime())} s`;
    console.log(`# interrupted after ${after}; ${left.length} of ${groups.length} groups of ${phase} had not ended:`);
    for (const group of left) console.log(`#   ${group.map(nameOf).join(', ')}`);
  }
  console.log(`${total.pass} passed, ${total.fail + 1} failed`);
  process.exit(1);
}

/** @returns such as `api/login` */
const nameOf = (file) => /^(?:.*\/)?(?:test|groups-[0-9a-f]{16})\/(.*)\.test\.[jt]s$/.exec(file)?.[1] ?? file;

/** @returns how long the processors have been idle since the start of the machine, in ms of one of them */
const idleMs = () => cpus().reduce((sum, { times }) => sum + times.idle, 0);

/** Prints the processes that took the most CPU time, and those that ended last: a processor may have been idle beside them. */
function printTimes(phase, times, groups) {
  const end = Math.max(...times.map(({ end }) => end));
  const sum = times.reduce((all, { cpu }) => all + cpu, 0);
  console.log(
    `# ${phase}: ${times.length} processes, ${Math.round(sum)} s of CPU time; seconds of CPU time, of real time, until the end:`,
  );
  const costly = times.toSorted((one, other) => other.cpu - one.cpu).slice(0, SHOWN.costly);
  const last = times.toSorted((one, other) => other.end - one.end).slice(0, SHOWN.last);
  for (const { file, cpu, wall, end: own } of new Set([...costly, ...last])) {
    const name = nameOf(file);
    const others = (groups.find(([leader]) => leader === `test/${name}.test.ts`)?.length ?? 1) - 1;
    const numbers = [cpu, wall, (end - own) / 1_000].map((value) => String(Math.round(value)).padStart(5)).join('');
    console.log(`# ${numbers}  ${name}${others > 0 ? ` and ${others} others` : ''}`);
  }
  for (const { file, end: own } of times) {
    const name = nameOf(file);
    const lateMs = own - (lastLines.get(name) ?? own);
    // Lines of a file that runs alone, as it does once more, do not have its name.
    lastLines.delete(name);
    if (lateMs > ENDS_IN_MS) console.log(`# ended ${Math.round(lateMs / 1_000)} s after its last test: ${name}`);
  }
}

/** @returns of `unit@22,24` the one that the seed chooses */
function onVersions(phase) {
  const [tests, versions] = phase.split('@');
  if (versions === undefined) return [phase];
  const each = versions.split(',');
  return drawn(each, 1 / each.length, seed).map((major) => `${tests}@${major}`);
}

/** Resolves with the rest of the next line of standard input; undefined: it is another one, or there is none. */
async function said(word) {
  const { value = '' } = (await preparation?.next()) ?? { value: word };
  const [first, rest = ''] = value.split(' ');
  if (first === word) return rest;
  total.fail += 1;
  failures.push(`the preparation ended without the line '${word}', see above`);
  return undefined;
}

const args = process.argv.slice(2);
const preparation = args.includes('--prepared')
  ? createInterface({ input: process.stdin })[Symbol.asyncIterator]()
  : undefined;
const [, startsWithin] = args.find((arg) => arg.startsWith('--starts-within='))?.split('=') ?? [];
/** Times in ms since 1970, as text: one for the first tests, and one for the last ones. */
const startsUntil = startsWithin?.split(',').map((seconds) => String(Date.now() + Number(seconds) * 1_000));
const phases = args.filter((arg) => !arg.startsWith('--')).flatMap(onVersions);
let isMeasured = args.includes('--coverage') && drawn([true, false, false, false], 1 / 4, seed)[0];
if (isMeasured) await rm(RECORDED, { recursive: true, force: true });
/** The runs on other versions. */
let beside = Promise.resolve();
const othersEnded = {};
othersEnded.promise = new Promise((resolve) => {
  othersEnded.resolve = resolve;
});
if (seed !== undefined) console.log(`# seed of the properties: NODEWRIGHT_TEST_SEED=${seed}`);
for (const [at, phase] of phases.entries()) {
  const [, major] = phase.split('@');
  if (at === 1) {
    const without = await said('prepared');
    if (without === undefined) break;
    if (preparation !== undefined) console.log(`# prepared ${Math.round(process.uptime())} s after the start`);
    if (without !== '') process.env.NODEWRIGHT_TEST_WITHOUT = without;
  }
  const env = environmentOf(major);
  if (env === undefined) continue;
  if (major !== undefined) {
    const how = { env, priority: LOW_PRIORITY, whenAlone: othersEnded.promise };
    beside = beside.then(() => total.fail === 0 && runs(phase, how));
    continue;
  }
  const covered = at === 0 && isMeasured ? { NODEWRIGHT_COVERAGE: RECORDED } : {};
  if (!(await runs(phase, { env: covered, startsUntil: startsUntil?.at(at === 0 ? 0 : -1) }))) break;
  if (at === 0 && leftFiles.length > 0) isMeasured = false;
}
othersEnded.resolve();
await beside;
if (isMeasured && total.fail === 0 && (await program('node', ['test/coverage.mjs'])).code !== 0) {
  total.fail += 1;
  failures.push('test/coverage.mjs: too few lines of engine/ are reached, see above');
}
if (total.fail === 0) await said('complete');
if (leftFiles.length > 0) {
  console.log(
    `# left to later runs, because this one has to end: ${leftFiles.length} files of tests: ${leftFiles.join(', ')}`,
  );
}
for (const failure of failures) console.log(`# failed: ${failure}`);
for (const file of flaky) {
  console.log(
    `# flaky: ${file} failed and passed alone: give test/FLAKY.md its date and its cause${seed ? ` (seed ${seed})` : ''}`,
  );
}
console.log(`${total.pass} passed, ${total.fail} failed${total.skip > 0 ? `, ${total.skip} skipped` : ''}`);
// Whether what prepares the machine has ended or not.
process.exit(total.fail === 0 && total.pass > 0 ? 0 : 1);
