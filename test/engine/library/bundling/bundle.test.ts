/** Files in one bundle, compared with each file bundled alone. */
import { execFileSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setImmediate, setTimeout } from 'node:timers/promises';
import test from 'ava';
import { bundle, load } from '../../../../engine/library/bundling/bundle.ts';
import { put } from '../../../../engine/library/bundling/text-folder.ts';
import { Rejection } from '../../../../engine/library/options/rejection.ts';
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

/** Returns whether esbuild's process runs below this process. */
function esbuildRuns(): boolean {
  const children = execFileSync('ps', ['-o', 'args=', '--ppid', String(process.pid)], { encoding: 'utf8' });
  return children.includes('esbuild');
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
