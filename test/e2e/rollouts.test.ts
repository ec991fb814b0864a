/** A rollout whose daemon is killed while it dispatches. */
import test from 'ava';
import { seen } from '../support/faults/workload.ts';
import { startDaemonProcess } from '../support/servers/daemon.ts';

const TARGET_COUNT = 36;
const RUNNING = 6;

interface Target {
  node: string;
  workflow: string;
  status: string;
}

test('a rollout whose daemon is killed again and again launches each target once, and never more than its limit at a time', async (t) => {
  const daemon = await startDaemonProcess(t);
  const { api } = daemon;
  const list = Array.from({ length: TARGET_COUNT }, (_, n) => ({ type: 'compute', name: `n${n}` }));
  const { body: nodes } = await api('POST', '/nodes', list);
  const graph = {
    friendlyName: 'Sleeps',
    injectableName: 'Graph.Rollout.Sleeps',
    tasks: [{ label: 'sleep', taskName: 'Task.Sleep', optionOverrides: { duration: 200 } }],
  };
  await api('PUT', '/workflows/graphs', graph);
  const { status, body: rollout } = await api('POST', '/rollouts', {
    graph: graph.injectableName,
    targets: { nodes: nodes.map(({ id }: { id: string }) => id) },
    limits: { running: RUNNING },
    phases: [{ size: '50%' }, { size: 'rest' }],
  });
  t.is(status, 201, JSON.stringify(rollout));
  const rolloutOf = async () => (await api('GET', `/rollouts/${rollout.id}`)).body;
  const active = async () => (await api('GET', `/workflows?rollout=${rollout.id}&active=true&fields=id`)).body;
  for (const share of [1, 2, 3]) {
    await seen(async () => {
      t.true((await active()).length <= RUNNING);
      return (await rolloutOf()).counts.succeeded >= (share * TARGET_COUNT) / 4;
    });
    await daemon.kill('SIGKILL');
    await daemon.start();
  }
  const last = await seen(async () => {
    const now = await rolloutOf();
    return now.finishedAt !== null && now;
  });
  t.like(last, { status: 'succeeded', counts: { succeeded: TARGET_COUNT, running: 0 } });
  const { body: targets } = await api('GET', `/rollouts/${rollout.id}/targets`);
  const { body: rows } = await api('GET', `/workflows?rollout=${rollout.id}&fields=id,node`);
  const pairs = (rows as { id: string; node: string }[]).map(({ id, node }) => `${node} ${id}`);
  t.deepEqual(pairs.sort(), targets.map(({ node, workflow }: Target) => `${node} ${workflow}`).sort());
});
