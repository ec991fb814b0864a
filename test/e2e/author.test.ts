/** Authors' commands on a real daemon: its workflows are replayed, its nodes are recorded, and both simulate the graph. */
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import test, { type ExecutionContext } from 'ava';
import { folder } from '../support/ava/folder.ts';
import { runCommand } from '../support/console/command.ts';
import { ended, seen } from '../support/faults/workload.ts';
import { type DaemonProcess, startDaemonProcess } from '../support/servers/daemon.ts';
import { shared } from '../support/servers/shared-resources.ts';

const flaky = `import { defineTask, Type } from 'nodewright/define';
export default defineTask({
  injectableName: 'Task.Author.Flaky', friendlyName: 'Flaky', recovery: 'idempotent',
  optionsSchema: Type.Object({ fails: Type.Integer({ default: 0 }) }),
  retry: { attempts: 3, delayMs: 30, factor: 1 },
  run: async ({ input, attempt }) => {
    if (attempt <= input.fails) throw new Error('not yet');
    return { passed: attempt, token: 'abc-secret-def' };
  },
});
`;

/** @param next of the notification's state */
const burnIn = (next: string) => `import { defineGraph, FAILED, failTo } from 'nodewright/define';
import flaky from '../tasks/flaky.ts';
import sleep from 'nodewright/tasks/sleep.ts';
import noop from 'nodewright/tasks/noop.ts';
import waitNotification from 'nodewright/tasks/wait-notification.ts';
const { createMachine } = defineGraph({
  injectableName: 'Graph.Author.BurnIn', friendlyName: 'Burn in',
  tasks: { disks: { task: flaky, compensate: { task: noop } }, memory: noop, back: waitNotification, nap: sleep, last: flaky },
  options: { nap: { duration: 40 } },
}, {} as { context: { error: null } });
export default createMachine({
  id: 'Graph.Author.BurnIn', context: { error: null }, initial: 'burning',
  states: {
    burning: { type: 'parallel', onDone: 'waiting', states: {
      disks: { initial: 'on', states: { on: { invoke: { src: 'disks', onDone: 'off', onError: failTo('#failed') } }, off: { type: 'final' } } },
      memory: { initial: 'on', states: { on: { invoke: { src: 'memory', onDone: 'off' } }, off: { type: 'final' } } },
    } },
    waiting: { invoke: { src: 'back', onDone: '${next}', onError: failTo('failed') } },
    napping: { invoke: { src: 'nap', onDone: 'finishing' } },
    finishing: { invoke: { src: 'last', onDone: 'done', onError: failTo('failed') } },
    done: { type: 'final' },
    failed: { id: 'failed', type: 'final', tags: [FAILED] },
  },
});
`;

interface Project {
  daemon: DaemonProcess;
  home: string;
  node: string;
}

const project = shared(async (file): Promise<Project> => {
  const home = folder(file);
  for (const name of ['graphs', 'tasks', 'changed']) mkdirSync(join(home, name));
  writeFileSync(join(home, 'tasks/flaky.ts'), flaky);
  writeFileSync(join(home, 'graphs/burn-in.ts'), burnIn('napping'));
  writeFileSync(join(home, 'changed/burn-in.ts'), burnIn('finishing'));
  const daemon = await startDaemonProcess(file, {
    config: { graphs: ['graphs', join(home, 'graphs')], tasks: ['tasks', join(home, 'tasks')] },
  });
  const { body } = await daemon.api('POST', '/nodes', {
    type: 'compute',
    name: 'r640',
    identifiers: ['aa:bb:cc:00:00:01'],
  });
  await daemon.api('POST', `/nodes/${body.id}/catalogs`, {
    source: 'dmi',
    data: { vendor: 'Dell', password: 'hunter22' },
  });
  return { daemon, home, node: body.id };
});

/** As `nw history ID --export FILE` writes it. */
async function exported({ daemon, home }: Project, id: string): Promise<string> {
  const { body: workflow } = await daemon.api('GET', `/workflows/${id}`);
  const { body: history } = await daemon.api('GET', `/workflows/${id}/history?$top=1000`);
  const file = join(home, `${id}.json`);
  writeFileSync(file, JSON.stringify({ workflow, history }));
  return file;
}

