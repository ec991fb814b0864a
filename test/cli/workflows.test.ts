/** `nw ps`, `why`, `history`, `workflow show`, the actions, `retry` and `batch`, against a real daemon. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import test, { type ExecutionContext } from 'ava';
import { folder } from '../support/ava/folder.ts';
import { addNode, sharedCliDaemon } from '../support/console/cli-scene.ts';
import { commandLine } from '../support/console/command-line.ts';
import { ended, launch, seen } from '../support/faults/workload.ts';
import type { DaemonProcess } from '../support/servers/daemon.ts';
import { freePort } from '../support/servers/server.ts';

const daemonOf = sharedCliDaemon();

/** Puts a graph that fails in a `once` task, which may have taken effect. */
async function putOnce(t: ExecutionContext, { api }: DaemonProcess): Promise<string> {
  const ledger = join(folder(t), 'ledger');
  const optionOverrides = { ledger, line: 'x', ms: 60_000, _taskTimeout: 300 };
  const tasks = [{ label: 'command', taskName: 'Task.Fixture.WriteOnce', optionOverrides }];
  await api('PUT', '/workflows/graphs', { friendlyName: 'Once', injectableName: 'Graph.Cli.Once', tasks });
  return ledger;
}

async function launched(daemon: DaemonProcess, graph: string, name: string, options: object = {}) {
  const node = await addNode(daemon, name);
  const { status, body } = await daemon.api('POST', `/nodes/${node}/workflows?name=${graph}`, { options });
  if (status !== 201) throw new Error(JSON.stringify(body));
  return { node, id: body.id as string };
}

/** Resolves when a task waits for this. */
const waits = ({ api }: DaemonProcess, id: string, waitingOn: string) =>
  seen(async () =>
    (await api('GET', `/workflows/${id}`)).body.tasks.some(
      (task: { waitingOn: string }) => task.waitingOn === waitingOn,
    ),
  );

test.serial('ps lists active workflows with the names of their nodes, and selects by its options', async (t) => {
  const daemon = await daemonOf();
  const nw = commandLine(t, daemon);
  const { id } = await launched(daemon, 'Graph.Cli.Wait', 'ps-1');
  await waits(daemon, id, 'notification');
  const failed = await launch(daemon, 'Graph.Cli.Fail');
  await ended(daemon, failed);
  const { status, stdout } = await nw.run('ps');
  t.is(status, 0);
  t.regex(
    stdout,
    new RegExp(`^${id.slice(0, 8)} +Graph.Cli.Wait +ps-1 +running +report +the node.s notification +\\S+`, 'm'),
  );
  t.false(stdout.includes(failed));
  const idsOf = async (...args: string[]): Promise<string[]> => {
    const answer = await nw.run('ps', '-o', 'json', ...args);
    t.is(answer.status, 0, answer.stderr);
    return JSON.parse(answer.stdout).map((workflow: { id: string }) => workflow.id);
  };
  t.true((await idsOf('--failed')).includes(failed));
  const failures = await nw.run('ps', '--failed', '--graph', 'Graph.Cli.Fail');
  t.regex(
    failures.stdout,
    new RegExp(`^${failed.slice(0, 8)} .* failed +breaks +- .*  breaks: it broke \\(X_FIXTURE_BROKE\\)$`, 'm'),
  );
  t.deepEqual(await idsOf('--node', 'ps-1'), [id]);
  t.deepEqual(await idsOf('--graph', 'Graph.Cli.Fail'), []);
  t.deepEqual(await idsOf('--graph', 'Graph.Cli.Fail', '--all'), [failed]);
  t.deepEqual(await idsOf('--stuck'), []);
  t.deepEqual(await idsOf(failed.slice(0, 8)), [failed], 'by the beginning of its id');
  t.regex((await nw.run('why', id.slice(0, 8))).stdout, /notification/);
  const mistyped = await nw.run('ps', '--graph', 'Graph.Cli.Fial');
  t.is(mistyped.status, 1);
  t.regex(mistyped.stderr, /no graph is called Graph\.Cli\.Fial; nw graphs lists them/);
  const cut = await nw.run('ps', '--all', '--limit', '1', '-o', 'jsonl');
  t.is(cut.stdout.trim().split('\n').length, 1);
  t.regex(cut.stderr, /1 of \d+; --limit shows more/);
  const mine = await idsOf('--mine', '--all');
  t.true(mine.includes(id) && mine.includes(failed));
  nw.env.NW_TOKEN = 'nwt_of-a-program';
  t.is((await nw.run('ps', '--mine')).status, 2, 'the user of an API token is not known');
});

