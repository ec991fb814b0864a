/**
 * Graphs whose steps block or end the daemon: it ends, starts again, quarantines the workflow, and continues with the
 * others.
 */
import { rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import test, { type ExecutionContext } from 'ava';
import { folder } from '../support/ava/folder.ts';
import type { Scope } from '../support/ava/scope.ts';
import {
  act,
  actingGraph,
  atOnce,
  launchOn,
  loopsUnless,
  metric,
  newNode,
  notify,
  putGraphs,
  quarantined,
  shown,
  waitsThen,
} from '../support/data/hostile-graphs.ts';
import { folders } from '../support/engine/definition-folders.ts';
import { ended, seen } from '../support/faults/workload.ts';
import { type DaemonProcess, startDaemonProcess } from '../support/servers/daemon.ts';
import { shared } from '../support/servers/shared-resources.ts';

const LOOP = 'for (;;) {}';
const NEVER = 'await new Promise(() => {});';
const GAUGE = 'nodewright_workflows_quarantined';

interface Place {
  daemon: DaemonProcess;
  graphs: string;
}

/** A daemon with the given graphs. */
async function placed(t: Scope, texts: Record<string, string>, stepLimitMs: number, env = {}): Promise<Place> {
  const graphs = folder(t);
  putGraphs(graphs, texts);
  const config = { ...folders, graphs: [...folders.graphs, graphs], stepLimitMs };
  const all = { ...env, NODEWRIGHT_TEST_GRAPHS: graphs };
  return { daemon: await startDaemonProcess(t, { env: all, config }), graphs };
}

const parent = {
  friendlyName: 'Parent',
  injectableName: 'Graph.Test.Parent',
  tasks: [{ label: 'run', taskName: 'Task.Graph.Run', optionOverrides: { graphName: 'Graph.Test.Child' } }],
};
const hostile = {
  'loop.ts': waitsThen('Graph.Test.Loop', LOOP),
  'simulated.ts': waitsThen('Graph.Test.Simulated', LOOP),
  'first.ts': atOnce('Graph.Test.First', LOOP),
  'released.ts': atOnce('Graph.Test.Released', loopsUnless('released')),
  'act.ts': actingGraph('Graph.Test.Act', LOOP),
  'child.ts': actingGraph('Graph.Test.Child', '', LOOP),
  'parent.json': JSON.stringify(parent),
  'exit.ts': waitsThen('Graph.Test.Exit', 'process.exit(0)'),
  'promise.ts': actingGraph('Graph.Test.Promise', "void Promise.reject(new Error('stray'));"),
  'callback.ts': actingGraph('Graph.Test.Callback', `setTimeout(() => { throw 'stray'; }, 10); ${NEVER}`),
  'stray.ts': waitsThen('Graph.Test.Stray', "void Promise.reject(new Error('stray')); return true;"),
  'stray-first.ts': atOnce('Graph.Test.Stray.First', "void Promise.reject(new Error('stray')); return true;"),
  'stray-late.ts': waitsThen(
    'Graph.Test.Stray.Late',
    "void new Promise((_, reject) => setTimeout(reject, 200, new Error('stray'))); return true;",
  ),
  'late.ts': actingGraph('Graph.Test.Late', "setTimeout(() => { throw new Error('stray'); }, 200);"),
};

/** The daemon of most tests, with a short limit for steps. */
const hostilePlace = shared((file) => placed(file, hostile, 500));

/** Launches a graph on a new node of a daemon, which dies of it and starts again. */
async function diesOf(t: ExecutionContext, graph: string) {
  const { daemon, graphs } = await hostilePlace();
  const node = await newNode(daemon);
  // It may be blocked before its answer is sent.
  const launching = launchOn(daemon, node, graph).catch(() => {});
  t.is(await daemon.ended(), null);
  await launching;
  await daemon.start();
  return { daemon, node, graphs };
}

const slow = {
  // Large ones: the collector would copy small ones before it gives up.
  'memory.ts': waitsThen(
    'Graph.Test.Memory',
    'const all = []; for (;;) all.push(new Array(2_000_000).fill(all.length));',
  ),
  'slow.ts': waitsThen('Graph.Test.Slow', 'const until = Date.now() + 1_000; while (Date.now() < until); return true;'),
};

/** A daemon with little memory and much patience. */
const patientPlace = shared((file) => placed(file, slow, 60_000, { NODE_OPTIONS: '--max-old-space-size=256' }));

test.serial(
  'an error that an activity does not handle fails it, or is in the log, and the daemon continues',
  async (t) => {
    const { daemon } = await hostilePlace();
    for (const graph of ['Graph.Test.Promise', 'Graph.Test.Callback']) {
      const { status, error } = await ended(daemon, await launchOn(daemon, await newNode(daemon), graph));
      t.is(status, 'failed');
      t.like(error, { code: 'TASK_FAILED' });
      t.regex(error?.message ?? '', /of a promise or a callback: stray; await the promise/);
    }
    const id = await launchOn(daemon, await newNode(daemon), 'Graph.Test.Late');
    t.is((await ended(daemon, id)).status, 'succeeded');
    t.like(await seen(async () => logged(daemon, id)), { graph: 'Graph.Test.Late', task: 'Task.Graph.Test.Late' });
  },
);

test.serial('an error that a guard leaves to a promise fails its workflow, and the daemon continues', async (t) => {
  const { daemon } = await hostilePlace();
  const node = await newNode(daemon);
  const waiting = await launchOn(daemon, node, 'Graph.Test.Stray');
  notify(daemon, node);
  const first = await launchOn(daemon, await newNode(daemon), 'Graph.Test.Stray.First');
  for (const id of [waiting, first]) {
    const { status, error } = await ended(daemon, id);
    t.is(status, 'failed');
    t.like(error, { code: 'GRAPH_FAILED' });
    t.regex(error?.message ?? '', /of a promise or a callback: stray; await the promise/);
  }
  const other = await newNode(daemon);
  const late = await launchOn(daemon, other, 'Graph.Test.Stray.Late');
  notify(daemon, other);
  t.is((await ended(daemon, late)).status, 'succeeded');
  t.like(await seen(async () => logged(daemon, late)), { graph: 'Graph.Test.Stray.Late', cause: 'work.done' });
});

const logged = (daemon: DaemonProcess, id: string) =>
  daemon.log.map((line) => JSON.parse(line)).find(({ level, workflow }) => level === 50 && workflow === id);

test.serial(
  'a loop in a guard ends the daemon, which then quarantines its workflow and continues with the others',
  async (t) => {
    const { daemon, graphs } = await hostilePlace();
    const [node, other] = [await newNode(daemon), await newNode(daemon)];
    const id = await launchOn(daemon, node, 'Graph.Test.Loop');
    const good = await launchOn(daemon, other, 'Graph.Demo.InstallOs');
    notify(daemon, node);
    t.is(await daemon.ended(), null, 'a signal ends it');
    t.regex(
      daemon.errors.join('\n'),
      new RegExp(`workflow ${id} \\(Graph.Test.Loop, work.done\\) has blocked the daemon`),
    );

    rmSync(join(graphs, 'loop.ts'));
    await daemon.start();
    const { status, error, tasks } = await shown(daemon, id);
    t.is(status, 'running');
    t.is(error?.code, 'QUARANTINED');
    t.regex(error?.message ?? '', /Graph\.Test\.Loop .* did not return for \d+ ms.* released .* or cancelled/);
    t.is(tasks[0]?.waitingOn, 'held');
    t.is(await metric(daemon, GAUGE), 1);
    t.like(logged(daemon, id), { graph: 'Graph.Test.Loop', code: 'QUARANTINED' });
    for (const _ of [1, 2]) t.is((await daemon.southbound('POST', `/notification?nodeId=${other}`)).status, 201);
    t.is((await ended(daemon, good)).status, 'succeeded');

    t.is((await act(daemon, id, 'release')).status, 202);
    t.is(await daemon.ended(), null, 'after the release the queued message blocks the daemon again');
    await daemon.start();
    t.is((await shown(daemon, id)).error?.code, 'QUARANTINED');
    t.is((await act(daemon, id, 'cancel')).status, 202);
    t.is((await shown(daemon, id)).status, 'cancelled');
    t.is((await act(daemon, id, 'release')).status, 409);
    await launchOn(daemon, node, 'Graph.noop-example');
    await seen(async () => (await metric(daemon, GAUGE)) === 0);
  },
);

test.serial('a loop in a simulated guard ends the daemon once: that version is not simulated again', async (t) => {
  const { daemon } = await hostilePlace();
  const simulate = (graph: string) =>
    daemon.api('POST', `/workflows/graphs/${graph}/simulate`, { moves: [{ do: 'notify' }] });
  const answer = simulate('Graph.Test.Simulated').catch(() => {});
  t.is(await daemon.ended(), null, 'a signal ends it');
  await answer;
  await daemon.start();
  const again = await simulate('Graph.Test.Simulated');
  t.is(again.status, 409);
  t.is(again.body.code, 'QUARANTINED');
  t.is((await daemon.api('POST', '/workflows/graphs/Graph.Test.Simulated/check', {})).status, 409);
  const launch = `/nodes/${await newNode(daemon)}/workflows?name=Graph.Test.Simulated`;
  t.like(await daemon.api('POST', launch, {}), { status: 409, body: { code: 'QUARANTINED' } }, 'nor launched');
  t.is((await simulate('Graph.Demo.InstallOs')).status, 200);
});

test.serial(
  'a launch whose first step never returns leaves the node free, and its version is launched no more',
  async (t) => {
    const { daemon, node } = await diesOf(t, 'Graph.Test.First');
    // The launch had no answer: nothing of it was saved.
    t.deepEqual((await daemon.api('GET', `/nodes/${node}/workflows?active=true`)).body, []);
    const again = await daemon.api('POST', `/nodes/${node}/workflows?name=Graph.Test.First`, {});
    t.is(again.status, 409);
    t.like(again.body, { code: 'QUARANTINED' });
    await launchOn(daemon, node, 'Graph.noop-example');
  },
);

test.serial('a version without a workflow is released, and runs again, also after a restart', async (t) => {
  const { daemon, node, graphs } = await diesOf(t, 'Graph.Test.Released');
  const path = '/workflows/graphs/Graph.Test.Released/versions';
  interface Listed {
    hash: string;
    quarantine: { since: string; reason: string } | null;
  }
  const listed = async () => (await daemon.api('GET', path)).body as unknown as Listed[];
  const [version] = await listed();
  t.regex(version?.quarantine?.reason ?? '', /did not return for \d+ ms/);
  const launch = () => daemon.api('POST', `/nodes/${node}/workflows?name=Graph.Test.Released`, {});
  const release = (hash = '') => daemon.api('PUT', `${path}/${hash}/action`, { command: 'release' });
  t.is((await launch()).status, 409);
  t.is((await release('none')).status, 404);
  t.like(await release(version?.hash), { status: 202, body: { hash: version?.hash, quarantine: null } });
  t.is((await release(version?.hash)).status, 409);
  await daemon.kill('SIGKILL');
  await daemon.start();
  t.is((await listed())[0]?.quarantine, null);
  writeFileSync(join(graphs, 'released'), '');
  const { status, body } = await launch();
  t.is(status, 201);
  t.is((await ended(daemon, body.id)).status, 'succeeded');
});

test.serial('an activity that never yields is treated like a step', async (t) => {
  const { daemon, node } = await diesOf(t, 'Graph.Test.Act');
  const { body } = await daemon.api('GET', `/nodes/${node}/workflows`);
  const id = (body as unknown as { id: string }[])[0]?.id ?? '';
  t.like(await quarantined(daemon, id), { status: 'running', tasks: [{ waitingOn: 'held' }] });
  t.is((await act(daemon, id, 'cancel')).status, 202);
  await launchOn(daemon, node, 'Graph.noop-example');
});

test.serial(
  'a child whose launch never returns fails the task run that launches it, and blocks the daemon once',
  async (t) => {
    const { daemon } = await diesOf(t, 'Graph.Test.Parent');
    const { body } = await daemon.api('GET', `/workflows?name=Parent`);
    const { status, tasks } = await ended(daemon, (body as unknown as { id: string }[])[0]?.id ?? '');
    t.is(status, 'failed');
    t.is(tasks[0]?.error?.code, 'QUARANTINED');
  },
);

test.serial('process.exit in a guard ends the daemon with 1, and its workflow is quarantined', async (t) => {
  const { daemon } = await hostilePlace();
  const node = await newNode(daemon);
  const id = await launchOn(daemon, node, 'Graph.Test.Exit');
  notify(daemon, node);
  t.is(await daemon.ended(), 1);
  await daemon.start();
  t.regex((await quarantined(daemon, id)).error?.message ?? '', /process\.exit/);
});

test.serial(
  'a workflow that exhausts the memory is quarantined after the daemon died of it three times in a row',
  async (t) => {
    const { daemon } = await patientPlace();
    const node = await newNode(daemon);
    const id = await launchOn(daemon, node, 'Graph.Test.Memory');
    notify(daemon, node);
    t.not(await daemon.ended(), 0);
    for (let strike = 1; strike < 3; strike += 1) {
      await daemon.listens();
      t.is(logged(daemon, id), undefined);
      t.not(await daemon.ended(), 0);
    }
    await daemon.start();
    t.regex((await quarantined(daemon, id)).error?.message ?? '', /died 3 times in a row/);
  },
);

test.serial('a step that a kill -9 interrupted is run again, and its workflow is not quarantined', async (t) => {
  const { daemon } = await patientPlace();
  const deaths = () => daemon.log.map((line) => JSON.parse(line)).filter(({ fate }) => fate === 'died').length;
  const before = deaths();
  const nodes = [await newNode(daemon), await newNode(daemon)];
  const ids: string[] = [];
  for (const node of nodes) ids.push(await launchOn(daemon, node, 'Graph.Test.Slow'));
  for (const [n, node] of nodes.entries()) {
    notify(daemon, node);
    // The daemon does not answer while it is in the step.
    await setTimeout(500);
    await daemon.kill('SIGKILL');
    await daemon.start();
    t.is(deaths(), before + n + 1, 'it was killed in the step');
  }
  // The answer to the notification may have been lost with the daemon that accepted it.
  for (const node of nodes) notify(daemon, node);
  for (const id of ids) t.is((await ended(daemon, id)).status, 'succeeded');
});

test.serial('a workflow is quarantined by hand, and an unknown id is reported in the log', async (t) => {
  const { daemon } = await hostilePlace();
  const node = await newNode(daemon);
  const id = await launchOn(daemon, node, 'Graph.Demo.InstallOs');
  t.is(await daemon.kill('SIGTERM'), 0);
  await daemon.start(['--suspend', id, '--suspend', 'no-such-id']);
  t.regex((await shown(daemon, id)).error?.message ?? '', /--suspend/);
  t.true(daemon.log.some((line) => line.includes('no-such-id') && line.includes('nothing is quarantined')));
  // Kept for it, as for any suspended workflow.
  t.is((await daemon.southbound('POST', `/notification?nodeId=${node}`)).status, 201);
  t.is((await shown(daemon, id)).tasks[0]?.waitingOn, 'held');
  t.is((await act(daemon, id, 'release')).status, 202);
  t.is((await act(daemon, id, 'release')).status, 409);
  await daemon.southbound('POST', `/notification?nodeId=${node}`);
  t.is((await ended(daemon, id)).status, 'succeeded');
});
