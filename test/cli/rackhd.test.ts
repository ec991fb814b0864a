/** `nw import rackhd`: a checkout in the shape of RackHD's repositories, to a real daemon. */
import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import test from 'ava';
import { folder } from '../support/ava/folder.ts';
import { cliDaemon } from '../support/console/cli-scene.ts';
import { commandLine } from '../support/console/command-line.ts';

const module = (json: object, before = '') => `'use strict';\n${before}\nmodule.exports = ${JSON.stringify(json)};\n`;
const task = (name: string, implementsTask: string, options: object = {}) => ({
  friendlyName: name,
  injectableName: name,
  implementsTask,
  options,
  properties: {},
});
const graph = (name: string, taskName: string) => ({
  friendlyName: name,
  injectableName: name,
  tasks: [{ label: 'one', taskName }],
});

const checkout: Record<string, string> = {
  'lib/task-data/base-tasks/noop.js': module({ injectableName: 'Task.Base.noop', runJob: 'Job.noop' }),
  'lib/task-data/base-tasks/own.js': module({ injectableName: 'Task.Base.Own', runJob: 'Job.Own' }),
  'lib/task-data/tasks/rest.js': module(task('Task.Mine.Rest', 'Task.Base.noop', { delay: 5 })),
  'lib/task-data/tasks/noop.js': module(task('Task.noop', 'Task.Base.noop')),
  'lib/task-data/tasks/snmp.js': module(task('Task.Mine.Snmp', 'Task.Base.Snmp')),
  'lib/task-data/tasks/wrong.js': module(task('Task.Mine.Wrong', 'Task.Base.noop', { delay: 'x' })),
  'lib/task-data/tasks/endless.js': 'for (;;);',
  'lib/task-data/tasks/outside.js': module({}, "require('fs');"),
  'lib/graphs/good.js': module(graph('Graph.Mine.Good', 'Task.Mine.Rest')),
  'lib/graphs/snmp.js': module(graph('Graph.Mine.Snmp', 'Task.Mine.Snmp')),
  'data/templates/mine.xml': 'root=<%= rootEncryptedPassword %>',
  'data/templates/in-a-folder/mine.sh': 'echo',
  'data/templates/centos-ks': 'not ours',
  'data/profiles/mine.ipxe': 'kernel x',
  'lib/graphs/unknown.json': JSON.stringify(graph('Graph.Mine.Unknown', 'Task.Mine.None')),
};
const rules = [{ path: 'dmi.a', equals: 'b' }];
const packs: Record<string, string> = {
  'first/config.json': JSON.stringify({ name: 'first', rules, workflowRoot: 'workflows', httpStaticRoot: 'static' }),
  'first/workflows/g.json': JSON.stringify(graph('Graph.Mine.Pack', 'Task.Mine.Rest')),
  'second/config.json': JSON.stringify({ name: 'second', rules, workflowRoot: 'workflows' }),
  'second/workflows/a.json': JSON.stringify(graph('Graph.Mine.A', 'Task.Mine.None')),
  'second/workflows/b.json': JSON.stringify(graph('Graph.Mine.B', 'Task.Mine.Neither')),
};

function written(at: string, files: Record<string, string>): string {
  for (const [name, text] of Object.entries(files)) {
    mkdirSync(dirname(join(at, name)), { recursive: true });
    writeFileSync(join(at, name), text);
  }
  return at;
}

interface Result {
  name: string;
  result: string;
  notes: string[];
}

test('a checkout is imported, and each file is taken, ours, or rejected with all that is wrong', async (t) => {
  const daemon = await cliDaemon(t);
  const nw = commandLine(t, daemon);
  const at = written(folder(t), checkout);
  for (const flags of [['--dry-run'], []]) {
    const { status, stdout, stderr } = await nw.run('import', 'rackhd', at, '-o', 'json', ...flags);
    t.is(status, 1, stderr);
    const found = new Map((JSON.parse(stdout) as Result[]).map((one) => [one.name, one]));
    const results = Object.fromEntries([...found].map(([name, { result }]) => [name, result]));
    t.deepEqual(results, {
      'Task.Base.noop': 'ours',
      'Task.Base.Own': 'rejected',
      'lib/task-data/tasks/endless.js': 'rejected',
      'Task.noop': 'ours',
      'lib/task-data/tasks/outside.js': 'rejected',
      'Task.Mine.Rest': 'taken',
      'Task.Mine.Snmp': 'taken',
      'Task.Mine.Wrong': 'rejected',
      'Graph.Mine.Good': 'taken',
      'Graph.Mine.Snmp': 'taken',
      'Graph.Mine.Unknown': 'rejected',
      'mine.sh': 'taken',
      'mine.xml': 'taken',
      'centos-ks': 'ours',
      'mine.ipxe': 'taken',
    });
    t.regex(found.get('lib/task-data/tasks/endless.js')?.notes[0] ?? '', /takes too long/);
    t.regex(found.get('lib/task-data/tasks/outside.js')?.notes[0] ?? '', /require\("fs"\) is not available/);
    t.regex(found.get('Task.Mine.Wrong')?.notes[0] ?? '', /options\.delay/);
    t.regex(found.get('Graph.Mine.Snmp')?.notes[0] ?? '', /JOB_MISSING|Task\.Base\.Snmp/);
    t.is((await daemon.api('GET', '/profiles/library/mine.ipxe')).status, flags.length > 0 ? 404 : 200);
    t.is((await daemon.api('GET', '/workflows/graphs/Graph.Mine.Good')).status, flags.length > 0 ? 404 : 200);
  }
  const launched = await daemon.api('POST', '/workflows', { name: 'Graph.Mine.Good' });
  t.is(launched.status, 201);
  const rejected = await daemon.api('POST', '/workflows', { name: 'Graph.Mine.Snmp' });
  t.is(rejected.status, 409);
  t.like(rejected.body, { code: 'JOB_MISSING', errors: [{ path: 'tasks.one' }] });
  const inPacks = written(folder(t), packs);
  const { stdout } = await nw.run('import', 'rackhd', inPacks, '-o', 'json');
  const [first, second] = JSON.parse(stdout) as Result[];
  t.like(first, { name: 'first', result: 'taken', notes: ['left out httpStaticRoot: the pack has no such folder'] });
  t.is(second?.result, 'rejected');
  t.is(second?.notes.length, 2);
});

test('a folder with nothing of RackHD is wrong usage', async (t) => {
  const nw = commandLine(t, await cliDaemon(t));
  const { status, stderr } = await nw.run('import', 'rackhd', folder(t));
  t.is(status, 2);
  t.regex(stderr, /found neither tasks, graphs nor packs/);
});
