/** The commands for authors of graphs and packs: without a daemon, and against a real one. */
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import test, { type ExecutionContext } from 'ava';
import { packagePath } from '../../engine/vocabulary/package-path.ts';
import { folder } from '../support/ava/folder.ts';
import { sharedCliDaemon } from '../support/console/cli-scene.ts';
import { commandLine } from '../support/console/command-line.ts';

const daemonOf = sharedCliDaemon();

/** No daemon listens there. */
const offline = async (t: ExecutionContext) => commandLine(t, await daemonOf(), { NW_URL: 'http://127.0.0.1:9' });

function written(t: ExecutionContext, files: Record<string, object | string>): string {
  const at = folder(t);
  for (const [name, content] of Object.entries(files)) {
    mkdirSync(dirname(join(at, name)), { recursive: true });
    writeFileSync(join(at, name), typeof content === 'string' ? content : JSON.stringify(content, null, 2));
  }
  return at;
}

const drawn = (task: string) => `import { createMachine } from 'xstate';
export const machine = createMachine({
  initial: 'looking',
  states: {
    looking: { invoke: { src: '${task}', onDone: 'done' } },
    island: {},
    done: { type: 'final' },
  },
});
`;

test.serial('nw check needs no daemon: a folder of graphs, with warnings', async (t) => {
  const nw = await offline(t);
  const at = written(t, { 'graphs/rack/look.ts': drawn('Task.noop'), 'graphs/other.ts': drawn('Task.Sleep') });
  const { status, stdout } = await nw.run('check', join(at, 'graphs'));
  t.is(status, 0, stdout);
  t.regex(
    stdout,
    /look\.ts {2}Graph\.Rack\.Look\n {2}loads: tasks, labels, options +ok\n {2}explored 3 configurations/,
  );
  t.regex(stdout, / {2}! {5}no path leads to state island {2}NEVER_REACHED\n/);
  t.regex(stdout, /other\.ts {2}Graph\.Other/);
});

test.serial('nw check ends with 1 for a rejected file, which is named with the line and the reason', async (t) => {
  const nw = await offline(t);
  const file = join(written(t, { 'graphs/look.ts': drawn('lookAround') }), 'graphs/look.ts');
  const { status, stdout, stderr } = await nw.run('check', packagePath('graphs/noop-example.ts'), file);
  t.is(status, 1);
  t.true(stdout.includes(`${file}:5  found task 'lookAround' in state (machine).looking; expected the name of a task`));
  t.is(stderr, 'nw: 1 of 2 rejected\n');
  const json = JSON.parse((await nw.run('check', file, '-o', 'json')).stdout);
  t.like(json[0], { file, ok: false, explored: null });
  t.like(json[0].errors[0], { path: 'states.looking.invoke', line: 5 });
  t.is((await nw.run('check', join(dirname(file), 'none.ts'))).status, 2);
});

test.serial(
  'an error that a guard leaves to a promise ends neither nw check nor nw test, and both name it',
  async (t) => {
    const nw = await offline(t);
    const guard = "{ guard: () => { void Promise.reject(new Error('stray')); return true; }, target: 'done' }";
    const text = drawn('Task.noop').replace("onDone: 'done'", `onDone: ${guard}`);
    const at = written(t, { 'graphs/a.ts': text, 'graphs/b.ts': drawn('Task.noop') });
    const { status, stdout } = await nw.run('check', join(at, 'graphs'));
    t.is(status, 0, stdout);
    t.regex(stdout, /a promise or a callback: stray; .* {2}GRAPH_THROWS\n[\s\S]*b\.ts {2}Graph\.B\n/);
    const tested = await nw.run('test', join(at, 'graphs/a.ts'));
    t.is(tested.status, 1);
    t.regex(tested.stderr, /^nw: .* a promise or a callback: stray; await/);
  },
);

test.serial('nw graph check asks the daemon, which has the same findings and changes nothing', async (t) => {
  const nw = commandLine(t, await daemonOf());
  const tasks = [{ label: 'wait', taskName: 'Task.Wait.Notification' }];
  const graph = { friendlyName: 'x', injectableName: 'Graph.Cli.Checked', tasks };
  const at = written(t, {
    'good.json': graph,
    'bad.json': { ...graph, tasks: [{ label: 'a', taskName: 'Task.None' }] },
  });
  const good = await nw.run('graph', 'check', join(at, 'good.json'));
  t.is(good.status, 0, good.stderr);
  t.regex(good.stdout, /Graph\.Cli\.Checked\n[\s\S]*wait waits without a timeout of its own \(24 h\).*NO_TIMEOUT/);
  const bad = await nw.run('graph', 'check', join(at, 'bad.json'));
  t.is(bad.status, 1);
  t.regex(bad.stdout, /rejected\n {2}tasks\.0\.taskName: found 'Task\.None', which is not a task of the library/);
  t.is((await nw.run('graph', 'show', 'Graph.Cli.Checked')).status, 1);
});

