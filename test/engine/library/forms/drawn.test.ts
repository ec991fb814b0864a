/** Machines as Stately Studio exports them: each file of `fixtures/drawn` is loaded unchanged, launched, and driven to its end. */
import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import test, { type ExecutionContext } from 'ava';
import { loadGraph } from '../../../../engine/kit/definition-files.ts';
import { harness } from '../../../../engine/kit/index.ts';
import { openLibrary } from '../../../../engine/library/versions/library.ts';
import { packagePath } from '../../../../engine/vocabulary/package-path.ts';
import { folder } from '../../../support/ava/folder.ts';
import { folders } from '../../../support/engine/definition-folders.ts';
import { openEngine, type TestEngine } from '../../../support/engine/engine.ts';
import { MemoryStore } from '../../../support/engine/memory-store.ts';

const drawn = packagePath('fixtures/drawn');

let it: TestEngine;
test.before(async () => {
  it = await openEngine({ graphs: [drawn] });
});
test.after.always(() => it?.close());

const ended = async (name: string, options: Record<string, unknown> = {}) => {
  const { id } = await it.launch(name, options);
  const { status, tasks } = await it.finished(id);
  return { status, tasks: Object.fromEntries(tasks.map(({ label, state }) => [label, state])) };
};

test('every file of the folder is served, under the name by its path', async (t) => {
  t.deepEqual(await it.engine.library.errors(), []);
  const graphs = await it.engine.library.graphs();
  t.deepEqual(
    graphs.map(({ injectableName, friendlyName }) => [injectableName, friendlyName]),
    [
      ['Graph.BurnIn', 'Burn in of disks and memory'],
      ['Graph.Patrol', 'Looks at the rack, twice'],
      ['Graph.Rack.Audit', 'Graph.Rack.Audit'],
      ['Graph.Rack.FirmwareUpdate', 'Update the firmware'],
    ],
  );
});

test('parallel regions, stubs of actions and guards, and a table of tasks beside the machine', async (t) => {
  t.deepEqual(await ended('Graph.BurnIn'), {
    status: 'succeeded',
    tasks: { checkDisks: 'succeeded', checkMemory: 'succeeded', coolDown: 'succeeded' },
  });
});

test('history, named delays, eventless transitions, and a table of tasks in the meta of the root', async (t) => {
  const flashBmc = { ledger: it.path('firmware'), line: 'flashed', failures: 3 };
  t.deepEqual(await ended('Graph.Rack.FirmwareUpdate', { flashBmc }), {
    status: 'succeeded',
    tasks: { flash: 'succeeded', flashBmc: 'succeeded', 'Task.noop': 'succeeded', look: 'succeeded' },
  });
  t.is((await it.lines('firmware')).length, 4, 'three attempts failed; the history led back to that state only');
});

test('nested invokes, and one task in several states', async (t) => {
  t.deepEqual(await ended('Graph.Rack.Audit'), {
    status: 'succeeded',
    tasks: {
      'Task.Sleep': 'cancelled',
      'Task.noop-first-look': 'succeeded',
      'Task.noop-second-look': 'succeeded',
    },
  });
});

test('the JSON of createMachine, as a file', async (t) => {
  t.deepEqual(await ended('Graph.Patrol'), {
    status: 'succeeded',
    tasks: { 'look-looking': 'succeeded', 'look-looking-again': 'succeeded', wait: 'succeeded' },
  });
});

test('the JSON of createMachine, put through the API with its name', async (t) => {
  const machine = JSON.parse(readFileSync(join(drawn, 'patrol.json'), 'utf8'));
  await it.engine.library.putGraph({ injectableName: 'Graph.Put.Patrol', friendlyName: 'Put', machine });
  t.is((await ended('Graph.Put.Patrol')).status, 'succeeded');
});

for (const path of ['burn-in.ts', 'patrol.json', 'rack.audit.mts', 'rack/firmware-update.js']) {
  test(`${path} survives failures, repeats, cancels and kills at each step`, async (t) => {
    const graph = await loadGraph(join(drawn, path), { tasks: packagePath('fixtures/tasks') });
    const { steps, problems } = await harness(graph);
    t.deepEqual(problems, []);
    t.true(steps > 0);
  });
}

test('two files with the same content are two graphs, and workflows find both when the files are gone', async (t) => {
  const graphs = join(folder(t), 'graphs');
  mkdirSync(join(graphs, 'north'), { recursive: true });
  const text = readFileSync(join(drawn, 'burn-in.ts'), 'utf8');
  for (const path of ['burn-in.ts', 'north/burn-in.ts']) writeFileSync(join(graphs, path), text);
  const store = new MemoryStore();
  const before = await libraryOf(t, graphs, store);
  const names = ['Graph.BurnIn', 'Graph.North.BurnIn'];
  const hashes = names.map((name) => before.graph(name)?.hash as string);
  t.is(new Set(hashes).size, 2);
  rmSync(graphs, { recursive: true });
  const after = await libraryOf(t, graphs, store);
  t.deepEqual(after.graphs(), []);
  t.deepEqual(await Promise.all(hashes.map(async (hash) => (await after.pinnedGraph(hash)).name)), names);
});

