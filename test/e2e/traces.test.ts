/** The trace of a workflow whose daemon is killed, as an OTLP receiver gets it: by the key `otlp`, and by the setup of the page. */
import anyTest, { type ExecutionContext } from 'ava';
import type { EventPayload } from '../../engine/vocabulary/event.ts';
import { folder } from '../support/ava/folder.ts';
import { needing } from '../support/ava/needs.ts';
import { folders } from '../support/engine/definition-folders.ts';
import { ended } from '../support/faults/workload.ts';
import { type DaemonProcess, startDaemonProcess } from '../support/servers/daemon.ts';
import { type MongoDb, noMongoDb, openMongoDb } from '../support/servers/mongodb.ts';
import { startReceiver } from '../support/servers/receiver.ts';
import { noRedis, type RedisServer, startRedis } from '../support/servers/redis.ts';
import { startTracing } from '../support/servers/traces.ts';

const test = needing(noRedis ?? noMongoDb);

let redis: RedisServer;
let mongodb: MongoDb;

anyTest.after.always(async () => {
  await redis?.stop();
  await mongodb?.stop();
});

const TRACED_GRAPH = 'Graph.Traced';
const caller = { traceId: '0af7651916cd43dd8448eb211c80319c', spanId: 'b7ad6b7169203331' };
const traceparent = `00-${caller.traceId}-${caller.spanId}-01`;

const graphIn = (home: string) => ({
  friendlyName: 'Traced',
  injectableName: TRACED_GRAPH,
  tasks: [
    { label: 'before', taskName: 'Task.Fixture.Write', optionOverrides: { ledger: `${home}/ledger`, line: 'x' } },
    { label: 'gate', taskName: 'Task.Wait.Notification', waitOn: { before: 'succeeded' } },
    { label: 'after', taskName: 'Task.Fixture.Fail', waitOn: { gate: 'succeeded' } },
  ],
});

/** By name, its parent. All are in one trace. */
const TREE = {
  'launch Graph.Traced': 'the caller',
  'Graph.Traced': 'launch Graph.Traced',
  'task before': 'Graph.Traced',
  'activity run before': 'task before',
  'task gate': 'Graph.Traced',
  'task after': 'Graph.Traced',
  'activity run after': 'task after',
};

/** Launches a workflow on a node; resolves when it waits, and the spans before that have arrived. */
async function launched(t: ExecutionContext, { arrived }: Tracing, daemon: DaemonProcess) {
  t.is((await daemon.api('PUT', '/workflows/graphs', graphIn(folder(t)))).status, 201);
  const { body: node } = await daemon.api('POST', '/nodes', { type: 'compute', name: 'n' });
  const { url, headers } = daemon.authorized(`/nodes/${node.id}/workflows?name=${TRACED_GRAPH}`);
  const answer = await fetch(url, { method: 'POST', headers: { ...headers, traceparent } });
  t.is(answer.status, 201);
  const workflow = (await answer.json()) as { id: string; traceId: string };
  t.is(workflow.traceId, caller.traceId);
  await arrived('launch Graph.Traced', 'task before', 'activity run');
  return { node: node.id, workflow: workflow.id };
}

type Tracing = Awaited<ReturnType<typeof startTracing>>;

/** Notifies the node; resolves when the workflow has failed and the daemon has sent its spans. */
async function finish(t: ExecutionContext, { arrived }: Tracing, daemon: DaemonProcess, node: string, id: string) {
  t.is((await daemon.southbound('POST', `/notification?nodeId=${node}`)).status, 201);
  t.is((await ended(daemon, id)).status, 'failed');
  await arrived('Graph.Traced');
}

