/** Graphs from files, as the daemon reads them, and the included ones. */
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import test from 'ava';
import { explore, includedDefinitions, load, readRecording, simulate } from '../../../engine/kit/index.ts';

const folder = mkdtempSync(join(tmpdir(), 'nodewright-kit-test-'));
test.after.always(() => rmSync(folder, { recursive: true, force: true }));
for (const name of ['graphs', 'tasks']) mkdirSync(join(folder, name));

function put(name: string, text: string): string {
  const file = join(folder, name);
  writeFileSync(file, text);
  return file;
}

put(
  'tasks/greet.ts',
  `import { defineTask, Type } from 'nodewright/define';
export default defineTask({
  injectableName: 'Task.Greet', friendlyName: 'Greet', recovery: 'idempotent',
  optionsSchema: Type.Object({}), run: async () => ({ hello: true }),
});
`,
);
const list = (taskName: string) =>
  JSON.stringify({ friendlyName: 'L', injectableName: 'Graph.Local', tasks: [{ label: 'a', taskName }] });

test.serial('an included graph is known by its name after it was loaded, and later loads are the same', async (t) => {
  const { graphs, tasks } = await includedDefinitions();
  t.true(graphs.has('Graph.Demo.InstallOs') && tasks.has('Task.Wait.Notification'));
  t.is(await includedDefinitions(), await includedDefinitions());
  const run = simulate('Graph.Demo.InstallOs').until('wait-os-installed').notify().until('wait-os-booted').notify();
  t.is(run.status, 'succeeded');
  t.is(explore('Graph.Demo.InstallOs').ends.length, 2);
  t.throws(() => simulate('Graph.Demo.Instal'), {
    message: /found 'Graph\.Demo\.Instal'; expected the name of an included graph/,
  });
});

test.serial('a file is loaded with the tasks beside its folder and with the included ones', async (t) => {
  const own = await load(put('graphs/own.json', list('Task.Greet')));
  t.is(simulate(own).until().status, 'succeeded');
  const common = await load(put('graphs/common.json', list('Task.noop')));
  t.is(explore(common).succeeded, 1);
  const text = `import { createMachine } from 'xstate';
export default createMachine({ id: 'Graph.Typed', initial: 'a', states: {
  a: { invoke: { src: 'Task.Greet', onDone: 'b' } }, b: { type: 'final' } } });
`;
  t.is((await load(put('graphs/typed.ts', text))).name, 'Graph.Typed');
});

test.serial('a task as JSON beside the graph implements an included one, and no name is taken twice', async (t) => {
  const nap = {
    friendlyName: 'Nap',
    injectableName: 'Task.Nap',
    implementsTask: 'Task.Sleep',
    options: { duration: 70 },
  };
  const task = put('tasks/nap.json', JSON.stringify(nap));
  const graph = await load(put('graphs/nap.json', list('Task.Nap')));
  t.is(simulate(graph).until().elapsedMs, 70);
  put('tasks/nap.json', JSON.stringify({ ...nap, injectableName: 'Task.noop' }));
  await t.throwsAsync(load(join(folder, 'graphs/nap.json')), {
    message: /Task\.noop, which .*already defines.*nap\.json/,
  });
  rmSync(task);
});

const bad: [name: string, text: string, message: RegExp][] = [
  ['syntax.ts', 'export default {\n  id: ,\n};\n', /Unexpected ","' at .*graphs\/syntax\.ts:2/],
  [
    'other-task.ts',
    "\nimport noop from '../tasks/noop.ts';\nexport default noop;\n",
    /import of '\.\.\/tasks\/noop\.ts' at .*other-task\.ts:2, which does not exist; expected 'nodewright\/tasks\/noop\.ts'/,
  ],
  [
    'typed.ts',
    "import noop from 'nodewright/tasks/nop.ts';\nexport default noop;\n",
    /'nodewright\/tasks\/nop\.ts' at .*typed\.ts:1.*did you mean 'noop\.ts'/,
  ],
  [
    'common.js',
    "const { createMachine } = require('xstate');\nmodule.exports = createMachine({});\n",
    /Dynamic require of "xstate".*expected an ES module/,
  ],
  [
    'target.ts',
    "import { createMachine } from 'xstate';\nexport default createMachine({\n  initial: 'a',\n  states: { a: { always: 'c' } },\n});\n",
    /target 'c' for state node '\(machine\)\.a' at .*target\.ts:2; expected the name of a state beside it/,
  ],
  [
    'export.ts',
    "import { createMachine } from 'xstate';\nimport { assing } from 'xstate';\nexport default createMachine(assing);\n",
    /import of 'assing' from 'xstate' at .*export\.ts:2, which has no such export/,
  ],
  ['throws.ts', "\nthrow new Error('no way');\nexport default 1;\n", /'no way' thrown while loading at .*throws\.ts:2/],
  ['number.ts', 'export default 7;\n', /found 7 in .*number\.ts; expected an XState machine as the default export/],
  ['broken.json', '{\n"a": 1,\n}', /JSON.*at .*broken\.json/],
  ['missing.json', list('Task.Grete'), /tasks\.0\.taskName: found 'Task\.Grete'.* in .*missing\.json/],
];
for (const [name, text, message] of bad) {
  test.serial(`a bad file is named, with its line and the reason: ${name}`, async (t) => {
    const error = await t.throwsAsync(load(put(`graphs/${name}`, text)));
    t.regex(String(error?.message), message);
  });
}

test.serial('a file that does not exist, and a bad task beside it, are named', async (t) => {
  await t.throwsAsync(load(join(folder, 'graphs/none.ts')), { message: /found no file .*graphs\/none\.ts/ });
  const task = put('tasks/bad.ts', 'export default 7;\n');
  await t.throwsAsync(load(put('graphs/own.json', list('Task.Greet'))), { message: /found 7 in .*tasks\/bad\.ts/ });
  rmSync(task);
});

test('a recording is read with a check of its shape, and a bad file is named', (t) => {
  t.throws(() => readRecording(join(folder, 'none.json')), {
    message: /found no file .*none\.json.*nw record NODE > file/,
  });
  t.throws(() => readRecording(put('rec.json', '{')), { message: /at .*rec\.json/ });
  t.throws(() => readRecording(put('rec.json', '{"format":"x"}')), { message: /found .*rec\.json with .*node/ });
});
