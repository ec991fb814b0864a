/** `nw run`, against a real daemon. */
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import test from 'ava';
import { packagePath } from '../../engine/vocabulary/package-path.ts';
import { folder } from '../support/ava/folder.ts';
import { addNode, sharedCliDaemon } from '../support/console/cli-scene.ts';
import { commandLine } from '../support/console/command-line.ts';
import { ended } from '../support/faults/workload.ts';

const daemonOf = sharedCliDaemon();
const drives = JSON.parse(readFileSync(packagePath('fixtures/drive-id.json'), 'utf8'));

test.serial('a graph is launched on a node by its name, and the output is the id of the workflow', async (t) => {
  const daemon = await daemonOf();
  const nw = commandLine(t, daemon);
  await addNode(daemon, 'run-1');
  const { status, stdout, stderr } = await nw.run('run', 'Graph.noop-example', 'run-1');
  t.is(status, 0, stderr);
  t.is((await daemon.api('GET', `/workflows/${stdout.trim()}`)).body.injectableName, 'Graph.noop-example');
  t.regex(stderr, /Graph.noop-example on run-1 is \w+; nw watch /);
});

test.serial('options are given to all tasks, or to one, as JSON, a text or a file', async (t) => {
  const daemon = await daemonOf();
  const nw = commandLine(t, daemon);
  const file = join(folder(t), 'x.json');
  writeFileSync(file, '{"deep":[1]}');
  const args = ['-o', 'a=1', '-o', 'text=b c', '-o', 'nap.duration=5', '-o', `nap.x=@${file}`];
  const { status, stdout } = await nw.run('run', 'Graph.Cli.Sleep', ...args, '--plan', '-o', 'json');
  t.is(status, 1, 'its schema has no other options');
  t.regex(
    JSON.parse(stdout)
      .rejections.map(({ path }: { path: string }) => path)
      .join(),
    /nap/,
  );
  const plain = await nw.run('run', 'Graph.Cli.Sleep', '-o', 'nap.duration=5', '-o', 'json');
  t.deepEqual(JSON.parse(plain.stdout).options, { nap: { duration: 5 } });
  t.regex(plain.stderr, /-o key=value ends with 0\.2; use --set key=value/);
  t.is(plain.status, 0);
});

test.serial('a value of -o that is neither an option nor a form is wrong usage', async (t) => {
  const nw = commandLine(t, await daemonOf());
  const { status, stdout, stderr } = await nw.run('run', 'Graph.noop-example', '-o', 'xml');
  t.is(status, 2);
  t.is(stdout, '');
  t.regex(stderr, /table, wide, json, jsonl/);
  t.is((await nw.run('run', 'Graph.noop-example', '-o', 'a=@/nowhere.json')).status, 2);
});

test.serial('a plan has tasks, recovery and reasons against it, and starts nothing', async (t) => {
  const daemon = await daemonOf();
  const nw = commandLine(t, daemon);
  const id = await addNode(daemon, 'plan-1');
  const good = await nw.run('run', 'Graph.Cli.Wait', 'plan-1', '--plan');
  t.is(good.status, 0, good.stderr);
  t.regex(good.stdout, /PLAN {2}Graph.Cli.Wait \w{6} on plan-1\n/);
  t.regex(good.stdout, /report +idempotent +\S+ +first/);
  t.regex(good.stdout, /Nothing was started/);
  const bad = await nw.run('run', 'Graph.Reboot.Node', 'plan-1', '--plan');
  t.is(bad.status, 1);
  t.regex(bad.stdout, /rejected: .*OBM_MISSING/);
  t.deepEqual((await daemon.api('GET', `/nodes/${id}/workflows`)).body, []);
});

test.serial('the exit code of a followed workflow is that of its end', async (t) => {
  const nw = commandLine(t, await daemonOf());
  for (const [graph, code, line] of [
    ['Graph.noop-example', 0, /noop-2 {2}succeeded/],
    ['Graph.Cli.Fail', 1, /breaks {2}failed {2}it broke \(X_FIXTURE_BROKE\)/],
    ['Graph.Cli.TimeOut', 4, /waits {2}timeout/],
  ] as const) {
    const { status, stdout } = await nw.run('run', graph, '--watch');
    t.is(status, code, stdout);
    t.regex(stdout, line);
  }
});

test.serial('with -o json a followed workflow is one record, with -o jsonl a line for each change', async (t) => {
  const nw = commandLine(t, await daemonOf());
  const { status, stdout } = await nw.run('run', 'Graph.Cli.Fail', '--watch', '-o', 'json');
  t.is(status, 1);
  t.is(JSON.parse(stdout).status, 'failed');
  const lines = await nw.run('run', 'Graph.Cli.Fail', '--watch', '-o', 'jsonl');
  const changes = lines.stdout
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line));
  t.is(changes.at(-1).status, 'failed');
  t.true(changes.some(({ label, state }) => label === 'breaks' && state === 'failed'));
});

