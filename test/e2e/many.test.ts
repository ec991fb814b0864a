/**
 * Several daemons on one Redis and one MongoDB: they share the work, and nothing is lost when one dies or is paused.
 */
import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { folder } from '../support/ava/folder.ts';
import { needing } from '../support/ava/needs.ts';
import { folders } from '../support/engine/definition-folders.ts';
import { chain, ended, launch, lines, noneTwice } from '../support/faults/workload.ts';
import { type DaemonProcess, startDaemonProcess } from '../support/servers/daemon.ts';
import { noServices, sharedServices } from '../support/servers/services.ts';
import { shared } from '../support/servers/shared-resources.ts';

const test = needing(noServices);

const services = sharedServices();

/** Three on the same services; the last test kills one. */
const daemons = shared(async (file) => {
  const env = await services();
  const all: DaemonProcess[] = [];
  // Serial: the first one creates the user for all log-ins.
  for (let n = 0; n < 3; n += 1) all.push(await startDaemonProcess(file, { env, config: { ...folders } }));
  return all;
});

const one = <T>(all: readonly T[], n: number): T => all[n % all.length] as T;

test.serial(
  'a definition put to one daemon can be launched on another, and any of them shows and cancels it',
  async (t) => {
    const [first, second] = (await daemons()) as [DaemonProcess, DaemonProcess, DaemonProcess];
    const ledger = join(folder(t), 'ledger');
    const put = await first.api('PUT', '/workflows/graphs', {
      friendlyName: 'Hang',
      injectableName: 'Graph.Many.Hang',
      tasks: [{ label: 'hang', taskName: 'Task.Fixture.Hang', optionOverrides: { ledger, line: 'act' } }],
    });
    t.is(put.status, 201);
    const id = await launch(second, 'Graph.Many.Hang');
    while (!(await lines(ledger)).includes('act begins')) await setTimeout(20);
    for (const daemon of [first, second]) t.is((await daemon.api('GET', `/workflows/${id}`)).body.status, 'running');
    t.is((await first.api('PUT', `/workflows/${id}/action`, { command: 'cancel' })).status, 202);
    t.is((await ended(second, id)).status, 'cancelled');
    // On a busy machine the end does not wait for it: a task has ten seconds to stop.
    while (!(await lines(ledger)).includes('act stops')) await setTimeout(20);
    t.deepEqual(await lines(ledger), ['act begins', 'act stops']);
  },
);

test.serial(
  'a hold that one daemon has answered keeps launches of every other off the node, and its end lets them in',
  async (t) => {
    const all = await daemons();
    const start = (n: number, id: string) =>
      one(all, n).api('POST', `/nodes/${id}/workflows?name=Graph.noop-example`, {});
    const { body: node } = await one(all, 0).api('POST', '/nodes', { type: 'compute', name: 'held' });
    const id = node.id as string;
    for (let round = 0; round < 5; round += 1) {
      // Each daemon knows the node from a launch before.
      for (const n of [0, 1, 2]) await ended(one(all, n), (await start(n, id)).body.id as string);
      const { body: hold } = await one(all, round).api('POST', `/nodes/${id}/holds`, {
        kind: 'repair',
        reason: 'a fan',
      });
      const answers = await Promise.all([0, 1, 2].map((n) => start(n, id)));
      t.deepEqual(
        answers.map(({ status, body }) => [status, body.code]),
        [0, 1, 2].map(() => [409, 'NODE_HELD']),
      );
      const { status } = await one(all, round + 1).api('DELETE', `/nodes/${id}/holds/${hold.id}`);
      t.is(status, 204);
    }
  },
);

