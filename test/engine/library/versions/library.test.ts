import { rm, unlink } from 'node:fs/promises';
import { join } from 'node:path';
import test, { type ExecutionContext } from 'ava';
import type { Rejection } from '../../../../engine/library/options/rejection.ts';
import {
  type DefinitionLibrary,
  type LibraryOptions,
  openLibrary,
} from '../../../../engine/library/versions/library.ts';
import type { NodewrightError } from '../../../../engine/vocabulary/errors.ts';
import { packagePath } from '../../../../engine/vocabulary/package-path.ts';
import { folder } from '../../../support/ava/folder.ts';
import { LibraryBench } from '../../../support/engine/library-bench.ts';
import { MemoryStore } from '../../../support/engine/memory-store.ts';

const root = packagePath('.');

const task = (name: string, more = '') => `
import { defineTask, Type } from 'nodewright/define';
${more}
export default defineTask({
  injectableName: '${name}', friendlyName: '${name}', recovery: 'idempotent',
  optionsSchema: Type.Object({ n: Type.Integer({ default: 1 }) }),
  run: async ({ input }) => input.n,
});`;

const kitGraph = (name: string, friendlyName = name) => `
import { defineGraph } from 'nodewright/define';
import one from '../tasks/one.ts';
const graph = defineGraph({ injectableName: '${name}', friendlyName: '${friendlyName}', tasks: { step: one } });
export default graph.createMachine({
  id: '${name}', initial: 'a', states: { a: { invoke: { src: 'step', onDone: 'b' } }, b: { type: 'final' } },
});`;

const plainGraph = (name: string) => `
import { createMachine } from 'xstate';
export default createMachine({
  id: '${name}', initial: 'a',
  states: { a: { invoke: { id: 'step', src: 'Task.one', onDone: 'b' } }, b: { type: 'final' } },
});`;

const list = (name: string, taskName = 'Task.one', delay: object = {}) => ({
  friendlyName: name,
  injectableName: name,
  tasks: [{ label: 'step', taskName, ...delay }],
});

const jsonTask = (name: string, options: object = { n: 5 }) => ({
  friendlyName: name,
  injectableName: name,
  implementsTask: 'Task.one',
  options,
  properties: {},
});

const code = async (promise: Promise<unknown>) =>
  promise.then(
    () => 'nothing thrown',
    (error: NodewrightError) => error.code,
  );

async function opened(t: ExecutionContext, folders: LibraryOptions['folders']): Promise<DefinitionLibrary> {
  const library = await openLibrary({
    folders,
    cacheDir: join(folder(t), 'cache'),
    store: new MemoryStore(),
    log: { info: () => {}, warn: () => {} },
  });
  t.teardown(() => library.close());
  return library;
}

test('a library without folders is ready immediately', async (t) => {
  const library = await opened(t, { graphs: [], tasks: [] });
  t.deepEqual(library.graphs(), []);
});

test('the built-in graphs and tasks load without an error', async (t) => {
  const library = await opened(t, { graphs: [join(root, 'graphs')], tasks: [join(root, 'tasks')] });
  t.deepEqual(library.errors(), []);
  t.deepEqual([...(library.graph('Graph.noop-example')?.labels.keys() ?? [])].length, 4);
  t.is(library.task('Task.noop')?.definition.recovery, 'idempotent');
});

test('files outside the project import the kit by its name, and share its xstate', async (t) => {
  const bench = await LibraryBench.make(t, {
    'tasks/one.ts': task('Task.one'),
    'graphs/kit.ts': kitGraph('Graph.kit'),
    'graphs/plain.mjs': plainGraph('Graph.plain'),
    'graphs/list.json': JSON.stringify(list('Graph.list')),
    'tasks/two.json': JSON.stringify(jsonTask('Task.two')),
  });
  t.deepEqual(bench.library.errors(), []);
  t.deepEqual(
    bench.library.graphs().map(({ name, kind }) => [name, kind]),
    [
      ['Graph.kit', 'machine'],
      ['Graph.list', 'list'],
      ['Graph.plain', 'machine'],
    ],
  );
  t.is(bench.library.graph('Graph.plain')?.labelOf('Task.one', 'step'), 'step');
  t.deepEqual(bench.library.task('Task.two')?.definition, { ...jsonTask('Task.two'), recovery: 'idempotent' });
});