test.serial('several nodes are a batch, in which the rejection of one spoils nothing', async (t) => {
  const daemon = await daemonOf();
  const nw = commandLine(t, daemon);
  const busy = await addNode(daemon, 'batch-busy');
  for (const name of ['batch-1', 'batch-2']) await addNode(daemon, name);
  await daemon.api('POST', `/nodes/${busy}/workflows?name=Graph.Cli.Wait`, {});
  const nodes = ['batch-1', 'batch-2', 'batch-busy'];
  const { status, stdout, stderr } = await nw.run('run', 'Graph.noop-example', ...nodes, '--watch', '--batch', '1');
  t.is(status, 1, stderr);
  t.regex(stdout, /batch-1 +succeeded/);
  t.regex(stdout, /batch-2 +succeeded/);
  t.regex(stderr, /rejected: .*NODE_BUSY/);
  const good = await nw.run('run', 'Graph.noop-example', 'batch-1', 'batch-2', '--watch', '-o', 'json');
  t.is(good.status, 0);
  t.is(JSON.parse(good.stdout).counts.succeeded, 2);
});

test.serial(
  'a batch of more nodes than are launched at the same time is followed until all are launched',
  async (t) => {
    const daemon = await daemonOf();
    const nw = commandLine(t, daemon);
    const nodes = await Promise.all(Array.from({ length: 130 }, () => addNode(daemon, 'wave')));
    const { status, stdout, stderr } = await nw.run('run', 'Graph.Cli.Wait', ...nodes, '-o', 'json');
    t.is(status, 0, stderr);
    const { launched, waiting, id } = JSON.parse(stdout);
    t.deepEqual([launched.length, waiting], [130, []]);
    t.is((await nw.run('batch', 'cancel', id)).status, 0);
    const limited = await nw.run('run', 'Graph.Cli.Wait', ...nodes.slice(0, 4), '--batch', '2');
    t.is(limited.status, 0);
    t.regex(limited.stderr, /2 running, 2 waiting; nw batch watch/);
  },
);

test.serial('a destructive graph is rejected without a terminal, unless --yes confirms it', async (t) => {
  const daemon = await daemonOf();
  const nw = commandLine(t, daemon);
  const id = await addNode(daemon, 'erase-1', { obms: [{ service: 'noop-obm-service', config: {} }] });
  await daemon.api('POST', `/nodes/${id}/catalogs`, { source: 'driveId', data: drives });
  const options = ['-o', 'drive-secure-erase.eraseSettings=[{"disks":["sda"],"tool":"scrub"}]'];
  const rejected = await nw.run('run', 'Graph.Drive.SecureErase', 'erase-1', ...options);
  t.is(rejected.status, 2, rejected.stderr);
  t.regex(rejected.stderr, /destructive/);
  t.regex(rejected.stderr, /--yes/);
  t.deepEqual((await daemon.api('GET', `/nodes/${id}/workflows`)).body, []);
  const confirmed = await nw.run('run', 'Graph.Drive.SecureErase', 'erase-1', ...options, '--yes');
  t.is(confirmed.status, 0, confirmed.stderr);
  const cancel = await nw.run('cancel', 'erase-1');
  t.is(cancel.status, 2, 'so is its cancel');
  t.regex(cancel.stderr, /Graph.Drive.SecureErase on erase-1 may be destroying data[\s\S]*--yes/);
  t.is((await nw.run('cancel', 'erase-1', '--yes')).status, 0);
  await ended(daemon, confirmed.stdout.trim());
  t.is((await nw.run('retry', 'erase-1')).status, 2, 'and its retry');
});