const rejected: [why: string, text: string, found: RegExp, expected: RegExp][] = [
  [
    'an action with code',
    `import { setup } from 'xstate';
export const machine = setup({ actions: { tell: () => { console.log('side effect'); } } }).createMachine({
  initial: 'a', states: { a: { entry: 'tell', always: 'z' }, z: { type: 'final' } } });`,
    /action 'tell' \(a custom function\) in state/,
    /side effects belong in a task/,
  ],
  [
    'an action whose parameters are code',
    `import { setup } from 'xstate';
export const machine = setup({ actions: { tell: (a = console.log('side effect')) => {} } }).createMachine({
  initial: 'a', states: { a: { entry: 'tell', always: 'z' }, z: { type: 'final' } } });`,
    /action 'tell' \(a custom function\) in state/,
    /side effects belong in a task/,
  ],
  [
    'an actor without a task',
    `import { setup, fromPromise } from 'xstate';
export const machine = setup({ actors: { checkDisks: fromPromise(async () => {}) } }).createMachine({
  initial: 'a', states: { a: { invoke: { src: 'checkDisks', onDone: 'z' } }, z: { type: 'final' } } });`,
    /task 'checkDisks' in state \(machine\)\.a/,
    /export const tasks = \{ 'checkDisks': 'Task\.\.\.' \}/,
  ],
  [
    'a table with an unknown task, and one with a src that no state invokes',
    `import { createMachine } from 'xstate';
export const machine = createMachine({ initial: 'a', states: { a: { invoke: { src: 'b', onDone: 'z' } }, z: { type: 'final' } } });
export const tasks = { b: 'Task.Nowhere' };`,
    /task "Task.Nowhere" for 'b'/,
    /the name of a task in the library/,
  ],
  [
    'a table with a src that no state invokes',
    `import { createMachine } from 'xstate';
export const machine = createMachine({ initial: 'a', states: { a: { invoke: { src: 'b', onDone: 'z' } }, z: { type: 'final' } } });
export const tasks = { b: 'Task.noop', c: 'Task.noop' };`,
    /'c' in tasks, which no state invokes/,
    /one of b/,
  ],
  [
    'an event that is the only way to the end, and that nothing sends',
    `import { createMachine } from 'xstate';
export const machine = createMachine({ initial: 'a', states: { a: { on: { 'disk ready': 'z' } }, z: { type: 'final' } } });`,
    /cannot end without event 'disk ready' in state \(machine\)\.a, which nothing sends/,
    /Task\.Wait\.Notification/,
  ],
  [
    'two machines',
    `import { createMachine } from 'xstate';
export const one = createMachine({}); export const two = createMachine({});`,
    /the machines one, two as exports/,
    /default export/,
  ],
  [
    'a function of XState without its import',
    `import { setup } from 'xstate';
export const machine = setup({ actors: { b: createMachine({}) } }).createMachine({});`,
    /'createMachine is not defined' thrown while loading at .*bad-7\.js:2/,
    /import \{ createMachine \} from 'xstate'/,
  ],
];

test('each way to be wrong is rejected with found and expected', async (t) => {
  const graphs = join(folder(t), 'graphs');
  mkdirSync(graphs);
  rejected.forEach(([, text], index) => {
    writeFileSync(join(graphs, `bad-${index}.js`), text);
  });
  const errors = (await libraryOf(t, graphs)).errors();
  rejected.forEach(([why, , found, expected], index) => {
    const error = errors.find(({ file }) => file.endsWith(`bad-${index}.js`));
    t.regex(error?.found ?? '', found, why);
    t.regex(error?.expected ?? '', expected, why);
  });
});

test('all that is wrong with a machine is reported together', async (t) => {
  const graphs = join(folder(t), 'graphs');
  mkdirSync(graphs);
  const text = `import { createMachine } from 'xstate';
export const machine = createMachine({ initial: 'a', states: {
  a: { entry: () => console.log(1), invoke: { src: 'one', onDone: 'b' } },
  b: { exit: 'nowhere', invoke: { src: 'two', onDone: 'b' } } } });`;
  writeFileSync(join(graphs, 'bad.js'), text);
  const [error] = (await libraryOf(t, graphs)).errors();
  for (const part of [/custom function/, /'nowhere' in state/, /cannot end/, /task 'one'/, /task 'two'/])
    t.regex(error?.found ?? '', part);
});

async function libraryOf(t: ExecutionContext, graphs: string, store = new MemoryStore()) {
  const library = await openLibrary({
    folders: { graphs: [graphs], tasks: folders.tasks },
    cacheDir: join(folder(t), 'cache'),
    store,
    log: { info: () => {}, warn: () => {} },
  });
  t.teardown(() => library.close());
  return library;
}
