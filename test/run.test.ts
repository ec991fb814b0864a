/** `test/run.mjs`, on a small project of its own. */
import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { mkdir, symlink, writeFile } from 'node:fs/promises';
import { getPriority } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { setTimeout as pause } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import test, { type ExecutionContext } from 'ava';
import { watchTimes } from './process-times.mjs';
import { folder } from './support/ava/folder.ts';
import { WAIT_MS } from './support/ava/patience.ts';
import { folderOf, VERSIONS } from './versions.mjs';

const root = fileURLToPath(new URL('../', import.meta.url));

const SAMPLE_MS = 50;
const ENOUGH_SECONDS = 0.3;
const PASSES = "test('passes', (t) => t.pass());";
const FAILS = "test('fails', (t) => t.fail());";
/** Passes if an earlier run has left its file. */
const FLAKY = (file: string) =>
  `test('is flaky', (t) => { const was = existsSync('${file}'); writeFileSync('${file}', ''); t.true(was); });`;
const DRAWS = "test('draws', (t) => { t.log('drawn', fc.sample(fc.integer(), 1)[0]); t.pass(); });";
const HANGS = "test('hangs', () => new Promise(() => { setInterval(() => {}, 1_000); }));";
const CRASHES =
  "test('crashes', () => { setImmediate(() => { throw new Error('late'); }); return new Promise(() => {}); });";

/** @param tests by the name of their file @param groups lists of files that the configuration says share a process */
async function run(
  t: ExecutionContext,
  tests: Record<string, string>,
  env: NodeJS.ProcessEnv = {},
  phases: readonly string[] = ['all'],
  input = '',
  groups: readonly (readonly string[])[] = [],
  heard: (line: string, child: ChildProcess) => void = () => {},
) {
  const home = folder(t);
  await mkdir(join(home, 'test/deep'), { recursive: true });
  await symlink(join(root, 'node_modules'), join(home, 'node_modules'));
  await writeFile(join(home, 'package.json'), '{ "type": "module" }');
  // Loading fast-check takes longer than most of these runs.
  const draws = Object.values(tests).some((text) => text.includes('fc.'));
  const options = {
    files: ['test/**/*.test.js'],
    require: draws ? [join(root, 'test/properties.mjs')] : [],
    timeout: `${WAIT_MS}ms`,
  };
  const groupsFile = `writeFileSync(process.env.NODEWRIGHT_TEST_GROUPS, '${JSON.stringify(groups)}');`;
  const config = `import { writeFileSync } from 'node:fs';\n${groupsFile}\nexport default ${JSON.stringify(options)};`;
  await writeFile(join(home, 'ava.config.mjs'), config);
  const imports =
    "import { existsSync, writeFileSync } from 'node:fs'; import { getPriority } from 'node:os'; import test from 'ava';" +
    (draws ? "import fc from 'fast-check';" : '');
  for (const [name, text] of Object.entries(tests)) {
    await writeFile(join(home, `test/${name}.test.js`), `${imports}\n${text}`);
  }
  const own = {
    ...process.env,
    CI: undefined,
    NODEWRIGHT_TEST_SEED: undefined,
    NODEWRIGHT_TEST_WITHOUT: undefined,
    ...env,
  };
  return new Promise<{ code: number; lines: string[] }>((resolve) => {
    const child = execFile('node', [join(root, 'test/run.mjs'), ...phases], { cwd: home, env: own }, (_, stdout) => {
      resolve({ code: child.exitCode ?? -1, lines: stdout.trim().split('\n') });
    });
    if (child.stdout) createInterface({ input: child.stdout }).on('line', (line) => heard(line, child));
    child.stdin?.end(input);
  });
}

test('a file that fails once and then passes alone is reported as flaky, and its tests as passed', async (t) => {
  const { code, lines } = await run(t, { a: PASSES, 'deep/b': PASSES + FLAKY('one'), c: FLAKY('two') });
  t.is(lines.at(-1), '4 passed, 0 failed');
  t.deepEqual(
    lines
      .filter((line) => line.startsWith('# flaky'))
      .map((line) => line.split(' ')[2])
      .sort(),
    ['test/c.test.js', 'test/deep/b.test.js'],
  );
  t.is(code, 0);
});