test.serial('a file that is added, changed and deleted is followed', async (t) => {
  const bench = await LibraryBench.make(t, { 'tasks/one.ts': task('Task.one') });
  await bench.write('graphs/kit.ts', kitGraph('Graph.kit'));
  await bench.until(() => bench.library.graph('Graph.kit') !== undefined);
  await bench.write('graphs/kit.ts', kitGraph('Graph.kit', 'changed'));
  await bench.until(() => bench.library.graph('Graph.kit')?.friendlyName === 'changed');
  await unlink(join(bench.dir, 'graphs/kit.ts'));
  await bench.until(() => bench.library.graph('Graph.kit') === undefined);
  t.deepEqual(bench.library.errors(), []);
});

test('a file that is written in pieces is served when it is complete, and leaves no error', async (t) => {
  const bench = await LibraryBench.make(t, { 'tasks/one.ts': task('Task.one') });
  const text = kitGraph('Graph.kit');
  await bench.write('graphs/kit.ts', text.slice(0, 150));
  await bench.until(() => bench.library.errors().length === 1);
  t.is(bench.library.errors()[0]?.served, null, 'no version of it was good');
  await bench.write('graphs/kit.ts', text);
  await bench.until(() => bench.library.graph('Graph.kit') !== undefined);
  t.deepEqual(bench.library.errors(), []);
});

test('a change that the store rejected is applied when the store is back', async (t) => {
  const bench = await LibraryBench.make(t, { 'tasks/one.ts': task('Task.one') });
  const definitions = await bench.store.collection<{ id: string }>({ name: 'definitions', indexes: {} });
  const insertMissing = definitions.insertMissing.bind(definitions);
  let rejected = 0;
  definitions.insertMissing = async (documents) => {
    if (rejected++ === 0) throw new Error('the store is away');
    return insertMissing(documents);
  };
  await bench.write('graphs/kit.ts', kitGraph('Graph.kit'));
  await bench.until(() => bench.library.graph('Graph.kit') !== undefined);
  t.is(rejected, 2);
});

test('a changed task file creates a new version of the graphs that use it', async (t) => {
  const bench = await LibraryBench.make(t, {
    'tasks/one.ts': task('Task.one'),
    'graphs/kit.ts': kitGraph('Graph.kit'),
  });
  const before = bench.library.graph('Graph.kit')?.hash;
  await bench.write('tasks/one.ts', task('Task.one').replace('default: 1', 'default: 2'));
  await bench.until(() => bench.library.graph('Graph.kit')?.hash !== before);
  t.not(bench.library.graph('Graph.kit')?.labels.get('step')?.task.hash, before);
});

test('a broken file is reported, its last good version is served, and a correction clears the error', async (t) => {
  const bench = await LibraryBench.make(t, {
    'tasks/one.ts': task('Task.one'),
    'graphs/kit.ts': kitGraph('Graph.kit'),
  });
  await bench.write('graphs/kit.ts', `${kitGraph('Graph.kit')}\nconst = 1;`);
  await bench.until(() => bench.library.errors().length === 1);
  t.truthy(bench.library.graph('Graph.kit'));
  const [error] = bench.library.errors();
  t.regex(error?.found ?? '', /kit\.ts:8/);
  t.is(error?.served, 'Graph.kit');
  await bench.write('graphs/kit.ts', kitGraph('Graph.kit', 'mended'));
  await bench.until(() => bench.library.graph('Graph.kit')?.friendlyName === 'mended');
  t.deepEqual(bench.library.errors(), []);
});

