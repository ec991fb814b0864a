/** The examples in the pages for authors run unchanged. */
import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import test from 'ava';
import { build } from 'esbuild';
import { bundling } from '../api/build/bundling.mjs';
import type { Operation } from '../engine/durable/step/row.ts';
import { Run } from '../engine/kit/run.ts';
import { bundle, load } from '../engine/library/bundling/bundle.ts';
import type { Graph } from '../engine/library/types.ts';
import { openLibrary } from '../engine/library/versions/library.ts';
import { warningMeanings } from '../engine/vocabulary/warning-codes.ts';
import { folder } from './support/ava/folder.ts';
import { needing } from './support/ava/needs.ts';
import { onPath } from './support/ava/on-path.ts';
import { folders } from './support/engine/definition-folders.ts';
import { openEngine } from './support/engine/engine.ts';
import { nodeEvent } from './support/engine/events.ts';
import { MemoryStore } from './support/engine/memory-store.ts';
import { districtsTable } from './support/source/districts.ts';

const root = new URL('../', import.meta.url);
const page = (path: string): string => readFileSync(new URL(path, root), 'utf8');

/** The blocks of a language on a page. */
const examples = (text: string, language: string): string[] =>
  [...text.matchAll(new RegExp(`\`\`\`${language}\\n([\\s\\S]*?)\`\`\``, 'g'))].map(([, block = '']) => block);

function example(text: string, language: string): string {
  const [block] = examples(text, language);
  if (block === undefined) throw new Error(`the page has no example in ${language}`);
  return block;
}

test('the graphs and the task of the pages load, and the graphs run to their end', async (t) => {
  const own = folder(t);
  for (const name of ['graphs', 'tasks']) mkdirSync(join(own, name));
  writeFileSync(join(own, 'graphs', 'greet.ts'), example(page('graphs/README.md'), 'ts'));
  const [list = '', machine = ''] = examples(page('graphs/README.md'), 'json');
  writeFileSync(join(own, 'graphs', 'list.json'), list);
  writeFileSync(join(own, 'graphs', 'machine.json'), machine);
  writeFileSync(join(own, 'tasks', 'ping.ts'), example(page('tasks/README.md'), 'ts'));
  const it = await openEngine({
    graphs: [...folders.graphs, join(own, 'graphs')],
    tasks: [...folders.tasks, join(own, 'tasks')],
  });
  t.teardown(() => it.close());
  t.deepEqual(await it.engine.library.errors(), []);
  t.like(await it.engine.library.task('Task.Ping'), { recovery: 'idempotent' });
  for (const name of ['Graph.Greet', 'Graph.Greet.List', 'Graph.Greet.Json']) {
    const { id } = await it.launch(name, { prepare: { delay: 1 } });
    await it.reached(id, 'wait-answer', 'waiting');
    await it.engine.notifications.notify({ hello: 'world' }, id);
    t.is((await it.finished(id)).status, 'succeeded');
  }
});

/** The files of a page: blocks whose first line is a comment with their path. */
const filesOf = (text: string): { path: string; text: string }[] =>
  [...text.matchAll(/```ts\n\/\/ ([\w./-]+\.ts)\n([\s\S]*?)```/g)].map(([, path = '', code = '']) => ({
    path,
    text: code,
  }));

test('the drawn machine of its page runs unchanged', async (t) => {
  const own = folder(t);
  const [drawn] = filesOf(page('docs/author/drawn.md'));
  mkdirSync(join(own, 'graphs/rack'), { recursive: true });
  writeFileSync(join(own, drawn?.path ?? ''), drawn?.text ?? '');
  const it = await openEngine({ graphs: [join(own, 'graphs')], tasks: folders.tasks });
  t.teardown(() => it.close());
  t.deepEqual(await it.engine.library.errors(), []);
  t.is((await it.finished((await it.launch('Graph.Rack.BurnIn')).id)).status, 'succeeded');
});

