/** Hosts of Metal3 are detached, run a graph, and are given back. */
import test from 'ava';
import { installedOperator } from '../../../api/cli/kubernetes/installed-operator.ts';
import type { ServerRow } from '../../../api/cli/kubernetes/server-rows.ts';
import { objectIn } from '../../../engine/vocabulary/json.ts';
import { hostOf } from '../../support/servers/fake-operators.ts';
import { FAILING_GRAPH, type KubernetesScene, kubernetesScene, WAITING_GRAPH } from './scene.ts';

const DETACHED = 'baremetalhost.metal3.io/detached';
const noopRequest = { 'nodewright/graph': 'Graph.noop-example' };
const isRunning = (rows: readonly ServerRow[]) => rows.some(({ state }) => state === 'running');

const statusOf = ({ fake }: KubernetesScene, name: string) => objectIn(fake.get(name).status).operationalStatus;

test('a host that asks is detached, runs its graph once and is given back with the result; others are left alone', async (t) => {
  const scene = await kubernetesScene(t, 'metal3.io');
  const { fake } = scene;
  const node = await scene.addNode('n1', '02:00:00:00:01:01');
  fake.put(
    hostOf('h1', '02:00:00:00:01:01', {
      annotations: { ...noopRequest, 'nodewright/options': '{"defaults":{"a":1}}' },
    }),
  );
  fake.put(hostOf('h2', '02:00:00:00:02:01'));
  const before = structuredClone(fake.get('h2'));
  const [row, ...others] = await scene.run();
  t.like(row, { server: 'metal3/h1', state: 'succeeded', details: 'given back' });
  t.is(others.length, 0);
  const [workflow, second] = await scene.workflows();
  t.is(second, undefined);
  t.like(workflow, { node, injectableName: 'Graph.noop-example', options: { defaults: { a: 1 } } });
  const { 'nodewright/finished-at': finishedAt, ...rest } = fake.annotations('h1');
  t.regex(finishedAt ?? '', /^\d{4}-.*Z$/);
  t.deepEqual(rest, {
    'nodewright/state': 'succeeded',
    'nodewright/workflow': workflow?.id ?? '',
    'nodewright/link': `https://nw.example/ui/workflows/${workflow?.id}`,
  });
  t.is(statusOf(scene, 'h1'), 'OK');
  t.true(fake.written.all.some(({ status }) => objectIn(status).operationalStatus === 'detached'));
  t.deepEqual(fake.get('h2'), before);
});

test('a host is left alone, with the reason, if it is in use, paused, busy, deleted, or its node is not certain', async (t) => {
  const scene = await kubernetesScene(t, 'metal3.io');
  const { fake, it } = scene;
  const swapped = await scene.addNode('swapped', '02:00:00:00:07:01');
  await it.engine.catalogs.add(swapped, 'dmi', { 'System Information': { 'Serial Number': 'OTHER' } });
  await it.until(async () => (await it.engine.nodes.find(swapped))?.serial === 'OTHER');
  for (const n of [1, 2, 3, 4, 5, 6]) await scene.addNode(`n${n}`, `02:00:00:00:0${n}:01`);
  const consumerRef = { kind: 'Metal3Machine', name: 'm-1', namespace: 'metal3' };
  const paused = { ...noopRequest, 'baremetalhost.metal3.io/paused': '' };
  fake.put(hostOf('h1', '02:00:00:00:01:01', { annotations: noopRequest, spec: { consumerRef } }));
  fake.put(hostOf('h2', '02:00:00:00:02:01', { annotations: noopRequest, state: 'provisioned' }));
  fake.put(hostOf('h3', '02:00:00:00:03:01', { annotations: paused }));
  fake.put(hostOf('h4', '02:00:00:00:04:01', { annotations: noopRequest, state: 'inspecting' }));
  fake.put(hostOf('h5', '02:00:00:00:05:01', { annotations: { 'nodewright/graph': 'Graph.None\u001b[2J' } }));
  fake.put(hostOf('h6', '02:00:00:00:06:01', { annotations: { ...noopRequest, 'nodewright/options': '[1]' } }));
  fake.put(hostOf('h7', '02:00:00:00:07:01', { annotations: noopRequest }));
  fake.put(hostOf('h8', '02:00:00:00:08:01', { annotations: noopRequest }));
  fake.put(hostOf('h9', '02:00:00:00:01:01', { annotations: { ...noopRequest, 'nodewright/in-use': 'yes' } }));
  const written = fake.written.all.length;
  const rows = await scene.run();
  t.true(rows.every(({ state }) => state === 'skipped'));
  const reasons = rows.map(({ details }) => details);
  for (const [n, reason] of [
    /its consumer is Metal3Machine m-1; the annotation nodewright\/in-use: interrupt takes it anyway$/,
    /because it is provisioned;/,
    /has the annotation baremetalhost\.metal3\.io\/paused/,
    /^it is inspecting; it is detached when provisioned,/,
    /Graph\.None/,
    /^nodewright\/options is no JSON object of objects/,
    /its serial number is SN-h7, but that of the node swapped is OTHER: was it swapped\?/,
    /^no node has 02:00:00:00:08:01 or SN-h8; --create-nodes creates one$/,
    /^found "yes" in nodewright\/in-use; expected interrupt/,
  ].entries())
    t.regex(reasons[n] ?? '', reason);
  t.false(reasons.join().includes('\u001b'));
  t.is(fake.written.all.length, written, 'nothing is changed');
  fake.change('h1', { metadata: { annotations: { 'nodewright/in-use': 'interrupt' } } });
  const [first] = await scene.run({ createsNodes: true });
  t.is(first?.state, 'succeeded');
  t.deepEqual(objectIn(fake.get('h1').spec).consumerRef, consumerRef);
  t.is(fake.annotations('h8')['nodewright/state'], 'succeeded');
});