test.serial('notify completes a wait with its parameters, and is rejected when nothing waits', async (t) => {
  const daemon = await daemonOf();
  const nw = commandLine(t, daemon);
  const { id } = await launched(daemon, 'Graph.Cli.Wait', 'notify-1');
  await waits(daemon, id, 'notification');
  const early = await nw.run('notify', 'notify-1', '--label', 'first');
  t.is(early.status, 1);
  t.regex(early.stderr, /does not wait for a notification; report waits/);
  t.is((await nw.run('notify', 'notify-1', '--data', 'no object')).status, 1);
  const done = await nw.run('notify', 'notify-1', '--label', 'report', '--data', '{"disk":"sda"}', '-o', 'json');
  t.is(done.status, 0, done.stderr);
  t.like(JSON.parse(done.stdout), { disk: 'sda', task: 'report' });
  const { status, tasks } = await ended(daemon, id);
  t.is(status, 'succeeded');
  t.like(tasks[1]?.output, { disk: 'sda' });
  t.is((await nw.run('notify', id)).status, 1);
});

test.serial('a table has its times in one form: as ISO 8601 in a pipe, relative if that is wanted', async (t) => {
  const daemon = await daemonOf();
  const nw = commandLine(t, daemon);
  const { id } = await launched(daemon, 'Graph.Cli.Wait', 'times-1');
  await waits(daemon, id, 'notification');
  const rowOf = async (...args: string[]) =>
    (await nw.run('ps', id, '-o', 'wide', ...args)).stdout.split('\n')[1] ?? '';
  const [iso, relative] = [/\d{4}-\d\d-\d\dT[\d:.]+Z/g, /\d+ s ago|in \d+ (?:h|min)/g];
  const piped = await rowOf();
  t.deepEqual([piped.match(iso)?.length, piped.match(relative)], [3, null], piped);
  const wanted = await rowOf('--time-format', 'relative');
  t.deepEqual([wanted.match(iso), wanted.match(relative)?.length], [null, 3], wanted);
  t.is((await nw.run('--time-format', 'iso', 'ps', id)).stdout.match(iso)?.length, 2);
  t.is((await nw.run('ps', '--time-format', 'short')).status, 2);
});

test.serial('why says what is waited for, until when, and which command helps', async (t) => {
  const daemon = await daemonOf();
  const nw = commandLine(t, daemon);
  const { id } = await launched(daemon, 'Graph.Cli.Wait', 'why-1');
  await waits(daemon, id, 'notification');
  const { status, stdout } = await nw.run('why', 'why-1');
  t.is(status, 0);
  t.regex(stdout, /workflow +Graph.Cli.Wait on why-1, running/);
  t.regex(stdout, /waits +report: the node has to report.*; it began \d{4}-/);
  t.regex(stdout, /due +\d{4}-\S+: \S/);
  t.regex(stdout, new RegExp(`do +.*: nw cancel ${id}`));
  t.regex(stdout, new RegExp(`do +.*: nw notify ${id} --label report`));
  await addNode(daemon, 'why-2');
  const free = await nw.run('why', 'why-2');
  t.is(free.status, 0);
  t.regex(free.stdout, /workflow +none on why-2\nwaits +for nothing/);
  const json = await nw.run('why', id, '-o', 'json');
  t.is(JSON.parse(json.stdout).waits[0].label, 'report');
});

