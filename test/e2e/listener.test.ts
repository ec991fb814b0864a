/** The events of a listener: the real daemon, a real broker, and a listener in another process and language. */
import type { ExecutionContext } from 'ava';
import { needing } from '../support/ava/needs.ts';
import { type DaemonProcess, startDaemonProcess } from '../support/servers/daemon.ts';
import type { Hearing } from '../support/servers/hearing.ts';
import { noPika, startPika, type Told } from '../support/servers/pika.ts';
import { noRabbitMq, type RabbitMq, startRabbitMq } from '../support/servers/rabbitmq.ts';
import { shared } from '../support/servers/shared-resources.ts';

const both = needing(noRabbitMq ?? noPika);
interface Scene {
  rabbit: RabbitMq;
  daemon: DaemonProcess;
  hearing: Hearing<Told>;
}

const scene = shared(async (file): Promise<Scene> => {
  const rabbit = await startRabbitMq();
  file.teardown(() => rabbit.stop());
  const { url } = rabbit;
  const [hearing, daemon] = await Promise.all([
    startPika(file, url),
    startDaemonProcess(file, { env: { AMQP_URL: url }, config: { heartbeatIntervalSec: 0 } }),
  ]);
  return { rabbit, daemon, hearing };
});

async function newNode({ api }: DaemonProcess): Promise<string> {
  const { body } = await api('POST', '/nodes', { type: 'compute', name: 'node' });
  return body.id;
}

async function launch(t: ExecutionContext, { api }: DaemonProcess, graph: string, node?: string): Promise<string> {
  const path = node === undefined ? '/workflows' : `/nodes/${node}/workflows`;
  const { status, body } = await api('POST', `${path}?name=${graph}`, {});
  t.is(status, 201, JSON.stringify(body));
  return body.id;
}

const has = (key: string) => (all: readonly Told[]) => all.some((told) => told.key === key);
const of = (hearing: Hearing<Told>, workflow: string) =>
  hearing.all.filter(({ body }) => body.typeId === workflow && body.type === 'graph');

const ISO = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/;
const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/;
const TRACE = /^[0-9a-f]{32}$/;
const PERCENTAGE = /^(\d{1,2}|100)%$/;

/** Every attribute of the interface document and of the contract, and no other. */
function checkGraphEvent(t: ExecutionContext, { key, body, properties }: Told, workflow: string, node: string | null) {
  const attributes = [
    'action',
    'createdAt',
    'data',
    'id',
    'n',
    'nodeId',
    'severity',
    'traceId',
    'type',
    'typeId',
    'version',
  ];
  t.deepEqual(Object.keys(body).sort(), attributes);
  t.like(body, { version: '1.0', type: 'graph', severity: 'information', typeId: workflow, nodeId: node });
  t.regex(String(body.createdAt), ISO);
  t.regex(String(body.id), UUID);
  t.regex(String(body.traceId), TRACE);
  const last = node === null ? '' : `.${node}`;
  t.is(key, `graph.${body.action}.information.${workflow}${last}`);
  t.deepEqual(properties, {
    contentType: 'application/json',
    deliveryMode: 2,
    messageId: String(body.id),
    type: `graph.${body.action}`,
    timestamp: Math.floor(Date.parse(String(body.createdAt)) / 1_000),
    appId: 'nodewright',
  });
}

interface Shown {
  value: number;
  maximum: number;
  percentage: string;
  description: string;
}

interface GraphData {
  graphId: string;
  graphName: string;
  status: string;
  progress?: Shown;
  taskProgress?: { progress: Shown };
}

function checkProgress(t: ExecutionContext, { body }: Told) {
  const { progress, taskProgress } = body.data as GraphData;
  for (const shown of [progress, taskProgress?.progress]) {
    t.deepEqual(Object.keys(shown ?? {}).sort(), ['description', 'maximum', 'percentage', 'value']);
    t.regex(shown?.percentage ?? '', PERCENTAGE);
  }
}