test.serial('a plan names the drives of each node and the power, and at the end the nodes that are busy', async (t) => {
  const daemon = await daemonOf();
  const nw = commandLine(t, daemon);
  const obms = [{ service: 'noop-obm-service', config: {} }];
  const [known, busy] = [await addNode(daemon, 'plan-a', { obms }), await addNode(daemon, 'plan-b', { obms })];
  await addNode(daemon, 'plan-c', { obms });
  const data = drives.map((drive: object) => ({ ...drive, model: 'ST4', serial: 'Z1', sizeBytes: 4_000_787_030_016 }));
  await daemon.api('POST', `/nodes/${known}/catalogs`, { source: 'driveId', data });
  const { body } = await daemon.api('POST', `/nodes/${busy}/workflows?name=Graph.Cli.Wait`, {});
  const erase = ['run', 'Graph.Drive.SecureErase', 'plan-a', 'plan-b', 'plan-c', '--plan'];
  const options = ['-o', 'drive-secure-erase.eraseSettings=[{"disks":["sdb"]}]'];
  const { status, stdout } = await nw.run(...erase, ...options);
  t.is(status, 1);
  t.regex(
    stdout,
    /on plan-a +destructive\n +destroys: sdb: ST4, serial number Z1, 4 TB\n +power: goes off and on \(reboot-start/,
  );
  t.regex(stdout, /on plan-c +destructive\n +destroys: the drives are known when it runs/);
  t.is(stdout.match(/TASK +RECOVERY/gi)?.length, 1, 'the table of tasks is printed once');
  t.regex(stdout, new RegExp(`1 of 3 nodes are busy.*\\n +plan-b: Graph.Cli.Wait \\(workflow ${body.id}`));
  const plans = JSON.parse((await nw.run(...erase, ...options, '-o', 'json')).stdout);
  t.like(
    plans[0].tasks.find(({ label }: { label: string }) => label === 'drive-secure-erase'),
    {
      drives: [{ name: 'sdb', model: 'ST4', serial: 'Z1', sizeBytes: 4_000_787_030_016 }],
    },
  );
  t.deepEqual(
    plans.map(({ holder }: { holder: { workflow: string } | null }) => holder?.workflow ?? null),
    [null, body.id, null],
  );
});

test.serial('unknown nodes and graphs, and nodes that are busy, are rejected in words', async (t) => {
  const daemon = await daemonOf();
  const nw = commandLine(t, daemon);
  await addNode(daemon, 'words-1');
  const noNode = await nw.run('run', 'Graph.noop-example', 'nowhere');
  t.is(noNode.status, 1);
  t.regex(noNode.stderr, /found no node .*nowhere; nw nodes lists them/);
  const noGraph = await nw.run('run', 'Graph.None', 'words-1');
  t.is(noGraph.status, 1);
  t.regex(noGraph.stderr, /Graph definition not found for Graph.None/);
  const typo = await nw.run('run', 'Graph.noop-exmple');
  t.regex(typo.stderr, /not found for Graph.noop-exmple \(NOT_FOUND\); did you mean 'Graph.noop-example'\?/);
  await nw.run('run', 'Graph.Cli.Wait', 'words-1');
  const busy = await nw.run('run', 'Graph.Cli.Wait', 'words-1');
  t.is(busy.status, 1);
  t.regex(busy.stderr, /NODE_BUSY[\s\S]*nw why/);
  t.is((await nw.run('run', 'Graph.noop-example', '--no-node', 'words-1')).status, 2);
  t.is((await nw.run('run', 'Graph.noop-example', '')).status, 2);
  t.is((await nw.run('run', 'Graph.noop-example', '--timeout', '10m')).status, 2);
  t.is((await nw.run('run', 'Graph.noop-example', '--batch', '2')).status, 2);
});

test.serial(
  'nodes are selected by a tag or a filter, options are set by --set, and the plan of several begins with the sum',
  async (t) => {
    const daemon = await daemonOf();
    const nw = commandLine(t, daemon);
    const ids = await Promise.all(['sel-1', 'sel-2', 'sel-3'].map((name) => addNode(daemon, name)));
    for (const id of ids.slice(0, 2)) await daemon.api('PATCH', `/nodes/${id}/tags`, { tags: ['selected'] });
    await daemon.api('POST', `/nodes/${ids[0]}/workflows?name=Graph.Cli.Wait`, {});
    const plan = await nw.run('run', 'Graph.Cli.Sleep', '--tag', 'selected', '--set', 'nap.duration=1', '--plan');
    t.regex(plan.stdout, /^2 nodes: 1 would be launched, 1 rejected \(1 NODE_BUSY\)\n/);
    t.regex(plan.stderr, /2 nodes match/);
    const run = await nw.run(
      'run',
      'Graph.Cli.Sleep',
      '--filter',
      'name=sel-3',
      '--set',
      'nap.duration=1',
      '-o',
      'json',
    );
    t.is(run.status, 0, run.stderr);
    const { node, options } = JSON.parse(run.stdout);
    t.is(node, ids[2]);
    t.is(options.nap.duration, 1);
    t.is((await nw.run('run', 'Graph.Cli.Sleep', '--tag', 'unused')).status, 1);
    t.is((await nw.run('run', 'Graph.Cli.Sleep', 'sel-1', '--tag', 'selected')).status, 2);
    t.is((await nw.run('run', 'Graph.Cli.Sleep', '--set', 'nap')).status, 2);
  },
);