test('a restart serves the version before of a file that is broken, and not a newer one that was taken back', async (t) => {
  const bench = await LibraryBench.make(t, {
    'tasks/one.ts': task('Task.one'),
    'graphs/kit.ts': kitGraph('Graph.kit'),
  });
  const before = bench.library.graph('Graph.kit')?.hash;
  const friendlyName = () => bench.library.graph('Graph.kit')?.friendlyName;
  const first = friendlyName();
  for (const [name, text] of [
    ['later', kitGraph('Graph.kit', 'later')],
    [first, kitGraph('Graph.kit')],
  ] as const) {
    await bench.write('graphs/kit.ts', text);
    await bench.until(() => friendlyName() === name);
  }
  const unknownTask = plainGraph('Graph.kit').replace('Task.one', 'Task.none');
  for (const text of ['const = 1;', "throw new Error('no');", unknownTask]) {
    await bench.write('graphs/kit.ts', text);
    for (let start = 0; start < 2; start += 1) await bench.reopen();
    t.is(bench.library.graph('Graph.kit')?.hash, before);
    t.is(bench.library.errors().length, 1);
  }
  await bench.write('graphs/kit.ts', kitGraph('Graph.kit', 'mended'));
  await bench.until(() => friendlyName() === 'mended');
  await bench.write('tasks/one.ts', 'const = 1;');
  await bench.reopen();
  t.truthy(bench.library.task('Task.one'));
  t.is(friendlyName(), 'mended');
  await rm(join(bench.dir, 'tasks/one.ts'));
  await bench.reopen();
  t.is(bench.library.task('Task.one'), undefined);
});

const broken: [why: string, file: string, text: string, found: RegExp][] = [
  ['a syntax error', 'graphs/x.ts', 'export default {\n\n  a b\n};', /Expected.*x\.ts:3/],
  ['an import of a file that is not there', 'graphs/x.ts', "\nimport './none.ts';", /none\.ts.*x\.ts:2/],
  [
    'an import of a package that is not there',
    'graphs/x.ts',
    "\nimport 'no-such-thing';",
    /'no-such-thing' at .*x\.ts:2/,
  ],
  [
    'a file that throws',
    'graphs/x.ts',
    "const a = 1;\n\nthrow new Error('no way');\nexport default a;",
    /no way.*x\.ts:3/,
  ],
  ['no default export', 'graphs/x.ts', 'export const a = 1;', /nothing/],
  ['a task among the graphs', 'graphs/x.ts', task('Task.x'), /./],
  ['a graph among the tasks', 'tasks/x.mjs', plainGraph('Graph.x'), /./],
  ['JSON that is none', 'graphs/x.json', '{\n  "a": 1,\n  b\n}', /x\.json:3/],
  [
    'a JSON task of nothing',
    'tasks/x.json',
    JSON.stringify({ ...jsonTask('Task.x'), implementsTask: 'Task.no' }),
    /not a code task/,
  ],
  ['a second file with the same name', 'tasks/x.ts', task('Task.one'), /one\.ts already defines/],
];

for (const [why, file, text, found] of broken) {
  test(`a file with ${why} is rejected with found and expected, and blocks no other file`, async (t) => {
    const bench = await LibraryBench.make(t, { 'tasks/one.ts': task('Task.one'), [file]: text });
    const [error, ...more] = bench.library.errors();
    t.deepEqual(more, []);
    t.is(error?.file, join(bench.dir, file));
    t.regex(error?.found ?? '', found);
    t.truthy(error?.expected);
    t.truthy(bench.library.task('Task.one'));
  });
}