test('the codes of warnings are on the page of the interface', (t) => {
  const text = page('docs/author/upload.md');
  for (const code of Object.keys(warningMeanings)) t.true(text.includes(`| \`${code}\``), code);
});

test('the graphs of the page for authors load, and run to their ends', async (t) => {
  const own = folder(t);
  const files = filesOf(page('docs/author/writing.md')).filter(({ path }) => path.startsWith('graphs/'));
  mkdirSync(join(own, 'graphs'));
  for (const { path, text } of files) writeFileSync(join(own, path), text);
  const warnings: object[] = [];
  const library = await openLibrary({
    folders: { graphs: [join(own, 'graphs')], tasks: [] },
    cacheDir: join(own, 'cache'),
    store: new MemoryStore(),
    log: { info: () => {}, warn: (fields) => warnings.push(fields) },
  });
  t.teardown(() => library.close());
  t.deepEqual(warnings, [], 'none is rejected, and their names are those of their paths');
  t.is(library.graphs().length, files.length);

  const loop = new Run(library.graph('Graph.Notify.Sites') as Graph);
  const urls: unknown[] = [];
  for (let n = 0; n < 3; n += 1) {
    urls.push((loop.operations[0]?.input as { url?: string } | undefined)?.url);
    loop.done(loop.operations[0] as Operation);
  }
  t.is(new Set(urls).size, 3);
  t.is(loop.row.status, 'succeeded');

  const polling = new Run(library.graph('Graph.Await.Service') as Graph);
  const answer = (ready: boolean) => polling.done(polling.operations[0] as Operation, { body: { ready } });
  answer(false);
  t.is(polling.operations.length, 0);
  t.true(polling.fireTimer());
  answer(true);
  t.is(polling.row.status, 'succeeded');

  const drives = new Run(library.graph('Graph.Check.Drives') as Graph);
  drives.done(drives.operations[0] as Operation, { drives: ['sda', 'sdb', 'sdc'] });
  t.like(drives.states(), { a: 'waiting', b: 'waiting' });
  t.is(drives.operations.length, 2);
  drives.fail(drives.operations[0] as Operation);
  t.is(drives.operations.length, 2, 'the third drive follows');
  while (drives.operations.length > 0) drives.done(drives.operations[0] as Operation);
  t.is(drives.row.status, 'failed');

  const oneDrive = new Run(library.graph('Graph.Check.Drives') as Graph);
  oneDrive.done(oneDrive.operations[0] as Operation, { drives: ['sda'] });
  t.is(oneDrive.operations.length, 1, 'two lanes do not take one drive');
  oneDrive.done(oneDrive.operations[0] as Operation);
  t.is(oneDrive.row.status, 'succeeded');

  const install = new Run(library.graph('Graph.Install.OrRestore') as Graph);
  while (install.states()['wait-installed'] !== 'waiting') install.done(install.operations[0] as Operation);
  install.send({ type: 'cancel' });
  t.is(install.states()['compensate-set-boot'], 'running');
  t.like(install.operations[0]?.input, { persistent: true });
  install.done(install.operations[0] as Operation);
  t.is(install.row.status, 'cancelled');
});

test("the page's test of a graph passes, and fails when the graph is wrong", async (t) => {
  const own = folder(t);
  mkdirSync(join(own, 'graphs'));
  writeFileSync(join(own, 'package.json'), '{ "type": "module" }');
  const files = filesOf(page('docs/author/writing.md'));
  const write = async (name: string, change: (text: string) => string) => {
    for (const { path, text } of files) {
      const code = text
        .replaceAll("'nodewright/test'", `'${root.pathname}api/story/index.ts'`)
        .replaceAll('await-service.ts', `${name}.ts`);
      writeFileSync(join(own, path.replace('await-service', name)), change(code));
    }
    await load(await bundle(join(own, `${name}.test.ts`)), join(own, 'loaded'));
  };
  await t.notThrowsAsync(write('await-service', (text) => text));
  const wrong = write('wrong', (text) =>
    text.replace("target: '#ready'", "target: '#late'").replace('late: { type', "late: { id: 'late', type"),
  );
  await t.throwsAsync(wrong, { message: /'late'/ });
});

