/** Files in one bundle, compared with each file bundled alone. */
import { execFileSync } from 'node:child_process';
import { mkdirSync, readdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setImmediate, setTimeout } from 'node:timers/promises';
import test from 'ava';
import { bundle, load } from '../../../../engine/library/bundling/bundle.ts';
import { put, textsIn } from '../../../../engine/library/bundling/text-folder.ts';
import { Rejection } from '../../../../engine/library/options/rejection.ts';
import { packagePath } from '../../../../engine/vocabulary/package-path.ts';
import { folder } from '../../../support/ava/folder.ts';

test('files of one bundle have the same text, inputs and map as each file alone', async (t) => {
  const at = folder(t);
  const names = ['one.ts', 'two.ts', 'three.ts'].map((name) => join(at, name));
  const shared = join(at, 'shared.ts');
  writeFileSync(shared, 'export const shared = 1;\nexport const unused = 2;\n');
  for (const [n, name] of names.entries()) {
    const uses =
      n < 2 ? `import { shared } from './shared.ts';\nexport default { n: ${n}, shared };` : 'export default 3;';
    writeFileSync(name, `${uses}\n`);
  }
  const together = await Promise.all(names.map((name) => bundle(name)));
  for (const [n, name] of names.entries()) {
    const { map, since, ...alone } = await bundle(name);
    t.true(since !== undefined);
    t.like(together[n], alone);
    t.is(JSON.parse(together[n]?.map ?? '').mappings, JSON.parse(map).mappings);
  }
  t.deepEqual(
    together.map(({ inputs }) => inputs.includes(shared)),
    [true, true, false],
  );
});

test('a file that cannot be built is rejected with its location, and the other files of the bundle are not', async (t) => {
  const at = folder(t);
  const [good, broken, other] = ['good.ts', 'broken.ts', 'other.ts'].map((name) => join(at, name)) as [
    string,
    string,
    string,
  ];
  writeFileSync(good, 'export default 1;\n');
  writeFileSync(broken, 'export default 1;\nexport {{;\n');
  writeFileSync(other, 'export default 2;\n');
  const [first, second, third] = await Promise.allSettled([good, broken, other].map((file) => bundle(file)));
  t.is(first?.status, 'fulfilled');
  t.is(third?.status, 'fulfilled');
  if (second?.status !== 'rejected') return t.fail('it was built');
  t.true(second.reason instanceof Rejection);
  t.true(String(second.reason.message).includes(`${broken}:2`));
});

test('a shell script is imported as a text, and a change of it is a new version', async (t) => {
  const at = folder(t);
  const [file, script] = [join(at, 'task.ts'), join(at, 'job.sh')];
  writeFileSync(file, "import job from './job.sh';\nexport default job;\n");
  writeFileSync(script, 'echo "$1" \\n `x`\n');
  const first = await bundle(file);
  t.true(first.inputs.includes(script));
  t.is(await load(first, join(at, 'cache')), 'echo "$1" \\n `x`\n');
  writeFileSync(script, 'true\n');
  t.not((await bundle(file)).hash, first.hash);
});

test('a text that is put again is whole at every moment, for those that import it in the meantime', async (t) => {
  const at = folder(t);
  const made = { text: `export default '${'x'.repeat(1_000_000)}';\n`, hash: 'text' };
  const file = await put(made, at);
  let putting = true;
  const again = Promise.all(Array.from({ length: 50 }, () => put(made, at))).finally(() => {
    putting = false;
  });
  const lengths = new Set<number>();
  for (; putting; await setImmediate()) lengths.add(readFileSync(file).length);
  await again;
  t.deepEqual([...lengths], [made.text.length]);
});

/** Imports a file after the state of a socket was read: Node.js 20 then resolves no links. */
const afterSocket = `
  import { once } from 'node:events';
  import { statSync } from 'node:fs';
  import { createServer } from 'node:net';
  const [, file, socket] = process.argv;
  const server = createServer().listen(socket);
  await once(server, 'listening');
  statSync(socket);
  const { default: all } = await import(file);
  console.log(JSON.stringify(all));
  server.close();
`;

test('a text gets packages of the build, whatever the process looked at before, and from a link of an earlier version', async (t) => {
  const at = folder(t);
  const text =
    "import Type, { String as one } from 'typebox'; import { Value } from 'typebox/value';\n" +
    'export default [Type.String === one, Value.Check(Type.String(), 1)];\n';
  mkdirSync(textsIn(at));
  symlinkSync(packagePath('dist/packages'), join(textsIn(at), 'node_modules'));
  const file = await put({ text, hash: 'text' }, at);
  const args = ['--input-type=module', '--eval', afterSocket, file, join(at, 'socket')];
  t.is(execFileSync(process.execPath, args, { encoding: 'utf8' }), '[true,false]\n');
});

/** Returns whether esbuild's process runs below this process. */
function esbuildRuns(): boolean {
  const tasks = `/proc/${process.pid}/task`;
  const children = readdirSync(tasks).flatMap((task) => textIfThere(join(tasks, task, 'children')).split(' '));
  return children.some((pid) => textIfThere(`/proc/${pid}/cmdline`).includes('esbuild'));
}

/** A process may have ended. */
function textIfThere(path: string): string {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    return '';
  }
}

test.serial("esbuild's process ends after the last file, and the next file is bundled by a new one", async (t) => {
  const file = join(folder(t), 'one.ts');
  writeFileSync(file, 'export default 1;\n');
  const { text } = await bundle(file);
  t.true(esbuildRuns());
  // The end of another process's child can only be polled; the timeout of the test ends the wait.
  while (esbuildRuns()) await setTimeout(50);
  t.is((await bundle(file)).text, text);
});