test('definitions that are put through the API survive a restart and are returned unchanged', async (t) => {
  const bench = await LibraryBench.make(t, { 'tasks/one.ts': task('Task.one') });
  await bench.library.putTask(jsonTask('Task.two'));
  await bench.library.putGraph(list('Graph.list', 'Task.two'));
  const { hash } = bench.library.graph('Graph.list')!;
  await bench.reopen();
  t.deepEqual(bench.library.graph('Graph.list')?.definition, list('Graph.list', 'Task.two'));
  t.is(bench.library.graph('Graph.list')?.hash, hash);
  t.deepEqual(bench.library.task('Task.two')?.definition, { ...jsonTask('Task.two'), recovery: 'idempotent' });
});

test('a name needs no prefix, as in RackHD: a task and a graph may even have the same', async (t) => {
  const bench = await LibraryBench.make(t, { 'tasks/one.ts': task('Task.one') });
  await bench.library.putTask(jsonTask('in_1'));
  await bench.library.putGraph(list('in_1', 'in_1'));
  t.deepEqual(bench.library.graph('in_1')?.definition, list('in_1', 'in_1'));
  t.deepEqual(bench.library.task('in_1')?.definition, { ...jsonTask('in_1'), recovery: 'idempotent' });
});

test('an invalid graph is rejected with its violations, and nothing is stored', async (t) => {
  const bench = await LibraryBench.make(t, { 'tasks/one.ts': task('Task.one') });
  const error = (await t.throwsAsync(bench.library.putGraph(list('Graph.list', 'Task.none')))) as Rejection;
  t.is(error.status, 400);
  t.deepEqual(
    error.violations?.map(({ path }) => path),
    ['tasks.0.taskName'],
  );
  await bench.reopen();
  t.is(bench.library.graph('Graph.list'), undefined);
  t.deepEqual(bench.library.errors(), []);
});

test('the API neither replaces nor removes a definition of a file', async (t) => {
  const bench = await LibraryBench.make(t, {
    'tasks/one.ts': task('Task.one'),
    'graphs/list.json': JSON.stringify(list('Graph.list')),
  });
  t.is(await code(bench.library.putGraph(list('Graph.list'))), 'CONFLICT');
  t.is(await code(bench.library.putTask(jsonTask('Task.one'))), 'CONFLICT');
  t.is(await code(bench.library.removeGraph('Graph.list')), 'CONFLICT');
  t.is(await code(bench.library.removeTask('Task.one')), 'CONFLICT');
  t.is(await code(bench.library.removeGraph('Graph.none')), 'NOT_FOUND');
});

test('an included definition gives way to one put through the API, and is back when that is removed', async (t) => {
  const files = { 'tasks/one.ts': task('Task.one'), 'graphs/list.json': JSON.stringify(list('Graph.list')) };
  const bench = await LibraryBench.make(t, files, ['tasks', 'graphs']);
  const served = () => [bench.library.task('Task.one')?.source.kind, bench.library.graph('Graph.list')?.source.kind];
  t.deepEqual(served(), ['file', 'file']);
  await bench.library.putTask(jsonTask('Task.one'));
  await bench.library.putGraph({ ...list('Graph.list'), friendlyName: 'mine' });
  t.deepEqual(served(), ['api', 'api']);
  t.is(bench.library.graph('Graph.list')?.labels.get('step')?.task.source.kind, 'api');
  t.deepEqual(bench.library.errors(), []);
  await bench.reopen();
  t.deepEqual(served(), ['api', 'api']);
  await bench.library.removeTask('Task.one');
  await bench.library.removeGraph('Graph.list');
  t.deepEqual(served(), ['file', 'file']);
  t.deepEqual(bench.library.errors(), []);
});

test('a task that a graph uses is neither removed nor changed in a way that breaks the graph', async (t) => {
  const bench = await LibraryBench.make(t, { 'tasks/one.ts': task('Task.one') });
  await bench.library.putTask(jsonTask('Task.two'));
  await bench.library.putGraph(list('Graph.list', 'Task.two', { optionOverrides: { n: 7 } }));
  t.is(await code(bench.library.removeTask('Task.two')), 'CONFLICT');
  const narrow = { ...jsonTask('Task.two'), optionsSchema: { properties: { n: { maximum: 6 } } } };
  t.is(await code(bench.library.putTask(narrow)), 'CONFLICT');
  await bench.library.removeGraph('Graph.list');
  await bench.library.removeTask('Task.two');
  t.is(bench.library.task('Task.two'), undefined);
});