test('a file that fails twice fails the run, and is named again at its end', async (t) => {
  const { code, lines } = await run(t, { a: PASSES, b: PASSES + FAILS });
  t.deepEqual(lines.slice(-2), ['# failed: test/b.test.js: fails', '2 passed, 1 failed']);
  t.is(code, 1);
});

test('a file whose process ends is run once more', async (t) => {
  const { code, lines } = await run(t, { a: PASSES, b: CRASHES });
  t.true(lines.includes('# once more, alone: test/b.test.js'));
  t.is(code, 1);
});

test('a failure of one of the files that share a process is of its file, and the end of the process is of all', async (t) => {
  const one = await run(t, { a: "test('» deep › b › fails', (t) => t.fail());", 'deep/b': PASSES });
  const repeated = ({ lines }: { lines: string[] }) => lines.filter((line) => line.startsWith('# once more, alone'));
  t.deepEqual(repeated(one), ['# once more, alone: test/deep/b.test.js']);
  t.true(one.lines.some((line) => /^not ok \d+ - deep › b › fails$/.test(line)));
  const group = ['test/a.test.js', 'test/deep/b.test.js'];
  const all = await run(t, { a: CRASHES, 'deep/b': PASSES }, {}, ['all'], '', [group]);
  t.deepEqual(
    repeated(all),
    group.map((file) => `# once more, alone: ${file}`),
  );
});