test('a plan says what a run would do, and changes nothing', async (t) => {
  const scene = await kubernetesScene(t, 'metal3.io');
  await scene.addNode('n1', '02:00:00:00:01:01');
  scene.fake.put(hostOf('h1', '02:00:00:00:01:01', { annotations: noopRequest }));
  const [row] = await scene.run({ isDry: true });
  t.like(row, { state: 'planned', details: 'runs on the node n1; it is parked first' });
  t.is(scene.fake.written.all.length, 1);
  t.deepEqual(await scene.workflows(), []);
  const { name } = await installedOperator(scene.cluster.kubernetes);
  t.is(name, 'metal3');
  await t.throwsAsync(installedOperator(scene.cluster.kubernetes, 'metal-operator'), {
    message: /has metal3, expected metal-operator; .*\(KUBERNETES_OPERATOR\)/,
  });
});

test('a host stays parked after a failure, until the request is withdrawn or --return-failed gives it back', async (t) => {
  const scene = await kubernetesScene(t, 'metal3.io');
  const { fake } = scene;
  await scene.addNode('n1', '02:00:00:00:01:01');
  fake.put(hostOf('h1', '02:00:00:00:01:01', { annotations: { 'nodewright/graph': FAILING_GRAPH } }));
  const [row] = await scene.run();
  t.is(row?.state, 'failed');
  t.regex(row?.details ?? '', /^stays parked: .*; retry the workflow, or remove nodewright\/graph/);
  t.is(statusOf(scene, 'h1'), 'detached');
  t.like(fake.annotations('h1'), { 'nodewright/state': 'failed', 'nodewright/graph': FAILING_GRAPH });
  await scene.run();
  t.is((await scene.workflows()).length, 1, 'it is not launched again');
  fake.change('h1', { metadata: { annotations: { 'nodewright/graph': null } } });
  const [returned] = await scene.run();
  t.is(returned?.state, 'failed');
  t.is(statusOf(scene, 'h1'), 'OK');
  t.false('nodewright/run' in fake.annotations('h1'));
  fake.change('h1', { metadata: { annotations: { 'nodewright/graph': FAILING_GRAPH } } });
  await scene.run({ returnsFailed: true });
  t.is(statusOf(scene, 'h1'), 'OK');
  t.is((await scene.workflows()).length, 2);
});

test('a retry of a cancelled workflow is followed, and gives the host back when it succeeds', async (t) => {
  const scene = await kubernetesScene(t, 'metal3.io');
  const { fake, cluster, it } = scene;
  await scene.addNode('n1', '02:00:00:00:01:01');
  fake.put(hostOf('h1', '02:00:00:00:01:01', { annotations: { 'nodewright/graph': WAITING_GRAPH } }));
  const watched = scene.watch();
  await watched.rows.until(isRunning);
  const [first] = await scene.workflows();
  await it.engine.control.cancel(first?.id ?? '');
  await fake.written.until(() => fake.annotations('h1')['nodewright/state'] === 'cancelled');
  await watched.stop();
  const { body: second } = await cluster.client.post('/workflows/:id/retry', {
    params: { id: first?.id ?? '' },
    body: {},
  });
  const again = scene.watch();
  await again.rows.until(isRunning);
  t.is(fake.annotations('h1')['nodewright/workflow'], second.id);
  await cluster.client.post('/workflows/:id/notification', { params: { id: second.id }, body: {} });
  await fake.written.until(() => fake.annotations('h1')['nodewright/state'] === 'succeeded');
  await again.stop();
  t.false(DETACHED in fake.annotations('h1'));
});

test('a step that meets a newer version of the host reads it, and a host that another has detached stays so', async (t) => {
  const scene = await kubernetesScene(t, 'metal3.io');
  const { fake } = scene;
  await scene.addNode('n1', '02:00:00:00:01:01');
  const annotations = { ...noopRequest, [DETACHED]: '' };
  fake.put(hostOf('h1', '02:00:00:00:01:01', { annotations }));
  let conflicts = 0;
  fake.behave = ({ method }) => {
    // A person changes the host between the look of the client and its patch.
    if (method === 'PATCH' && conflicts < 3) {
      conflicts += 1;
      fake.change('h1', { metadata: { annotations: { person: String(conflicts) } } });
    }
    return false;
  };
  const [row] = await scene.run();
  t.like(row, { state: 'succeeded', details: 'stays parked, as it was before' });
  t.is(conflicts, 3);
  t.is((await scene.workflows()).length, 1);
  t.like(fake.annotations('h1'), { person: '3', [DETACHED]: '', 'nodewright/state': 'succeeded' });
  t.is(statusOf(scene, 'h1'), 'detached');
});
