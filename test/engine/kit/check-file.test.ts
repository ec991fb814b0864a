/** The findings about files: lines of errors in code and in JSON, names by paths. */
import { mkdirSync, writeFileSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import test, { type ExecutionContext } from 'ava';
import { checkFile, checkGraphFiles } from '../../../engine/kit/check-file.ts';
import { lineOfPlace } from '../../../engine/kit/lines.ts';
import { definitionFiles } from '../../../engine/library/bundling/watch.ts';
import { packagePath } from '../../../engine/vocabulary/package-path.ts';
import { folder } from '../../support/ava/folder.ts';

function written(t: ExecutionContext, path: string, text: string): string {
  const file = join(folder(t), path);
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(file, text);
  return file;
}

const machine = (states: string) => `import { createMachine } from 'xstate';
export const machine = createMachine({
  initial: 'a',
  states: {
${states}
  },
});
`;

test('an included graph is fine', async (t) => {
  const { ok, name, errors, warnings, explored } = await checkFile(packagePath('graphs/demo-install-os.ts'));
  t.deepEqual([ok, name, errors, warnings], [true, 'Graph.Demo.InstallOs', [], []]);
  t.true((explored?.ends ?? 0) > 1);
});

test('drawn machines have their warnings, and the names of their paths', async (t) => {
  const { ok, name, warnings } = await checkFile(packagePath('fixtures/drawn/burn-in.ts'));
  t.deepEqual([ok, name], [true, 'Graph.BurnIn']);
  t.deepEqual([...new Set(warnings.map(({ code }) => code))].sort(), [
    'ACTION_IS_STUB',
    'EVENT_NEVER_SENT',
    'GUARD_IS_STUB',
    'NEVER_REACHED',
  ]);
  const file = written(
    t,
    'graphs/site/burn-in.js',
    machine(`    a: { invoke: { src: 'Task.noop', onDone: 'z' } },\n    z: { type: 'final' },`),
  );
  t.like(await checkFile(file), { ok: true, name: 'Graph.Site.BurnIn', warnings: [] });
});

test('a name of an included graph, or of another file, is rejected', async (t) => {
  const text = (id: string) =>
    `import { createMachine } from 'xstate';\nexport default createMachine({ id: '${id}', initial: 'a', states: { a: { invoke: { src: 'Task.noop', onDone: 'z' } }, z: { type: 'final' } } });`;
  const names = ['Graph.noop-example', 'Graph.Twice', 'Graph.Twice'];
  const files = names.map((name, at) => written(t, `graphs/${at}.ts`, text(name)));
  const all = await checkGraphFiles([packagePath('graphs/noop-example.ts'), ...files]);
  t.deepEqual(
    all.map(({ ok }) => ok),
    [true, false, true, false],
  );
  t.regex(all[1]?.errors[0]?.message ?? '', /found Graph\.noop-example, which .*noop-example\.ts already defines/);
  t.regex(
    all[3]?.errors[0]?.message ?? '',
    /found Graph\.Twice, which .*1\.ts already defines; expected an unused name/,
  );
});

test('each error in code has its line', async (t) => {
  const file = written(
    t,
    'graphs/bad.js',
    machine(`    a: {
      entry: () => console.log(1),
      invoke: { src: 'one', onDone: 'b c' },
    },
    'b c': {
      invoke: { src: 'two', onDone: 'z' },
    },
    z: { type: 'final' },`),
  );
  const { ok, errors } = await checkFile(file);
  t.false(ok);
  t.deepEqual(
    errors.map(({ line, message }) => [line, /'one'|'two'|custom function/.exec(message)?.[0]]),
    [
      [5, 'custom function'],
      [7, "'one'"],
      [10, "'two'"],
    ],
  );
});

test('a file that cannot be read has the line of the reason', async (t) => {
  const broken = await checkFile(written(t, 'graphs/broken.ts', `export default {\n  a: ,\n};\n`));
  t.is(broken.errors[0]?.line, 2);
  const throws = await checkFile(written(t, 'graphs/throws.ts', `\n\nthrow new Error('not now');\n`));
  t.is(throws.errors[0]?.line, 3);
  const target = machine(`    a: { initial: 'b', states: {\n      b: { invoke: { src: 'x', onDone: 'nowhere' } } } },`);
  t.is((await checkFile(written(t, 'graphs/target.js', target))).errors[0]?.line, 6);
  const json = await checkFile(written(t, 'graphs/broken.json', `{\n  "tasks": [\n  }\n`));
  t.is(json.errors[0]?.line, 3);
  await t.throwsAsync(checkFile(join(folder(t), 'none.ts')), { message: /no file .*none\.ts/ });
});

test('a file of another kind of module in a folder of graphs is rejected; one that others import is not', async (t) => {
  const at = dirname(written(t, 'a.cjs', ''));
  for (const name of ['b.tsx', 'c.mts', '_d.cjs', 'e.d.cts', 'f.test.tsx', 'README.md'])
    writeFileSync(join(at, name), '');
  const files = await definitionFiles(at);
  t.deepEqual(
    files.map((file) => basename(file)),
    ['a.cjs', 'b.tsx', 'c.mts'],
  );
  const [first] = (await checkFile(files[0] ?? '')).errors;
  t.regex(first?.message ?? '', /found the extension \.cjs of .*a\.cjs; expected \.ts, .*named _a\.cjs/);
});

test('each error in JSON has its line', async (t) => {
  const list = {
    friendlyName: 'x',
    injectableName: 'Graph.Listed',
    tasks: [
      { label: 'a', taskName: 'Task.noop', waitOn: { b: 'done' } },
      { label: 'b', taskName: 'Task.None' },
    ],
  };
  const { errors } = await checkFile(written(t, 'graphs/listed.json', JSON.stringify(list, null, 2)));
  t.deepEqual(errors.map(({ path, line }) => [path, line]).sort(), [
    ['tasks.0.waitOn.b', 9],
    ['tasks.1.taskName', 14],
  ]);
  const drawn = { id: 'x', initial: 'a', states: { 'a b': { on: { GO: 'z' } }, z: { type: 'final' } } };
  const found = await checkFile(written(t, 'graphs/drawn.json', JSON.stringify(drawn, null, 2)));
  t.deepEqual(
    found.errors.map(({ path, line }) => [path, line]),
    [['machine.states.a b.on', 6]],
  );
});

test('a name that does not agree with its path is a warning', async (t) => {
  const list = {
    friendlyName: 'x',
    injectableName: 'Graph.Other.Name',
    tasks: [{ label: 'a', taskName: 'Task.noop' }],
  };
  const { warnings } = await checkFile(written(t, 'graphs/listed.json', JSON.stringify(list)));
  t.deepEqual(warnings, [
    {
      code: 'NAME_NOT_PATH',
      path: 'listed.json',
      message: 'the path does not agree with the name Graph.Other.Name; rename the file to other-name.json',
    },
  ]);
});

test('a place that is not in the file has no line, or that of the nearest place around it', (t) => {
  t.is(lineOfPlace('x.json', '{"a":\n{"b.c": {"d": 1}}}', 'a.b.c.d'), 2);
  t.is(lineOfPlace('x.json', '{"a":\n[1,\n{}]}', 'a.1.missing'), 3);
  t.is(lineOfPlace('x.json', '{', 'a'), undefined);
  t.is(lineOfPlace('x.ts', 'const a = 1;', 'states.a'), undefined);
  t.is(lineOfPlace('x.ts', '', ''), undefined);
});

test('an initial state that does not exist has its file, its line and its state, in code and in JSON', async (t) => {
  const code = machine(`    a: {\n      initial: 'here',\n      states: { hare: {} },\n    },`);
  const inCode = await checkFile(written(t, 'graphs/initial.js', code));
  t.like(inCode.errors, [{ line: 6 }]);
  t.regex(inCode.errors[0]?.message ?? '', /initial "here" of state \S+a,.*did you mean 'hare'/);
  const drawn = {
    initial: 'nowhere',
    states: { a: { invoke: { src: 'Task.noop', onDone: 'z' } }, z: { type: 'final' } },
  };
  const inJson = await checkFile(written(t, 'graphs/initial.json', JSON.stringify(drawn, null, 2)));
  t.like(inJson.errors, [{ path: 'machine.initial', line: 2 }]);
  t.regex(inJson.errors[0]?.message ?? '', /'nowhere'.*expected one of a, z/);
});

test('each target that does not exist has its own line', async (t) => {
  const states = {
    a: {
      invoke: { src: 'Task.noop', onDone: 'b', onError: 'nowhere' },
      after: { 1000: { target: '#x.bb' }, 2000: '#x.b' },
    },
    b: { always: [{ target: ['.c'] }], initial: 'c', states: { c: { type: 'final' } }, onDone: 'zz' },
    z: { type: 'final' },
  };
  const drawn = JSON.stringify({ id: 'x', initial: 'a', states }, null, 2);
  const { errors } = await checkFile(written(t, 'graphs/target.json', drawn));
  const lines = drawn.split('\n');
  const wrong = ['nowhere', '#x.bb', 'zz'];
  t.deepEqual(
    errors.map(({ line = 0, message }) =>
      wrong.findIndex((one) => lines[line - 1]?.includes(one) && message.includes(one)),
    ),
    [0, 1, 2],
  );
  const code = machine(`    a: {\n      invoke: {\n        src: 'x',\n        onDone: 'nowhere',\n      },\n    },`);
  t.is((await checkFile(written(t, 'graphs/own-line.js', code))).errors[0]?.line, 8);
});

test('wrong names of options, labels and tasks are named, with those that were probably meant', async (t) => {
  const list = {
    friendlyName: 'x',
    injectableName: 'Graph.Names',
    options: { waiting: {} },
    tasks: [
      { label: 'wait', taskName: 'Task.noop', optionOverrides: { dely: 5 } },
      { label: 'other', taskName: 'Task.Nop' },
    ],
  };
  const { errors } = await checkFile(written(t, 'graphs/names.json', JSON.stringify(list)));
  const said = errors.map(({ message }) => message).join('\n');
  t.regex(said, /'dely' is not known here; did you mean 'delay'\?/);
  t.regex(said, /'Task\.Nop'.*did you mean 'Task\.noop'\?/);
});