test.serial(
  'why says of a workflow that has ended when, and of a failed one the cause and what a retry does',
  async (t) => {
    const daemon = await daemonOf();
    const nw = commandLine(t, daemon);
    const ledger = await putOnce(t, daemon);
    const once = await launched(daemon, 'Graph.Cli.Once', 'why-3');
    await ended(daemon, once.id);
    const explained = (await nw.run('why', 'why-3')).stdout;
    const time = String.raw`\d{4}-\S+Z`;
    for (const line of [
      'workflow  none on why-3',
      `last      Graph.Cli.Once, failed, ${once.id}`,
      `failed    ${time}: command: the task took longer than 300 ms \\(TASK_TIMEOUT\\)`,
      `attempt   1 of 1, ended ${time}: the task took longer than 300 ms \\(TASK_TIMEOUT\\)`,
      'remedy    Find the cause, .* nw explain TASK_TIMEOUT has more',
      `do        run it again from command; .*: nw retry ${once.id}`,
      'once      command may have taken effect, .* add --acknowledge command',
    ])
      t.regex(explained, new RegExp(`^${line}$`, 'm'));
    t.true(
      (await nw.run('why', once.id)).stdout.startsWith(
        `workflow  Graph.Cli.Once on why-3, failed, ${once.id}\nfailed `,
      ),
    );
    t.like(JSON.parse((await nw.run('why', 'why-3', '-o', 'json')).stdout), { status: null, waits: [] }, 'as the API');

    const optionOverrides = { ledger, line: 'y', failures: 9 };
    const tasks = [{ label: 'tries', taskName: 'Task.Fixture.Flaky', optionOverrides }];
    await daemon.api('PUT', '/workflows/graphs', { friendlyName: 'Flaky', injectableName: 'Graph.Cli.Flaky', tasks });
    const flaky = await launch(daemon, 'Graph.Cli.Flaky');
    await ended(daemon, flaky);
    const attempts = (await nw.run('why', flaky)).stdout;
    for (const n of [1, 2, 3])
      t.regex(attempts, new RegExp(`^attempt   ${n} of 3, ended ${time}: failure ${n} \\(TASK_FAILED\\)$`, 'm'));
    t.notRegex(attempts, /^once/m);

    const done = await launch(daemon, 'Graph.noop-example');
    await ended(daemon, done);
    t.regex((await nw.run('why', done)).stdout, new RegExp(`^waits     for nothing: it succeeded ${time}\\n$`, 'm'));
  },
);

test.serial('the last workflow of a node is one that can be retried, not the child of another', async (t) => {
  const daemon = await daemonOf();
  const nw = commandLine(t, daemon);
  const tasks = [{ label: 'sub', taskName: 'Task.Graph.Run', optionOverrides: { graphName: 'Graph.Cli.Fail' } }];
  await daemon.api('PUT', '/workflows/graphs', { friendlyName: 'Parent', injectableName: 'Graph.Cli.Parent', tasks });
  const { id } = await launched(daemon, 'Graph.Cli.Parent', 'parent-1');
  await ended(daemon, id);
  const [child] = (await daemon.api('GET', `/workflows?root=${id}`)).body;
  t.is(child.injectableName, 'Graph.Cli.Fail');
  t.regex((await nw.run('why', child.id)).stdout, new RegExp(`^do +run the workflow .*: nw retry ${id}$`, 'm'));
  t.regex((await nw.run('why', 'parent-1')).stdout, new RegExp(`^last +Graph.Cli.Parent, failed, ${id}$`, 'm'));
  const { status, stderr } = await nw.run('retry', 'parent-1', '--watch');
  t.is(status, 1);
  t.regex(stderr, /nw retry \S+ runs it again/);
});