both.serial('a workflow on a node is published from its start through its progress to its end', async (t) => {
  const { daemon, hearing } = await scene();
  const node = await newNode(daemon);
  const workflow = await launch(t, daemon, 'Graph.noop-example', node);
  await hearing.until(has(`graph.finished.information.${workflow}.${node}`));
  const events = of(hearing, workflow);
  for (const event of events) checkGraphEvent(t, event, workflow, node);
  const actions = events.map(({ body }) => body.action);
  t.is(actions[0], 'started');
  t.is(actions.at(-1), 'finished');
  t.deepEqual([...new Set(actions.slice(1, -1))], ['progress.updated']);
  for (const event of events) {
    t.like(event.body.data, { graphId: workflow, graphName: 'noop-graph', injectableName: 'Graph.noop-example' });
    if (event.body.action === 'progress.updated') checkProgress(t, event);
  }
  t.like(events[0]?.body.data, { status: 'running' });
  t.like(events.at(-1)?.body.data, { status: 'succeeded' });
  // Four tasks: each end is a quarter.
  const shares = events.map(({ body }) => (body.data as GraphData).progress?.percentage);
  for (const share of ['0%', '25%', '50%', '75%', '100%']) t.true(shares.includes(share), share);
});

both.serial('a workflow without a node has no last key segment, and nodeId null', async (t) => {
  const { daemon, hearing } = await scene();
  const workflow = await launch(t, daemon, 'Graph.noop-example');
  await hearing.until(has(`graph.finished.information.${workflow}`));
  for (const event of of(hearing, workflow)) checkGraphEvent(t, event, workflow, null);
});

both.serial(
  'notifications are published under the node, or as a broadcast; those of the node complete an installation',
  async (t) => {
    const { daemon, hearing } = await scene();
    const node = await newNode(daemon);
    const workflow = await launch(t, daemon, 'Graph.Demo.InstallOs', node);
    const told = await daemon.southbound('POST', `/notification?nodeId=${node}`, { disk: 'sda' });
    t.is(told.status, 201);
    t.is(
      (await daemon.southbound('POST', '/notification', { all: true })).status,
      201,
      'which completes no installation',
    );
    t.is((await daemon.southbound('POST', `/notification?nodeId=${node}`, { booted: true })).status, 201);
    await hearing.until(has(`graph.finished.information.${workflow}.${node}`));
    const notifications = hearing.all.filter(({ key }) => key.startsWith('notification'));
    t.deepEqual(
      notifications.map(({ key, body }) => ({ key, body })),
      [
        { key: `notification.${node}`, body: { nodeId: node, disk: 'sda' } },
        { key: 'notification', body: { all: true } },
        { key: `notification.${node}`, body: { nodeId: node, booted: true } },
      ],
    );
    t.like(of(hearing, workflow).at(-1)?.body.data, { status: 'succeeded' });
  },
);

both.serial('a daemon that is killed publishes every start and end at least once, under one id', async (t) => {
  const { daemon, hearing } = await scene();
  const nodes = await Promise.all(Array.from({ length: 20 }, () => newNode(daemon)));
  const workflows: string[] = [];
  for (const [n, node] of nodes.entries()) {
    workflows.push(await launch(t, daemon, n % 2 ? 'Graph.noop-example' : 'Graph.Demo.InstallOs', node));
    if (n === 14) await daemon.kill('SIGKILL').then(() => daemon.start());
  }
  await daemon.kill('SIGKILL');
  await daemon.start();
  for (const _ of ['installed', 'booted'])
    for (const node of nodes) t.is((await daemon.southbound('POST', `/notification?nodeId=${node}`, {})).status, 201);
  const keys = workflows.flatMap((workflow, n) =>
    ['started', 'finished'].map((action) => `graph.${action}.information.${workflow}.${nodes[n]}`),
  );
  const heard = await hearing.until((all) => keys.every((key) => has(key)(all)));
  for (const key of keys) {
    const ids = heard.filter((told) => told.key === key).map(({ body }) => body.id);
    t.is(new Set(ids).size, 1, `${key} ${ids}`);
  }
});

both.serial(
  'the daemon starts, works and stops in time while the broker hangs, and publishes all events when it is back',
  async (t) => {
    const { rabbit, daemon, hearing } = await scene();
    const node = await newNode(daemon);
    t.teardown(() => rabbit.resume());
    await rabbit.pause();
    const workflow = await launch(t, daemon, 'Graph.noop-example', node);
    const asked = performance.now();
    t.is(await daemon.kill('SIGTERM'), 0);
    t.true(performance.now() - asked < 10_000);
    await daemon.start();
    rabbit.resume();
    await hearing.until(has(`graph.finished.information.${workflow}.${node}`));
  },
);