test('a run that is ended names the files that have not ended, and fails', async (t) => {
  const groups = [['test/a.test.js'], ['test/b.test.js', 'test/deep/c.test.js']];
  const { code, lines } = await run(t, { a: PASSES, b: HANGS }, {}, ['all'], '', groups, (line, child) => {
    if (/^ok \d+ - a › passes/.test(line)) child.kill('SIGTERM');
  });
  const at = lines.findIndex((line) => /^# interrupted after \d+ s; \d of 2 groups of all had not ended:$/.test(line));
  t.true(lines.slice(at).includes('#   b, deep/c'), lines.join('\n'));
  t.is(lines.at(-1), '0 passed, 1 failed');
  t.is(code, 1);
});

test('files that are left to later runs are named, and are not counted as skipped', async (t) => {
  const left = "test.skip('» deep › b › left to a later run', () => {}); test.skip('needs a server', () => {});";
  const { code, lines } = await run(t, { a: PASSES, 'deep/b': left });
  const [named, last] = lines.slice(-2);
  t.is(named, '# left to later runs, because this one has to end: 1 files of tests: deep/b');
  t.is(last, '1 passed, 0 failed, 1 skipped');
  t.is(code, 0);
});

test('more than five files that fail are not run once more', async (t) => {
  const six = Object.fromEntries(['a', 'b', 'c', 'd', 'e', 'f'].map((name) => [name, FLAKY(name)]));
  const { code, lines } = await run(t, { ...six, g: PASSES });
  t.is(lines.at(-1), '1 passed, 6 failed');
  t.is(code, 1);
});

test('properties draw the same values in each run, and new ones in CI, whose seed is printed', async (t) => {
  const drawn = ({ lines }: { lines: string[] }) => lines.filter((line) => line.includes('drawn'));
  const seeds = ({ lines }: { lines: string[] }) => lines.filter((line) => /NODEWRIGHT_TEST_SEED=\d+$/.test(line));
  const [one, other] = await Promise.all([run(t, { a: DRAWS }), run(t, { a: DRAWS })]);
  t.is(drawn(one).length, 1);
  t.deepEqual(drawn(one), drawn(other));
  t.deepEqual(seeds(one), []);
  const inCi = await run(t, { a: DRAWS }, { CI: 'true' });
  t.is(seeds(inCi).length, 1);
  t.notDeepEqual(drawn(one), drawn(inCi));
});

test('tests on another version run with a low priority beside the next ones, and fail the run', async (t) => {
  const [own] = process.versions.node.split('.');
  const other = Object.keys(VERSIONS).find((major) => major !== own && folderOf(major) !== undefined);
  if (other === undefined) return t.pass('no other version is installed');
  const tells = `test('passes on ${own}', (t) => {
    const [major] = process.versions.node.split('.');
    t.log('told', major, getPriority());
    t.is(major, '${own}');
  });`;
  const { code, lines } = await run(t, { a: tells }, {}, [`all@${other}`, 'all']);
  const told = new Set(lines.flatMap((line) => /told (\d+ -?\d+)/.exec(line)?.[1] ?? []));
  t.deepEqual([...told].sort(), [`${other} 10`, `${own} ${getPriority()}`].sort());
  t.is(lines.at(-1), '1 passed, 1 failed');
  t.is(code, 1);
});

test('of several versions a run with a seed tries one, and another run all', async (t) => {
  const sought = async (env: NodeJS.ProcessEnv) => {
    const { lines } = await run(t, { a: PASSES }, env, ['unit@98,99', 'unit']);
    return lines.flatMap((line) => /^# Node\.js (\d+) is not installed/.exec(line)?.[1] ?? []);
  };
  t.deepEqual(await sought({ NODEWRIGHT_TEST_SEED: '0' }), ['99']);
  t.deepEqual(await sought({}), ['98', '99']);
});

test('files with a low priority that fail and pass alone have passed, also if they are many', async (t) => {
  const [own] = process.versions.node.split('.');
  const other = Object.keys(VERSIONS).find((major) => major !== own && folderOf(major) !== undefined);
  if (other === undefined) return t.pass('no other version is installed');
  const files = folder(t);
  const names = ['a', 'b', 'c', 'd'];
  const tests = Object.fromEntries(names.map((name) => [name, FLAKY(join(files, name))]));
  const { code, lines } = await run(t, tests, {}, [`all@${other}`]);
  t.is(lines.filter((line) => line.startsWith('# once more, alone')).length, names.length);
  t.false(lines.some((line) => line.startsWith('# flaky')));
  t.is(lines.at(-1), '4 passed, 0 failed');
  t.is(code, 0);
});

const TELLS = "test('tells', (t) => { t.log('without', process.env.NODEWRIGHT_TEST_WITHOUT ?? ''); t.pass(); });";

test('a run beside its preparation takes what the machine lacks from it for the next phases, and fails without its end', async (t) => {
  const phases = ['--prepared', 'all', 'all'];
  const ended = await run(t, { a: TELLS }, {}, phases, 'prepared docker,network\ncomplete\n');
  const told = ended.lines.flatMap((line) => /without.*/.exec(line)?.[0].trim() ?? []);
  t.deepEqual(told, ['without', 'without docker,network']);
  t.is(ended.code, 0);
  for (const input of ['', 'prepared \n']) {
    const { code, lines } = await run(t, { a: PASSES }, {}, phases, input);
    t.regex(lines.at(-2) ?? '', /^# failed: the preparation ended without the line/);
    t.is(code, 1);
  }
});

test('the time of a process that no parent waits for belongs to the test that started it', async (t) => {
  // In the places of AVA, of a test, which ends, and of what it leaves.
  const burns = `exec ${process.execPath} -e 'for (;;);'`;
  const test = `sh -c "${burns}" & echo burns $!; sleep 1`;
  const ava = spawn('sh', ['-c', 'sh -c "$0" & echo test $!; wait; exec sleep 60', test]);
  const pids = new Map<string, number>();
  t.teardown(() => {
    ava.kill('SIGKILL');
    process.kill(pids.get('burns') as number, 'SIGKILL');
  });
  const secondsSeen = watchTimes(SAMPLE_MS);
  for await (const line of createInterface({ input: ava.stdout })) {
    const [name = '', pid] = line.split(' ');
    pids.set(name, Number(pid));
    if (pids.size === 2) break;
  }
  const late = Date.now() + WAIT_MS;
  while (secondsSeen(pids.get('test') as number) < ENOUGH_SECONDS && Date.now() < late) await pause(SAMPLE_MS);
  t.true(secondsSeen(pids.get('test') as number) >= ENOUGH_SECONDS);
  t.is(secondsSeen(ava.pid as number), 0);
});