test.serial('history lists the steps, and exports the workflow with all of them', async (t) => {
  const daemon = await daemonOf();
  const nw = commandLine(t, daemon);
  const id = await launch(daemon, 'Graph.Cli.Fail');
  await ended(daemon, id);
  const { status, stdout } = await nw.run('history', id);
  t.is(status, 0);
  t.regex(stdout, /breaks .*X_FIXTURE_BROKE/);
  const file = join(folder(t), 'run.json');
  t.is((await nw.run('history', id, '--export', file)).status, 0);
  const { workflow, history } = JSON.parse(readFileSync(file, 'utf8'));
  t.is(workflow.id, id);
  t.deepEqual(history, JSON.parse((await nw.run('history', id, '-o', 'json')).stdout));
  t.true(history.length > 3);
});

test.serial('workflow show has the tasks with their errors', async (t) => {
  const daemon = await daemonOf();
  const nw = commandLine(t, daemon);
  const id = await launch(daemon, 'Graph.Cli.Fail');
  await ended(daemon, id);
  const { status, stdout } = await nw.run('workflow', 'show', id);
  t.is(status, 0);
  t.regex(stdout, /status +failed/);
  t.regex(stdout, /breaks +failed .*it broke \(X_FIXTURE_BROKE\)/);
  t.is(JSON.parse((await nw.run('workflow', 'show', id, '-o', 'json')).stdout).id, id);
});

test.serial('workflow show has the outputs of tasks, without what a terminal obeys, and up to a limit', async (t) => {
  const daemon = await daemonOf();
  const nw = commandLine(t, daemon);
  const { node, id } = await launched(daemon, 'Graph.Cli.Wait', 'out-1');
  await waits(daemon, id, 'notification');
  const text = `\u009b31m${'x'.repeat(2_000)}`;
  t.is((await daemon.southbound('POST', `/notification?nodeId=${node}`, { data: { text } })).status, 201);
  await ended(daemon, id);
  const { stdout } = await nw.run('workflow', 'show', id);
  t.regex(stdout, /output of report\n.{900,1100}\(\d+ characters\)\n/);
  t.false(stdout.includes('\u009b'));
});

test.serial('a workflow is paused, resumed and cancelled by its node', async (t) => {
  const daemon = await daemonOf();
  const nw = commandLine(t, daemon);
  const { id } = await launched(daemon, 'Graph.Cli.Wait', 'act-1');
  t.is((await nw.run('pause', 'act-1')).status, 0);
  t.is((await nw.run('resume', 'act-1')).status, 0);
  const twice = await nw.run('resume', 'act-1');
  t.is(twice.status, 1);
  t.regex(twice.stderr, /CONFLICT/);
  const { status, stdout, stderr } = await nw.run('cancel', 'act-1', '-o', 'json');
  t.is(status, 0, stderr);
  t.is(JSON.parse(stdout).id, id);
  t.is((await ended(daemon, id)).status, 'cancelled');
  const again = await nw.run('cancel', 'act-1');
  t.is(again.status, 1);
  t.regex(again.stderr, /no workflow is active on act-1; its last, \S+, cancelled/);
});