// Serial: while it runs, the time of this process is the story's.
test.serial("the page's story of a graph is true", async (t) => {
  const example = filesOf(page('docs/author/writing.md')).find(({ path }) => path === 'erase.test.ts');
  // Within the project, whose templates and models the daemon and the machine read.
  const home = mkdtempSync(join(root.pathname, 'node_modules/.cache/story-'));
  t.teardown(() => rmSync(home, { recursive: true }));
  writeFileSync(join(home, 'erase.ts'), example?.text ?? '');
  const outfile = join(home, 'erase.mjs');
  await build({ ...bundling, absWorkingDir: root.pathname, entryPoints: [join(home, 'erase.ts')], outfile });
  await t.notThrowsAsync(import(outfile));
});

test("the example for receivers of web hooks verifies the daemon's events", async (t) => {
  const { headersOf } = await import('../engine/events/hooks/post-event.ts');
  const text = example(page('docs/integrate/hooks.md'), 'js');
  const { isOurs } = await import(`data:text/javascript,${encodeURIComponent(text)}`);
  const body = JSON.stringify(nodeEvent());
  const headers = headersOf(nodeEvent(), body, 'shared');
  t.true(isOurs('shared', headers, body));
  t.false(isOurs('another', headers, body));
  t.false(isOurs('shared', headers, `${body} `));
  t.false(isOurs('shared', {}, body));
});

const withPython = needing(onPath('python3') === undefined ? 'python3 is not on the PATH' : undefined);

withPython.serial('the example for receivers in Python does the same', async (t) => {
  const { headersOf } = await import('../engine/events/hooks/post-event.ts');
  const verifies = (secret: string, headers: object, body: string) => {
    const printing = 'import json, sys\nprint(is_ours(*json.loads(sys.argv[1]), sys.argv[2].encode()))';
    const program = `${example(page('docs/integrate/hooks.md'), 'python')}\n${printing}`;
    return execFileSync('python3', ['-c', program, JSON.stringify([secret, headers]), body], {
      encoding: 'utf8',
    }).trim();
  };
  const body = JSON.stringify(nodeEvent());
  const headers = headersOf(nodeEvent(), body, 'shared');
  t.is(verifies('shared', headers, body), 'True');
  t.is(verifies('another', headers, body), 'False');
  t.is(verifies('shared', headers, `${body} `), 'False');
  t.is(verifies('shared', {}, body), 'False');
  t.is(verifies('shared', { ...headers, 'x-nodewright-timestamp': 'never' }, body), 'False');
});

test('the list of districts of the engine is the one that the structure test checks', (t) => {
  t.true(page('engine/README.md').includes(`\n${districtsTable()}\n`), districtsTable());
});

test('the page of the engine names each folder of each district', (t) => {
  const list = page('engine/README.md').split('### Their folders')[1]?.split('\n## ')[0] ?? '';
  const parts = list
    .split(/^(?=`\w)/m)
    .map((part): [string, string[]] => [
      /^`([\w-]+)\//.exec(part)?.[1] ?? '',
      [...part.matchAll(/^- (`.*?`):/gm)].flatMap(([, names = '']) => names.replaceAll('`', '').split(', ')),
    ]);
  const named = parts.flatMap(([district, folders]) => folders.map((name) => `${district}/${name}`));
  const within = (path: string) =>
    readdirSync(new URL(path, root), { withFileTypes: true }).filter((entry) => entry.isDirectory());
  const districts = within('engine/').map(({ name }) => name);
  const folders = districts.flatMap((district) =>
    within(`engine/${district}/`).map(({ name }) => `${district}/${name}`),
  );
  t.deepEqual(named.sort(), folders.sort());
});