test.serial('each due time of a schedule is run once by all daemons together', async (t) => {
  const all = await daemons();
  const { body: node } = await one(all, 0).api('POST', '/nodes', { type: 'compute', name: 'scheduled' });
  const launch = { name: 'Graph.noop-example', nodes: [node.id] };
  const schedule = { name: 'often', when: { everySec: 1 }, launch, overlap: 'queue' };
  const { body: made, status } = await one(all, 1).api('POST', '/schedules', schedule);
  t.is(status, 201, JSON.stringify(made));
  const runs = async () => (await one(all, 2).api('GET', `/schedules/${made.id}/runs?$top=1000`)).body;
  while ((await runs()).filter((run: { status: string }) => run.status === 'started').length < 4) await setTimeout(100);
  t.is((await one(all, 0).api('PUT', `/schedules/${made.id}/action`, { command: 'pause' })).status, 202);
  const times = (await runs()).map(({ at }: { at: string }) => at);
  t.is(new Set(times).size, times.length);
  const started = (await runs()).flatMap(({ batch }: { batch?: string }) => batch ?? []);
  const { body: workflows } = await one(all, 0).api('GET', `/workflows?node=${node.id}&$top=1000`);
  t.is(new Set(workflows.map(({ batch }: { batch: string }) => batch)).size, workflows.length);
  t.true(workflows.length >= 4 && workflows.every(({ batch }: { batch: string }) => started.includes(batch)));
});

test.serial('exactly one of many concurrent starts on a node through all daemons wins', async (t) => {
  const all = await daemons();
  const { body: node } = await one(all, 0).api('POST', '/nodes', { type: 'compute', name: 'n' });
  const tries = Array.from({ length: 30 }, (_, n) =>
    one(all, n).api('POST', `/nodes/${node.id}/workflows?name=Graph.Demo.InstallOs`, {}),
  );
  const statuses = (await Promise.all(tries)).map(({ status }) => status);
  t.deepEqual([statuses.filter((s) => s === 201).length, statuses.filter((s) => s === 409).length], [1, 29]);
  // Signalled through any of them, also at the same time.
  await Promise.all([0, 1].map((n) => one(all, n).southbound('POST', `/notification?nodeId=${node.id}`)));
  const { body } = await one(all, 2).api('GET', `/nodes/${node.id}/workflows`);
  t.is((await ended(one(all, 1), (body as unknown as { id: string }[])[0]?.id as string)).status, 'succeeded');
});

test.serial(
  'every workflow ends when one daemon is killed and one is paused, and no once activity runs twice',
  async (t) => {
    const all = await daemons();
    const [steady, killed, stopped] = all as [DaemonProcess, DaemonProcess, DaemonProcess];
    const ledgers = { again: join(folder(t), 'again'), once: join(folder(t), 'once') };
    await steady.api('PUT', '/workflows/graphs', chain('Graph.Many.Again', 'Task.Fixture.Write', ledgers.again, 300));
    await steady.api('PUT', '/workflows/graphs', chain('Graph.Many.Once', 'Task.Fixture.WriteOnce', ledgers.once, 300));
    const names = ['Graph.Many.Again', 'Graph.Many.Once'];
    const ids = await Promise.all(Array.from({ length: 24 }, (_, n) => launch(one(all, n), one(names, n))));
    while ((await lines(ledgers.once)).length < 10) await setTimeout(20);
    await killed.kill('SIGKILL');
    stopped.signal('SIGSTOP');
    // Longer than a lock lasts: others take over its jobs.
    await setTimeout(9_000);
    stopped.signal('SIGCONT');
    const rows = await Promise.all(ids.map((id) => ended(steady, id)));
    rows.forEach((row, n) => {
      if (n % 2 === 0) t.is(row.status, 'succeeded');
      const codes = row.tasks.flatMap(({ error }) => (error === null ? [] : [error.code]));
      t.true(
        codes.every((code) => ['TASK_INTERRUPTED', 'TASK_CANCELLED'].includes(code)),
        codes.join(),
      );
    });
    await noneTwice(t, ledgers.once);
    t.is(new Set(await lines(ledgers.again)).size, 48);
  },
);