test('an API graph without its task is listed under errors, and is served again with the task', async (t) => {
  const bench = await LibraryBench.make(t, { 'tasks/one.ts': task('Task.one') });
  await bench.library.putGraph(list('Graph.list'));
  await unlink(join(bench.dir, 'tasks/one.ts'));
  await bench.until(() => bench.library.graph('Graph.list') === undefined);
  t.regex(bench.library.errors()[0]?.message ?? '', /Task\.one/);
  await bench.write('tasks/one.ts', task('Task.one'));
  await bench.until(() => bench.library.graph('Graph.list') !== undefined);
  t.deepEqual(bench.library.errors(), []);
});

test('an old version is found by its hash after its file was deleted and the daemon was restarted', async (t) => {
  const bench = await LibraryBench.make(t, {
    'tasks/one.ts': task('Task.one'),
    'graphs/kit.ts': kitGraph('Graph.kit'),
    'graphs/plain.mjs': plainGraph('Graph.plain'),
  });
  await bench.library.putTask(jsonTask('Task.two'));
  await bench.library.putGraph(list('Graph.list', 'Task.two'));
  const hashes = bench.library.graphs().map(({ hash }) => hash);
  await bench.library.close();
  for (const file of ['tasks/one.ts', 'graphs/kit.ts', 'graphs/plain.mjs']) await unlink(join(bench.dir, file));
  await rm(join(bench.dir, 'cache'), { recursive: true });
  await bench.open();
  t.deepEqual(bench.library.graphs(), []);
  for (const hash of hashes) {
    const graph = await bench.library.pinnedGraph(hash);
    t.is(graph.hash, hash);
    t.deepEqual([...graph.labels.keys()], ['step']);
  }
  const list2 = await bench.library.pinnedGraph(hashes[1] ?? '');
  t.is(list2.labels.get('step')?.task.defaults.n, 5);
});

test('a version that is not stored fails with DEFINITION_GONE and a remedy', async (t) => {
  const bench = await LibraryBench.make(t);
  const error = (await t.throwsAsync(bench.library.pinnedGraph('0'.repeat(64)))) as NodewrightError;
  t.is(error.code, 'DEFINITION_GONE');
  t.regex(error.message, /cancel the workflow/);
});

test('every version of a graph is kept, and listed from the newest to the oldest', async (t) => {
  const bench = await LibraryBench.make(t, { 'tasks/one.ts': task('Task.one') });
  const hashes: string[] = [];
  for (let n = 0; n < 210; n++) {
    await bench.library.putGraph(list('Graph.list', 'Task.one', { optionOverrides: { n } }));
    hashes.unshift(String(bench.library.graph('Graph.list')?.hash));
  }
  const listed = await bench.library.versionsOf('Graph.list');
  t.deepEqual(listed.map(({ id }) => id).sort(), hashes.toSorted());
  t.true(listed.every(({ createdAt }, at) => at === 0 || createdAt <= (listed[at - 1]?.createdAt ?? '')));
  const oldest = String(hashes.at(-1));
  t.is((await bench.library.pinnedGraph(oldest)).hash, oldest);
});

test('a refresh loads definitions that another daemon stored', async (t) => {
  const bench = await LibraryBench.make(t, { 'tasks/one.ts': task('Task.one') });
  const first = bench.library;
  await bench.open();
  t.teardown(() => first.close());
  await first.putGraph(list('Graph.list'));
  t.is(bench.library.graph('Graph.list'), undefined);
  await bench.library.refresh();
  t.is(bench.library.graph('Graph.list')?.hash, first.graph('Graph.list')?.hash);
});
