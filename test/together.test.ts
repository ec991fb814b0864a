/** `support/ava/together.ts`: files of tests in one process, as programs of `groups.mjs` run them. */
import { execFile } from 'node:child_process';
import { mkdir, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import test, { type ExecutionContext } from 'ava';
import { packagePath } from '../engine/vocabulary/package-path.ts';
import { folder } from './support/ava/folder.ts';
import { lines } from './support/faults/workload.ts';

const { NODEWRIGHT_TEST_BUILD: build = '' } = process.env;
const module = pathToFileURL(join(packagePath(build), 'support/ava/together.js')).href;

/** Writes what happens into a file. */
const HEAD = `import { appendFileSync } from 'node:fs';
import { setTimeout as pause } from 'node:timers/promises';
import test from '${module}';
const note = (text) => appendFileSync(process.env.NOTES, text + '\\n');
`;

/** @param files by their paths @param until when they have to start, in ms; absent: at any time. @returns the results in TAP without their numbers, and what the tests have noted */
async function run(t: ExecutionContext, files: Record<string, string>, until?: number) {
  const home = folder(t);
  const notes = join(home, 'notes');
  await mkdir(join(home, 'test'));
  await symlink(packagePath('node_modules'), join(home, 'node_modules'));
  await writeFile(join(home, 'package.json'), '{ "type": "module" }');
  for (const [name, text] of Object.entries(files)) await writeFile(join(home, `${name}.js`), HEAD + text);
  const imports = Object.keys(files).map((name) => `'api/${name}': () => import('../${name}.js')`);
  const call = until === undefined ? 'together' : 'inRotation';
  const program = `import { ${call} } from '${module}'; await ${call}({ ${imports.join(', ')} }, 60);`;
  await writeFile(join(home, 'test/group.test.js'), program);
  const env = { ...process.env, NOTES: notes, TESTS: undefined, NODEWRIGHT_TEST_STARTS_UNTIL: `${until}` };
  const output = await new Promise<string>((resolve) => {
    execFile('node_modules/.bin/ava', ['--tap'], { cwd: home, env }, (_, stdout) => resolve(stdout));
  });
  const results = output.match(/^(not )?ok \d+ - .*$/gm) ?? [];
  return { results: results.map((line) => line.replace(/ \d+ - /, ' ')), notes: await lines(notes), output };
}

test('the files of a group run one after the other, each between its own hooks', async (t) => {
  const { results, notes } = await run(t, {
    first: `
      test.skip('is skipped', () => {});
      test.before((t) => { t.context.shared = 'of first'; note('first opens'); });
      test.after.always((t) => note('first closes, ' + t.context.shared));
      test('waits', async (t) => { t.teardown(() => note('first ends')); await pause(50); note(t.context.shared); t.pass(); });
      test.serial('begins', (t) => { note('first begins'); t.context.shared = 'changed'; t.pass(); });`,
    second: `
      test.beforeEach((t) => { t.context.own = t.title; });
      test.afterEach.always(() => note('second after each'));
      test.before(() => note('second opens'));
      test('has its title', (t) => { note(t.context.own); t.is(t.context.shared, undefined); });`,
  });
  t.deepEqual(notes, [
    'first opens',
    'first begins',
    'of first',
    'first ends',
    'first closes, of first',
    'second opens',
    '» api › second › has its title',
    'second after each',
  ]);
  t.deepEqual(results.toSorted(), [
    'ok » api › first › begins',
    'ok » api › first › is skipped # SKIP',
    'ok » api › first › waits',
    'ok » api › second › has its title',
  ]);
});

test('a hook that fails fails the tests of its file, and no others', async (t) => {
  const { results, output } = await run(t, {
    broken: `
      test.before(() => { throw new Error('cannot open'); });
      test('passes', (t) => t.pass());
      test.serial('passes alone', (t) => t.pass());`,
    sound: "test('passes', (t) => t.pass());",
  });
  t.deepEqual(results.toSorted(), [
    'not ok » api › broken › passes',
    'not ok » api › broken › passes alone',
    'ok » api › sound › passes',
  ]);
  t.regex(output, /cannot open/);
});

test('a hook that fails after the tests fails the run', async (t) => {
  const { results } = await run(t, {
    broken: "test.after.always(() => { throw new Error('cannot close'); }); test('passes', (t) => t.pass());",
    sound: "test('passes', (t) => t.pass());",
  });
  t.true(results.includes('ok » api › sound › passes'));
  t.true(results.some((line) => line.startsWith('not ok every file has closed')));
});

test('files whose turn comes too late in a run that has to end are left to a later run', async (t) => {
  const files = { first: "test('passes', (t) => t.pass());", second: "test('passes', (t) => t.pass());" };
  const left = await run(t, files, Date.now() + 59_000);
  const title = 'left to a later run # SKIP';
  t.deepEqual(left.results.toSorted(), [`ok » api › first › ${title}`, `ok » api › second › ${title}`]);
  const inTime = await run(t, files, Date.now() + 600_000);
  t.deepEqual(inTime.results.toSorted(), ['ok » api › first › passes', 'ok » api › second › passes']);
});