/** Every span once, below the right one. */
function isTree(t: ExecutionContext, { spans }: Tracing) {
  const all = spans();
  const nameOf = ({ name, attributes }: (typeof all)[number]) => {
    const label = attributes.find(({ key }) => key === 'nodewright.task.label')?.value.stringValue;
    return name === 'activity run' ? `${name} ${label}` : name;
  };
  const names = new Map([[caller.spanId, 'the caller'], ...all.map((span) => [span.spanId, nameOf(span)] as const)]);
  const found = all.map((span) => [nameOf(span), names.get(span.parentSpanId ?? '')]);
  const byName = ([one = '']: (string | undefined)[], [other = '']: (string | undefined)[]) => (one < other ? -1 : 1);
  t.deepEqual(found.sort(byName), Object.entries(TREE).sort(byName));
  t.deepEqual([...new Set(all.map(({ traceId }) => traceId))], [caller.traceId]);
}

const tracesIn = (daemon: DaemonProcess, message: string, workflow: string) =>
  daemon.log
    .map((line) => JSON.parse(line))
    .filter((line) => line.msg === message && line.workflow === workflow)
    .map(({ traceId }) => traceId);

anyTest('a workflow is one trace over a kill -9 of its daemon, also in its events and in the log', async (t) => {
  const tracing = await startTracing(t);
  const daemon = await startDaemonProcess(t, { env: tracing.env, config: { ...folders, ...tracing.config } });
  const receiver = await startReceiver(t);
  const hook = { url: receiver.url, filters: [{ type: '^graph$' }] };
  t.is((await daemon.api('POST', '/hooks', hook)).status, 201);
  const { node, workflow } = await launched(t, tracing, daemon);
  await daemon.kill('SIGKILL');
  await daemon.start();
  await daemon.logIn();
  await finish(t, tracing, daemon, node, workflow);
  const posted = await receiver.posted.until((all) => all.some(({ event }) => event.action === 'finished'));
  const root = tracing.spans().find(({ name }) => name === 'launch Graph.Traced')?.spanId;
  for (const { event, headers } of posted) {
    t.is(event.traceId, caller.traceId);
    t.is(headers.traceparent, `00-${caller.traceId}-${root}-01`);
  }
  const { body: logged } = await daemon.api('GET', `/events?typeId=${workflow}`);
  const events = logged as unknown as EventPayload[];
  // A delivery whose answer the kill prevented is sent again.
  const ids = new Set(events.map(({ id }) => id));
  t.deepEqual(
    posted.filter(({ event }) => !ids.has(event.id)),
    [],
  );
  t.deepEqual([...new Set(events.map(({ traceId }) => traceId))], [caller.traceId]);
  t.deepEqual(tracesIn(daemon, 'workflow ended', workflow), [caller.traceId]);
  t.true(tracesIn(daemon, 'request', workflow).includes(caller.traceId));
  t.is(await daemon.kill('SIGTERM'), 0);
  isTree(t, tracing);
});

test.serial('a workflow that another daemon continues is one trace', async (t) => {
  redis = await startRedis();
  mongodb = await openMongoDb();
  const tracing = await startTracing(t, 'own SDK');
  const env = { ...tracing.env, REDIS_URL: redis.url, MONGODB_URL: mongodb.url };
  const one = await startDaemonProcess(t, { env, config: { ...folders } });
  const other = await startDaemonProcess(t, { env, config: { ...folders } });
  const { node, workflow } = await launched(t, tracing, one);
  await one.kill('SIGKILL');
  await finish(t, tracing, other, node, workflow);
  t.is(await other.kill('SIGTERM'), 0);
  isTree(t, tracing);
});

anyTest('spans that the SDK has not sent are sent when the daemon stops', async (t) => {
  const tracing = await startTracing(t);
  const env = { ...tracing.env, OTEL_BSP_SCHEDULE_DELAY: '600000' };
  const daemon = await startDaemonProcess(t, { env, config: { ...folders, ...tracing.config } });
  const { body } = await daemon.api('POST', '/workflows?name=Graph.noop-example', {});
  await ended(daemon, body.id);
  t.deepEqual(tracing.spans(), []);
  t.is(await daemon.kill('SIGTERM'), 0);
  t.true(tracing.spans().some(({ name }) => name === 'Graph.noop-example'));
});