test.serial('a BMC with an open circuit makes its workflow stuck, and retry-now begins the next attempt', async (t) => {
  const daemon = await daemonOf();
  const nw = commandLine(t, daemon);
  const node = await addNode(daemon, 'act-2');
  const config = { uri: `http://127.0.0.1:${await freePort()}`, user: 'u', password: 'p' };
  await daemon.api('PUT', `/nodes/${node}/obm`, { service: 'redfish-obm-service', config });
  const { body } = await daemon.api('POST', `/nodes/${node}/workflows?name=Graph.PowerOn.Node`, {});
  await waits(daemon, body.id, 'bmc');
  const stuck = await nw.run('ps', '--stuck');
  t.regex(stuck.stdout, new RegExp(`^${body.id.slice(0, 8)} .* the BMC .*OBM_UN`, 'm'));
  const why = await nw.run('why', 'act-2');
  t.regex(why.stdout, /bmc +\S*127\.0\.0\.1:\d+ has not answered yet; next command \d{4}-\S+, after 2 failures/);
  t.regex(why.stdout, new RegExp(`do .*: nw retry-now ${body.id}`));
  const { status, stderr } = await nw.run('retry-now', 'act-2');
  t.is(status, 0, stderr);
  await seen(async () => /attempt 3 of \d failed/.test((await nw.run('why', 'act-2')).stdout));
  t.is((await nw.run('cancel', 'act-2')).status, 0);
  t.is((await ended(daemon, body.id)).status, 'cancelled');
});

test.serial('a failed workflow is retried from its failed task, with other options', async (t) => {
  const daemon = await daemonOf();
  const nw = commandLine(t, daemon);
  const id = await launch(daemon, 'Graph.Cli.Fail');
  await ended(daemon, id);
  const { status, stdout } = await nw.run('retry', id, '-o', 'breaks.message=once more', '--watch', '-o', 'json');
  t.is(status, 1);
  const workflow = JSON.parse(stdout);
  t.is(workflow.retryOf, id);
  t.is(workflow.error.message, 'breaks: once more');
  const other = await nw.run('retry', id, '--from', 'start', '--definition', 'newest');
  t.is(other.status, 0);
  t.is((await ended(daemon, other.stdout.trim())).status, 'failed');
});

test.serial('a retry that is not safe says what to do, and is made when the task is acknowledged', async (t) => {
  const daemon = await daemonOf();
  const nw = commandLine(t, daemon);
  await putOnce(t, daemon);
  const id = await launch(daemon, 'Graph.Cli.Once');
  await ended(daemon, id);
  const rejected = await nw.run('retry', id);
  t.is(rejected.status, 1);
  t.regex(rejected.stderr, /RETRY_UNSAFE/);
  t.regex(rejected.stderr, /lacks command/);
  t.regex(rejected.stderr, /--acknowledge LABEL/);
  const { status, stdout, stderr } = await nw.run('retry', id, '--acknowledge', 'command');
  t.is(status, 0, stderr);
  t.is((await daemon.api('GET', `/workflows/${stdout.trim()}`)).body.retryOf, id);
});

test.serial('batches are listed by their filters, and one is shown, followed and cancelled', async (t) => {
  const daemon = await daemonOf();
  const nw = commandLine(t, daemon);
  for (const name of ['many-1', 'many-2']) await addNode(daemon, name);
  const run = await nw.run('run', 'Graph.Cli.Wait', 'many-1', 'many-2');
  t.is(run.status, 0, run.stderr);
  const id = run.stdout.trim();
  const shown = await nw.run('batch', 'show', id.slice(0, 8));
  t.is(shown.status, 0, shown.stderr);
  t.regex(shown.stdout, /graph +Graph.Cli.Wait/);
  for (const name of ['many-1', 'many-2'])
    t.regex(shown.stdout, new RegExp(`^[0-9a-f]{8} +${name} +(pending|running) +\\S+ +\\d`, 'm'));
  t.is(JSON.parse((await nw.run('batch', 'show', id, '-o', 'json')).stdout).launched.length, 2);
  const table = (await nw.run('batches', '--since', '1h')).stdout.split('\n');
  t.regex(table[0] ?? '', /^ID +GRAPH +STATUS +WORKFLOWS +CREATED +BY$/);
  t.regex(table[1] ?? '', new RegExp(`^${id.slice(0, 8)} +Graph.Cli.Wait +\\w+ +\\d \\w+.* +\\d{4}-\\S+ +tester$`));
  const idsOf = async (...args: string[]) =>
    JSON.parse((await nw.run('batches', '-o', 'json', ...args)).stdout).map((batch: { id: string }) => batch.id);
  const filters = ['--graph', 'Graph.Cli.Wait', '--since', '1h', '--mine', '--limit', '1'];
  t.deepEqual(await idsOf(...filters), [id]);
  t.deepEqual(await idsOf('--status', 'stopped'), []);
  t.is((await nw.run('batches', '--graph', 'Graph.Cli.Sleep')).stderr, 'none\n');
  t.is((await nw.run('batches', '--graph', 'Graph.Nope')).status, 1);
  t.is((await nw.run('batches', '--status', 'ended')).status, 2);
  const twice = await nw.run('run', 'Graph.Cli.Wait', 'many-1', 'many-2');
  t.regex(twice.stderr, /^many-1 rejected: .* \(NODE_BUSY\)$/m, 'by its name');
  t.is((await nw.run('batch', 'cancel', id)).status, 0);
  t.is((await nw.run('batch', 'watch', id)).status, 3);
});