test.serial('nw graph draw draws files, graphs of the daemon, and lists of tasks', async (t) => {
  const nw = commandLine(t, await daemonOf());
  const named = (await nw.run('graph', 'draw', 'Graph.Demo.InstallOs')).stdout;
  const file = packagePath('graphs/demo-install-os.ts');
  t.is((await nw.run('graph', 'draw', file, '--mermaid')).stdout, named);
  t.true(readFileSync(packagePath('docs/reference/graphs.md'), 'utf8').includes(named.trim()));
  t.is(
    (await nw.run('graph', 'draw', 'Graph.Cli.Wait')).stdout,
    'flowchart TB\n  t0["first (Task.noop)"]\n  t1["report (Task.Wait.Notification)"]\n  t0 --> t1\n',
  );
  for (const graph of ['Graph.Cli.Wait', packagePath('fixtures/drawn/burn-in.ts')]) {
    const { status, stdout } = await nw.run('graph', 'draw', graph, '--svg');
    t.is(status, 0);
    t.regex(
      stdout,
      /^<svg xmlns="http:\/\/www\.w3\.org\/2000\/svg" viewBox="0 0 \d+ \d+"[\s\S]*<path d="M[\s\S]*<\/svg>\n$/,
    );
    t.false(/<script|href|NaN|undefined/.test(stdout));
  }
  t.is((await nw.run('graph', 'draw', 'Graph.None')).status, 1);
  t.is((await nw.run('graph', 'draw', file, '--svg', '--mermaid')).status, 2);
});

const pack = {
  'config.json': {
    name: 'cli pack',
    version: '1.0',
    rules: [{ path: 'dmi.kind', equals: 'cli' }],
    workflowRoot: 'workflows',
  },
  'workflows/look.json': {
    friendlyName: 'Look',
    injectableName: 'Graph.Cli.Look',
    tasks: [{ label: 'look', taskName: 'Task.noop' }],
  },
};

test.serial(
  'a pack is checked and built without a daemon, and pushed twice: it creates its SKU, then replaces the pack',
  async (t) => {
    const daemon = await daemonOf();
    const nw = commandLine(t, daemon);
    const at = written(t, pack);
    const checked = await (await offline(t)).run('pack', 'check', at);
    t.is(checked.status, 0, checked.stdout);
    t.regex(checked.stdout, /cli pack, 1\.0, 1 graphs, 0 tasks\n {2}Graph\.Cli\.Look {2}workflows\/look\.json/);
    const archive = join(folder(t), 'pack.tar.gz');
    t.is((await nw.run('pack', 'build', at, '-f', archive)).stdout, `${archive}\n`);
    const pushed = await nw.run('pack', 'push', archive);
    t.is(pushed.status, 0, pushed.stderr);
    const id = pushed.stdout.trim();
    t.like((await daemon.api('GET', `/skus/${id}`)).body, { name: 'cli pack', packInfo: { version: '1.0' } });
    writeFileSync(join(at, 'config.json'), JSON.stringify({ ...pack['config.json'], version: '1.1' }));
    t.is((await nw.run('pack', 'push', at)).stdout.trim(), id);
    t.like((await daemon.api('GET', `/skus/${id}`)).body, { packInfo: { version: '1.1' } });
  },
);

test.serial('a bad pack is neither built nor pushed, and all that is wrong is said', async (t) => {
  const nw = commandLine(t, await daemonOf());
  const at = written(t, {
    ...pack,
    'config.json': { ...pack['config.json'], name: 'bad pack', rules: [] },
    'workflows/look.json': { ...pack['workflows/look.json'], tasks: [{ label: 'look', taskName: 'Task.None' }] },
    'workflows/broken.json': '{',
  });
  const archive = join(folder(t), 'pack.tar.gz');
  for (const args of [
    ['check', at],
    ['build', at, '-f', archive],
    ['push', at],
  ]) {
    const { status, stdout, stderr } = await nw.run('pack', ...args);
    t.is(status, 1, args.join(' '));
    for (const part of [
      'config.json#rules',
      'workflows/look.json#tasks.0.taskName',
      'workflows/broken.json: found text',
    ])
      t.true(stdout.includes(part), `${part} in ${stdout}`);
    t.is(stderr, 'nw: The pack is rejected\n');
  }
  t.false(existsSync(archive) || existsSync(`${archive}.part`));
  t.is((await nw.run('pack', 'check', join(at, 'none'))).status, 2);
});
