/** The pages that show how to add something: their steps, applied to a copy of the sources, compile and pass. */
import { execFile } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import test, { type ExecutionContext } from 'ava';
import { packagePath } from '../engine/vocabulary/package-path.ts';
import { folder } from './support/ava/folder.ts';
import { WAIT_MS } from './support/ava/patience.ts';
import { applyPage, copySources } from './support/source/page-steps.ts';

const run = promisify(execFile);

const pages = [
  'docs/author/add-a-graph.md',
  'docs/author/add-a-task.md',
  'docs/understand/add-a-command.md',
  'docs/understand/add-a-key.md',
  'docs/understand/add-a-page.md',
  'docs/understand/add-a-route.md',
  'docs/understand/add-data.md',
  'docs/understand/add-a-driver.md',
  'docs/understand/add-an-adapter.md',
];

const page = (path: string): string => readFileSync(packagePath(path), 'utf8');

/** @throws Error with its output if it fails */
async function npx(t: ExecutionContext, cwd: string, name: string, ...args: readonly string[]): Promise<string> {
  // The run of tests that this test is in says which tests it has, and where it was built.
  const { TESTS: _, NODEWRIGHT_TEST_BUILD: __, ...env } = process.env;
  const options = { cwd, env, timeout: 3 * WAIT_MS, maxBuffer: 10_000_000 };
  const ran = run(join(cwd, 'node_modules/.bin', name), args, options);
  const { stdout } = await ran.catch((error: { stdout: string; stderr: string }) => {
    t.fail(`${name} ${args.join(' ')}\n${error.stdout}\n${error.stderr}`);
    return { stdout: '' };
  });
  return stdout;
}

test('what the pages add compiles, and passes its tests and the rules of its kind', async (t) => {
  const own = folder(t);
  copySources(own);
  const files = [...new Set(pages.flatMap((path) => applyPage(own, page(path))))];
  const sources = files.filter((file) => file.endsWith('.ts') && !file.startsWith('api/console/'));
  // Scripts are modules too, by a declaration that nothing imports.
  const scripts = 'engine/hardware/erase/scripts.d.ts';
  const config = { extends: './tsconfig.json', include: [], files: [...sources, scripts] };
  writeFileSync(join(own, 'tsconfig.pages.json'), JSON.stringify(config));
  await npx(t, own, 'tsc', '--singleThreaded', '-p', 'tsconfig.pages.json');
  await npx(t, own, 'tsc', '--singleThreaded', '--noEmit', '-p', 'api/console');
  const tests = files.filter((file) => file.endsWith('.test.ts'));
  t.true(tests.length >= pages.length - 1, 'all but the page of the console have a test');
  const titles = tests
    .filter((file) => !file.endsWith('drivers.test.ts'))
    .flatMap((file) =>
      [...readFileSync(join(own, file), 'utf8').matchAll(/^test\('(.*)'/gm)].map(([, title]) => title),
    );
  const channel = readFileSync(packagePath('test/conformance/channel.ts'), 'utf8');
  const rules = [...channel.matchAll(/^ {2}test\('(.*)'/gm)].map(([, title]) => title);
  const matches = ['rest-obm-service: *', ...titles, ...rules].map((title) => `--match=${title}`);
  const output = await npx(t, own, 'ava', '--tap', ...matches, ...tests);
  const passed = output.split('\n').filter((line) => line.startsWith('ok '));
  for (const part of [
    'locate-node',
    'wait-port',
    'tasks',
    'slow-requests',
    'notes',
    'holder',
    'rest-obm-service',
    'thread-channels',
  ]) {
    t.true(
      passed.some((line) => line.includes(part)),
      `${part}\n${output}`,
    );
  }
});