test.serial(
  'with filters instead of a workflow, retry and cancel act on many; exit code 1 if one rejects it',
  async (t) => {
    const daemon = await daemonOf();
    const nw = commandLine(t, daemon);
    const failed = await Promise.all([1, 2].map(() => launch(daemon, 'Graph.Cli.Fail')));
    for (const id of failed) await ended(daemon, id);
    const code = (await daemon.api('GET', `/workflows/${failed[0]}`)).body.error.code;
    const filters = ['--graph', 'Graph.Cli.Fail', '--since', '2h', '--filter', `id=${failed.join(',')}`];
    const retried = await nw.run('retry', '--failed', '--code', code, ...filters);
    t.is(retried.status, 0, retried.stderr);
    t.regex(retried.stderr, /retry of 2 workflows: 2 Graph.Cli.Fail/);
    const shown = JSON.parse((await nw.run('action', 'show', retried.stdout.trim(), '-o', 'json')).stdout);
    t.like(shown, { command: 'retry', status: 'finished', counts: { succeeded: 2 } });
    t.regex((await nw.run('actions')).stdout, /retry +finished +2 succeeded/);
    await Promise.all([1, 2].map(() => launch(daemon, 'Graph.Cli.Wait')));
    const cancelled = await nw.run('cancel', '--graph', 'Graph.Cli.Wait');
    t.is(cancelled.status, 0, cancelled.stderr);
    t.is((await nw.run('cancel', '--graph', 'Graph.Cli.Wait', '--node', 'none')).status, 1);
    t.is((await nw.run('cancel')).status, 2);
    t.is((await nw.run('retry', failed[0] ?? '', '--failed')).status, 2);
  },
);

test.serial('a graph, batch, rollout or team that does not exist is an error, not an empty list', async (t) => {
  const nw = commandLine(t, await daemonOf());
  for (const [args, message] of [
    [['cancel', '--graph', 'Graph.Nope'], 'no graph is called Graph.Nope; nw graphs lists them'],
    [['failures', '--graph', 'Graph.Nope'], 'no graph is called Graph.Nope; nw graphs lists them'],
    [['retry', '--rollout', 'nope'], 'no rollout is called nope; nw rollouts lists them'],
    [['pause', '--batch', 'nope'], 'no batch has the id nope; nw batches lists them'],
    [['certificates', '--rollout', 'nope'], 'no rollout is called nope; nw rollouts lists them'],
    [['nodes', '--owner', 'nope'], 'no team is called nope; nw teams lists them'],
  ] as const) {
    const { status, stdout, stderr } = await nw.run(...args);
    t.deepEqual([status, stdout, stderr], [1, '', `nw: ${message}\n`], args.join(' '));
  }
  for (const command of ['failures', 'pause']) {
    const { status, stderr } = await nw.run(command, '--graph', 'Graph.Cli.Sleep');
    t.deepEqual([status, stderr], [0, 'none\n'], 'the graph exists');
  }
});
