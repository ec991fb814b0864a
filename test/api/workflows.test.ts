import test from 'ava';
import type { WorkflowRow } from '../../engine/durable/step/row.ts';
import { type Api, northbound, openApi } from '../support/servers/api.ts';

const open = { ...northbound, authEnabled: false };

async function nodeOf({ send }: Api): Promise<string> {
  const body = { type: 'compute', name: 'n', identifiers: ['serial-1'] };
  return (await send('POST', '/api/current/nodes', { body })).body.id;
}

test('a graph starts on a node; the name in the query takes precedence, and the record is as documented', async (t) => {
  const api = await openApi(t, open);
  const node = await nodeOf(api);
  const path = '/api/current/nodes/serial-1/workflows?name=Graph.Demo';
  const started = await api.send('POST', path, { body: { name: 'Graph.Other', options: { first: { a: 1 } } } });
  t.is(started.status, 201);
  const row = started.body;
  t.deepEqual(
    Object.keys(row).sort(),
    // biome-ignore format: one list
    ['_status', 'acknowledged', 'batch', 'context', 'createdAt', 'definition', 'definitionHash', 'domain', 'dueAt', 'error', 'finishedAt', 'id', 'injectableName', 'instanceId', 'launchedBy', 'name', 'node', 'options', 'override', 'parent', 'parentLabel', 'paused', 'progress', 'retryOf', 'rollout', 'root', 'rule', 'startedAt', 'status', 'tasks', 'ticket', 'traceId', 'updatedAt', 'value', 'waiting'],
  );
  t.like(row, { value: 'running', launchedBy: null, dueAt: null, traceId: '1'.repeat(32) });
  t.like(row, { node, instanceId: row.id, _status: 'running', definition: '/api/2.0/workflows/graphs/Graph.Demo' });
  t.deepEqual(row.context, { seen: 1 });
  t.deepEqual(
    Object.keys(row.tasks[0]),
    // biome-ignore format: one list
    ['label', 'taskName', 'instanceId', 'state', 'attempts', 'startedAt', 'finishedAt', 'output', 'error', 'waitingOn', 'dueAt', 'progress', 'callback', 'nextAttemptAt', 'maxAttempts', 'attemptErrors'],
  );
  t.is(started.headers.get('location'), `/api/2.0/workflows/${row.id}`);
});

test('a start needs a name, a known graph, a known node, and a free node', async (t) => {
  const api = await openApi(t, open);
  const path = `/api/current/nodes/${await nodeOf(api)}/workflows`;
  t.is((await api.send('POST', path)).status, 400);
  t.is((await api.send('POST', `${path}?name=`)).status, 400);
  t.is((await api.send('POST', `${path}?name=a&name=b`)).status, 400);
  t.is((await api.send('POST', path, { body: { name: 'Graph.Demo', options: { a: 1 } } })).status, 400);
  t.is((await api.send('POST', path, { body: { name: 'Graph.Demo', nonsense: 1 } })).status, 400);
  const unknown = await api.send('POST', `${path}?name=Graph.None`);
  t.is(unknown.status, 404);
  t.is(unknown.body.message, 'Graph definition not found for Graph.None');
  t.is((await api.send('POST', '/api/current/nodes/none/workflows?name=Graph.Demo')).status, 404);
  t.is((await api.send('POST', path, { body: { name: 'Graph.Demo' } })).status, 201);
  const busy = await api.send('POST', path, { body: { name: 'Graph.Demo' } });
  t.is(busy.status, 409);
  t.is(busy.body.message, 'Unable to run multiple task graphs against a single target.');
});

test('active=true gives none or one, active=false the ended ones, any other value is rejected', async (t) => {
  const api = await openApi(t, open);
  const path = `/api/current/nodes/${await nodeOf(api)}/workflows`;
  t.deepEqual((await api.send('GET', `${path}?active=true`)).body, []);
  await api.send('POST', `${path}?name=Graph.Demo`);
  const active = await api.send('GET', `${path}?active=true`);
  t.is(active.body.length, 1);
  t.regex(active.headers.get('link') ?? '', /rel="first"/);
  t.deepEqual((await api.send('GET', `${path}?active=true&$skip=1`)).body, []);
  t.is((await api.send('GET', `${path}?active=false`)).body.length, 0);
  t.is((await api.send('GET', `${path}?active=true&injectableName=Graph.Other`)).body.length, 0);
  t.is((await api.send('GET', `${path}?active=maybe`)).status, 400);
  await api.send('PUT', `${path}/action`, { body: { command: 'cancel' } });
  t.is((await api.send('GET', `${path}?active=false&_status=cancelled`)).body.length, 1);
});

test('active=true gives the holder of the node, even if children share the node, with any other filter', async (t) => {
  const api = await openApi(t, open);
  const node = await nodeOf(api);
  const path = `/api/current/nodes/${node}/workflows`;
  const { body: parent } = await api.send('POST', `${path}?name=Graph.Demo`);
  const row = api.engine.rows.get(parent.id) as WorkflowRow;
  api.engine.rows.set('child', { ...row, id: 'child', parent: { workflow: parent.id, operation: 'w', label: 'run' } });
  t.like((await api.send('GET', '/api/current/workflows/child')).body, { parent: parent.id, parentLabel: 'run' });
  t.is((await api.send('GET', `/api/current/workflows/${parent.id}`)).body.parentLabel, null);
  t.is((await api.send('GET', path)).body.length, 2);
  for (const query of ['', '&status=running', '&sort=-createdAt', `&id=${parent.id}`]) {
    const { body } = await api.send('GET', `${path}?active=true${query}`);
    t.deepEqual(
      body.map(({ id }: { id: string }) => id),
      [parent.id],
      query,
    );
  }
  t.deepEqual((await api.send('GET', `${path}?active=true&id=child`)).body, []);
});

