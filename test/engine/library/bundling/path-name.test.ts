/** The agreement of a definition's name with the path of its file. */
import { mkdirSync, writeFileSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import test from 'ava';
import { agrees, NAME_NOT_PATH, pathFor } from '../../../../engine/library/bundling/path-name.ts';
import { openLibrary } from '../../../../engine/library/versions/library.ts';
import { folder } from '../../../support/ava/folder.ts';
import { everyGraph, everyTask } from '../../../support/data/catalogue.ts';
import { MemoryStore } from '../../../support/engine/memory-store.ts';

test('a path agrees with a name if it has the same words, or leaves out leading parts', (t) => {
  for (const path of ['acme-burn-in.ts', 'acme/burn-in.json', 'burn-in.mjs', 'burnIn.ts', 'Acme.BurnIn.ts']) {
    t.true(agrees(path, 'Graph.Acme.BurnIn'), path);
  }
  for (const path of ['acme.ts', 'burn.ts', 'in.ts', 'burn-in-2.ts', 'other/burn-in.ts', 'graph.ts']) {
    t.false(agrees(path, 'Graph.Acme.BurnIn'), path);
  }
  t.true(agrees('sku-discovery.ts', 'Graph.SKU.Discovery'));
});

test('the path of every shipped graph and task is its whole name', (t) => {
  const shipped = [...everyGraph, ...everyTask].flatMap(({ name, source }) =>
    source.kind === 'file' && !source.file.includes('/fixtures/') ? [{ name, file: source.file }] : [],
  );
  t.true(shipped.length > 40);
  const wrong = shipped.filter(({ name, file }) => basename(file) !== `${pathFor(name)}.ts`);
  t.deepEqual(wrong, []);
  t.true(shipped.every(({ file }) => ['graphs', 'tasks'].includes(basename(dirname(file)))));
});

test('every fixture agrees with its path too', (t) => {
  for (const { name, source } of [...everyGraph, ...everyTask]) {
    if (source.kind === 'file') t.true(agrees(basename(source.file), name), name);
  }
});

test('a file with another name is served, and the log says once how to name it', async (t) => {
  const own = folder(t);
  for (const name of ['graphs', 'tasks']) mkdirSync(join(own, name));
  const state = `export default createMachine({ id: 'Graph.Acme.BurnIn', initial: 'a', states: { a: { type: 'final' } } });`;
  writeFileSync(join(own, 'graphs', 'my-graph.ts'), `import { createMachine } from 'xstate';\n${state}\n`);
  writeFileSync(
    join(own, 'graphs', 'fine.ts'),
    `import { createMachine } from 'xstate';\n${state.replace('Acme.BurnIn', 'Fine')}\n`,
  );
  const warnings: object[] = [];
  const library = await openLibrary({
    folders: { graphs: [join(own, 'graphs')], tasks: [join(own, 'tasks')] },
    cacheDir: join(own, 'cache'),
    store: new MemoryStore(),
    log: { info: () => {}, warn: (fields) => warnings.push(fields) },
  });
  t.teardown(() => library.close());
  t.is(library.graph('Graph.Acme.BurnIn')?.name, 'Graph.Acme.BurnIn');
  t.deepEqual(library.errors(), []);
  await library.refresh();
  const file = join(own, 'graphs', 'my-graph.ts');
  t.deepEqual(warnings, [{ code: NAME_NOT_PATH, file, found: 'Graph.Acme.BurnIn', expected: 'acme-burn-in.ts' }]);
});