async function launched(t: ExecutionContext, { daemon, node }: Project, options: object): Promise<string> {
  const { status, body } = await daemon.api('POST', `/nodes/${node}/workflows?name=Graph.Author.BurnIn`, { options });
  t.is(status, 201, JSON.stringify(body));
  return body.id;
}

const waits = async ({ daemon }: Project, id: string) =>
  (await daemon.api('GET', `/workflows/${id}`)).body.value === 'waiting';

const nw = (...args: string[]) => runCommand({}, ...args);

test.serial(
  'a workflow with retries, a notification and a timer takes the same course when it is replayed',
  async (t) => {
    const it = await project();
    const id = await launched(t, it, { disks: { fails: 2 } });
    await seen(() => waits(it, id));
    await it.daemon.southbound('POST', `/notification?nodeId=${it.node}`, { ip: '10.1.1.7' });
    t.is((await ended(it.daemon, id)).status, 'succeeded');
    const file = await exported(it, id);
    const same = nw('replay', file, '--graph', join(it.home, 'graphs/burn-in.ts'));
    t.is(same.status, 0, same.stdout + same.stderr);
    t.regex(same.stdout, /^Graph\.Author\.BurnIn, the version of the run\n(\d+) of \1 steps are the same\n$/);
    const changed = nw('replay', file, '--graph', join(it.home, 'changed/burn-in.ts'));
    t.is(changed.status, 1, changed.stdout);
    t.regex(changed.stdout, /another version than that of the run/);
    t.regex(changed.stdout, /differs .* after the launch, in step \d+ \(notification .*\)/);
    t.regex(changed.stdout, /- graph: waiting -> napping\n/);
    t.regex(changed.stdout, /\+ graph: waiting -> finishing\n/);
  },
);

test.serial('workflows that fail, and that are cancelled and undone, take the same course', async (t) => {
  const it = await project();
  const failing = await launched(t, it, { disks: { fails: 9 } });
  t.is((await ended(it.daemon, failing)).status, 'failed');
  const cancelled = await launched(t, it, {});
  await seen(() => waits(it, cancelled));
  await it.daemon.api('PUT', `/workflows/${cancelled}/action`, { command: 'cancel' });
  t.is((await ended(it.daemon, cancelled)).status, 'cancelled');
  for (const id of [failing, cancelled]) {
    const { status, stdout } = nw(
      'replay',
      await exported(it, id),
      '--graph',
      join(it.home, 'graphs/burn-in.ts'),
      '-o',
      'json',
    );
    const { difference, assumed, isSameVersion } = JSON.parse(stdout);
    t.is(status, 0, stdout);
    t.deepEqual([difference, assumed, isSameVersion], [null, [], true]);
  }
});

const mixed = {
  friendlyName: 'Mixed',
  injectableName: 'Graph.Author.Mixed',
  tasks: [
    { label: 'child', taskName: 'Task.Graph.Run', optionOverrides: { graphName: 'Graph.noop-example' } },
    { label: 'late', taskName: 'Task.Sleep', optionOverrides: { duration: 60_000, _taskTimeout: 50 } },
    { label: 'flaky', taskName: 'Task.Author.Flaky', optionOverrides: { fails: 1 } },
    { label: 'after', taskName: 'Task.noop', waitOn: { late: 'timeout', flaky: 'succeeded', child: 'succeeded' } },
    { label: 'never', taskName: 'Task.noop', waitOn: { late: 'succeeded' } },
  ],
};

test.serial('a list with a child graph, a timeout, a retry and a skipped task takes the same course', async (t) => {
  const it = await project();
  const file = join(it.home, 'graphs/mixed.json');
  writeFileSync(file, JSON.stringify(mixed));
  const known = async () => (await it.daemon.api('GET', '/workflows/graphs/Graph.Author.Mixed')).status === 200;
  await seen(known);
  const { body } = await it.daemon.api('POST', '/workflows?name=Graph.Author.Mixed', {});
  const { tasks, status } = await ended(it.daemon, body.id);
  t.is(status, 'succeeded', JSON.stringify(tasks));
  const { status: code, stdout, stderr } = nw('replay', await exported(it, body.id), '--graph', file, '-o', 'json');
  t.is(code, 0, stdout + stderr);
  t.deepEqual([JSON.parse(stdout).difference, JSON.parse(stdout).isSameVersion], [null, true]);
});