test('cancel answers 202 with the record and its location; without an active workflow 404', async (t) => {
  const api = await openApi(t, open);
  await nodeOf(api);
  const path = '/api/current/nodes/serial-1/workflows';
  const none = await api.send('PUT', `${path}/action`, { body: { command: 'cancel' } });
  t.is(none.status, 404);
  t.is(none.body.message, 'No active workflow graph found for node serial-1');
  t.is((await api.send('PUT', `${path}/action`, { body: { command: 'pause' } })).status, 400);
  const { body: row } = await api.send('POST', `${path}?name=Graph.Demo`);
  const cancelled = await api.send('PUT', `${path}/action`, { body: { command: 'cancel' } });
  t.is(cancelled.status, 202);
  t.is(cancelled.body.id, row.id);
  t.is(cancelled.headers.get('location'), `/api/2.0/workflows/${row.id}`);
});

test('the deprecated forms of 1.1 give 200 or 204, and 204 or 404', async (t) => {
  const api = await openApi(t, open);
  await nodeOf(api);
  const path = '/api/1.1/nodes/serial-1/workflows/active';
  t.is((await api.send('GET', path)).status, 204);
  t.is((await api.send('DELETE', path)).status, 404);
  await api.send('POST', '/api/2.0/nodes/serial-1/workflows?name=Graph.Demo');
  const active = await api.send('GET', path);
  t.is(active.status, 200);
  t.is(active.body.injectableName, 'Graph.Demo');
  t.is((await api.send('DELETE', path)).status, 204);
  t.is((await api.send('GET', '/api/1.1/nodes/none/workflows/active')).status, 404);
});

test('a workflow without a node is started, read, cancelled twice and removed', async (t) => {
  const { send } = await openApi(t, open);
  const { status, body: row } = await send('POST', '/api/2.0/workflows', { body: { name: 'Graph.Demo' } });
  t.is(status, 201);
  t.is(row.node, null);
  const path = `/api/current/workflows/${row.id}`;
  t.is((await send('DELETE', path)).status, 409);
  for (const _ of [1, 2]) t.is((await send('PUT', `${path}/action`, { body: { command: 'cancel' } })).status, 202);
  const history = await send('GET', `${path}/history`);
  t.deepEqual(Object.keys(history.body[0]), ['version', 'at', 'event', 'from', 'to', 'cause']);
  t.is((await send('DELETE', path)).status, 204);
  t.is((await send('GET', path)).status, 404);
});

test('a workflow that ended otherwise cannot be cancelled', async (t) => {
  const { send, engine } = await openApi(t, open);
  const { body: row } = await send('POST', '/api/2.0/workflows', { body: { name: 'Graph.Demo' } });
  Object.assign(engine.rows.get(row.id) ?? {}, { status: 'succeeded' });
  const { status, body } = await send('PUT', `/api/2.0/workflows/${row.id}/action`, { body: { command: 'cancel' } });
  t.is(status, 409);
  t.is(body.code, 'WORKFLOW_ENDED');
});

test('graphs and tasks are put, listed, read and removed', async (t) => {
  const { send } = await openApi(t, open);
  const task = {
    friendlyName: 'A',
    injectableName: 'Task.A',
    implementsTask: 'Task.Base',
    options: {},
    properties: {},
  };
  const graph = {
    friendlyName: 'G',
    injectableName: 'Graph.G',
    tasks: [{ label: 'a', taskName: 'Task.A', waitOn: { anyOf: { b: 'finished' } } }],
  };
  for (const [kind, definition] of [
    ['graphs', graph],
    ['tasks', task],
  ] as const) {
    const path = `/api/current/workflows/${kind}`;
    t.is((await send('PUT', path, { body: definition })).status, 201, kind);
    t.deepEqual((await send('GET', path)).body, [definition]);
    t.deepEqual((await send('GET', `${path}/${definition.injectableName}`)).body, definition);
    t.is((await send('DELETE', `${path}/${definition.injectableName}`)).status, 204);
    t.is((await send('GET', `${path}/${definition.injectableName}`)).status, 404);
    t.is((await send('PUT', path, { body: { friendlyName: 'x' } })).status, 400);
  }
  const machine = { friendlyName: 'M', injectableName: 'Graph.M', machine: { states: {} }, tasks: { a: 'Task.A' } };
  t.is((await send('PUT', '/api/current/workflows/graphs', { body: machine })).status, 201);
  const at = async (body: object) => (await send('PUT', '/api/current/workflows/graphs', { body })).body.errors;
  t.deepEqual(await at({ ...machine, tasks: [] }), [{ path: 'tasks', message: 'must be object' }]);
  t.deepEqual(await at({ ...machine, tasks: { a: 7 } }), [{ path: 'tasks.a', message: 'must be string' }]);
  t.deepEqual(await at({ ...machine, machine: 'x' }), [{ path: 'machine', message: 'must be object' }]);
  t.deepEqual(await at({ ...graph, tasks: { a: 'Task.A' } }), [{ path: 'tasks', message: 'must be array' }]);
  const rejected = await send('GET', '/api/current/workflows/graphs?errors=true');
  t.like(rejected.body[0], { file: 'graphs/bad.ts', served: null });
});
