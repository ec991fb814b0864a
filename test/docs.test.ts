/** The examples in the pages for authors run unchanged. */
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import test from 'ava';
import { folders, openEngine } from './support/engine.ts';
import { nodeEvent } from './support/events.ts';
import { folder } from './support/folder.ts';
import { layersTable } from './support/layers.ts';

const root = new URL('../', import.meta.url);
const page = (path: string): string => readFileSync(new URL(path, root), 'utf8');

/** The first block of a language on a page. */
function example(text: string, language: string): string {
  const block = new RegExp(`\`\`\`${language}\\n([\\s\\S]*?)\`\`\``).exec(text)?.[1];
  if (block === undefined) throw new Error(`the page has no example in ${language}`);
  return block;
}

test('the graphs and the task of the pages load, and the graphs run to their end', async (t) => {
  const own = folder(t);
  for (const name of ['graphs', 'tasks']) mkdirSync(join(own, name));
  // Tasks are beside graphs in the example, as in this project.
  const greet = example(page('graphs/README.md'), 'ts').replaceAll("'../tasks/", `'${root.pathname}tasks/`);
  writeFileSync(join(own, 'graphs', 'greet.ts'), greet);
  writeFileSync(join(own, 'graphs', 'list.json'), example(page('graphs/README.md'), 'json'));
  writeFileSync(join(own, 'tasks', 'ping.ts'), example(page('tasks/README.md'), 'ts'));
  const it = await openEngine({
    graphs: [...folders.graphs, join(own, 'graphs')],
    tasks: [...folders.tasks, join(own, 'tasks')],
  });
  t.teardown(() => it.close());
  t.deepEqual(await it.engine.library.errors(), []);
  t.like(await it.engine.library.task('Task.Ping'), { recovery: 'idempotent' });
  for (const name of ['Graph.Greet', 'Graph.Greet.List']) {
    const { id } = await it.launch(name, { prepare: { delay: 1 } });
    await it.reached(id, 'wait-answer', 'waiting');
    await it.engine.notifications.notify({ hello: 'world' }, id);
    t.is((await it.finished(id)).status, 'succeeded');
  }
});

test("the example for receivers of web hooks verifies the daemon's events", async (t) => {
  const { headersOf } = await import('../engine/hooks/post-event.ts');
  const text = example(page('api/README.md'), 'js');
  const { isOurs } = await import(`data:text/javascript,${encodeURIComponent(text)}`);
  const body = JSON.stringify(nodeEvent());
  const headers = headersOf(nodeEvent(), body, 'shared');
  t.true(isOurs('shared', headers, body));
  t.false(isOurs('another', headers, body));
  t.false(isOurs('shared', headers, `${body} `));
  t.false(isOurs('shared', {}, body));
});

test('the table of routes equals the one generated from the routes', async (t) => {
  const { table } = await import('../api/table.ts');
  t.is(page('api/ROUTES.md'), `${table()}\n`, 'npm run routes regenerates it');
});

test('the list of layers of the engine is the one that the structure test checks', (t) => {
  t.true(page('engine/README.md').includes(`\n${layersTable()}\n`), layersTable());
});

test('the page of errors equals the one generated from their list', async (t) => {
  const { errorsTable } = await import('../api/errors-table.ts');
  t.is(page('api/ERRORS.md'), `${errorsTable()}\n`, 'npm run errors regenerates it');
});

test('the table of tasks contains every built-in task, with its recovery', async (t) => {
  const { everyTask } = await import('./support/catalogue.ts');
  const table = page('tasks/README.md');
  for (const { name, recovery } of everyTask.filter((task) => !task.name.startsWith('Task.Fixture.'))) {
    const row = table.split('\n').find((line) => line.startsWith(`| \`${name}\``));
    t.is(row?.split('|').at(-2)?.trim(), recovery, name);
  }
});

test('the table of graphs contains every built-in graph', async (t) => {
  const { everyGraph } = await import('./support/catalogue.ts');
  const table = page('graphs/README.md');
  const own = everyGraph.filter(({ source }) => source.kind === 'file' && !source.file.includes('/fixtures/'));
  t.true(own.length > 0);
  t.deepEqual(
    own.map(({ name }) => name).filter((name) => !table.includes(`| \`${name}\``)),
    [],
  );
});