test.serial('a recorded node has its catalogs and outputs without secrets, and simulations use them', async (t) => {
  const it = await project();
  const { url, headers } = it.daemon.authorized('');
  const env = { NW_URL: new URL(url).origin, NW_TOKEN: headers.authorization?.replace('JWT ', '') ?? '' };
  const { status, stdout, stderr } = runCommand(env, 'record', 'r640');
  t.is(status, 0, stderr);
  const recording = JSON.parse(stdout);
  t.like(recording, { format: 'nodewright recording 1', catalogs: { dmi: { vendor: 'Dell', password: 'REDACTED' } } });
  t.deepEqual(recording.outputs['Task.Author.Flaky']?.[0], { passed: 1, token: 'REDACTED' });
  t.false(stdout.includes('hunter22') || stdout.includes('abc-secret-def'));
  const file = join(it.home, 'rec.json');
  writeFileSync(file, stdout);
  const graph = join(it.home, 'graphs/burn-in.ts');
  const run = nw(
    'simulate',
    graph,
    '--node',
    file,
    '--end',
    'disks=fail,fail,ok',
    '--notify',
    '{"ip":"x"}',
    '-o',
    'json',
  );
  t.is(run.status, 0, run.stderr);
  const { tasks, trace } = JSON.parse(run.stdout);
  t.like(tasks.disks, { state: 'succeeded', attempts: 3, output: { passed: 1 } });
  t.true(trace.includes('60ms > notify {"ip":"x"}'), trace.join('\n'));
  t.is(runCommand(env, 'record', 'nix').status, 1);
});

test.serial('wrong usage is 2, a failure is 1, and each is a sentence', async (t) => {
  const it = await project();
  const graph = join(it.home, 'graphs/burn-in.ts');
  const bad = join(it.home, 'graphs/bad.ts');
  writeFileSync(bad, 'export default {\n  id: ,\n};\n');
  const file = join(it.home, 'bad.json');
  writeFileSync(file, '{"workflow":{}}');
  const cases: [args: string[], status: number, message: RegExp][] = [
    [['simulate', graph, '--end', 'disk=fail'], 2, /found ends of 'disk'; expected a label of Graph\.Author\.BurnIn/],
    [['simulate', graph, '--end', 'disks=broken'], 2, /found the end broken; expected ok, fail, a code/],
    [['simulate', graph, '--until', 'nix'], 2, /no state and no label 'nix'/],
    [['simulate', graph, '--notify', '[]'], 2, /expected an object as JSON/],
    [['simulate', join(it.home, 'none.ts')], 2, /found no file/],
    [['simulate', bad], 1, /bad\.ts:2/],
    [['simulate', graph, '--end', 'disks=DISK_BROKEN'], 1, /^$/],
    [['replay', file], 2, /bad\.json with .*workflow\.injectableName/],
    [
      ['replay', await exported(it, await launched(t, it, {}))],
      2,
      /not an included graph; name its file: --graph FILE/,
    ],
    [['test', 'Graph.Nix'], 2, /'Graph\.Nix'; expected the name of an included graph/],
  ];
  for (const [args, expected, message] of cases) {
    const { status, stderr } = nw(...args);
    t.is(status, expected, args.join(' '));
    t.regex(stderr, message);
  }
});

test.serial('nw test counts what passed, and names what is broken with its path', async (t) => {
  const { home } = await project();
  const good = nw('test', join(home, 'graphs/burn-in.ts'));
  t.is(good.status, 0, good.stderr);
  t.regex(good.stdout, /fails at each of 4 calls +4\/4\n.*repeats.*\n.*cancelled before each of \d+ steps.*\nkilled/);
  const stuck = join(home, 'graphs/stuck.ts');
  const text = readFileSync(join(home, 'graphs/burn-in.ts'), 'utf8').replaceAll(
    'Graph.Author.BurnIn',
    'Graph.Author.Stuck',
  );
  writeFileSync(
    stuck,
    text
      .replace("onDone: 'done', onError: failTo('failed')", "onDone: 'done', onError: failTo('lost')")
      .replace('done: {', 'lost: {}, done: {'),
  );
  const { status, stdout, stderr } = nw('test', stuck);
  t.is(status, 1);
  t.regex(stdout, /fails at each of 4 calls +3\/4/);
  t.regex(stderr, /x the workflow does not end\n {4}launched\n[\s\S]*last fails for good/);
});
