/** /holds: holds of nodes as users see them. */
import test, { type ExecutionContext } from 'ava';
import { nodesByFilter } from '../../api/routes/filtered-nodes.ts';
import { type Api, northbound, openApi, southbound } from '../support/servers/api.ts';

const LATER = '2099-01-01T00:00:00.000Z';

async function scene(t: ExecutionContext) {
  const api = await openApi(t);
  const token = await api.as('Operator');
  const { id: node } = await api.engine.nodes.create({ type: 'compute', name: 'n', identifiers: ['serial-1'] });
  const call = (method: string, path: string, body?: unknown) =>
    api.send(method, `/api/current${path}`, { token, ...(body !== undefined && { body }) });
  const hold = async (body: object, of = node) => (await call('POST', `/nodes/${of}/holds`, body)).body;
  return { ...api, node, call, hold };
}

const eventsOf = ({ engine }: Pick<Api, 'engine'>) =>
  engine.told.flatMap(({ key, body }) =>
    key.startsWith('node.hold.') ? [body as { action: string; data: object }] : [],
  );

test('a hold is added, listed, changed and removed, with its user and its events', async (t) => {
  const { node, call, engine } = await scene(t);
  const made = await call('POST', '/nodes/serial-1/holds', {
    kind: 'repair',
    reason: 'a fan',
    until: '2099-01-01T00:00:00Z',
  });
  const { id, createdAt, updatedAt } = made.body;
  t.is(made.status, 201);
  t.is(made.headers.get('location'), `/api/2.0/nodes/${node}/holds/${id}`);
  const record = { id, node, kind: 'repair', reason: 'a fan', until: LATER, blocks: ['launch'] };
  t.deepEqual(made.body, { ...record, createdAt, updatedAt, createdBy: 'Operator' });
  const of = [
    '/holds',
    `/holds?kind=repair&node=${node}`,
    '/holds?node=serial-1',
    '/holds?node=other,serial-1&kind=repair',
  ];
  for (const path of [`/nodes/${node}/holds`, ...of]) t.deepEqual((await call('GET', path)).body, [made.body], path);
  for (const query of ['kind=legal', 'node=other', 'node=serial-1&kind=legal'])
    t.deepEqual((await call('GET', `/holds?${query}`)).body, [], query);
  const changed = await call('PATCH', `/nodes/${node}/holds/${id}`, { reason: 'two fans', until: null });
  t.like(changed.body, { id, kind: 'repair', reason: 'two fans', until: null });
  t.deepEqual((await call('GET', `/nodes/${node}/holds/${id}`)).body, changed.body);
  t.is((await call('DELETE', `/nodes/${node}/holds/${id}`)).status, 204);
  for (const method of ['GET', 'DELETE']) t.is((await call(method, `/nodes/${node}/holds/${id}`)).status, 404);
  t.is((await call('PATCH', `/nodes/${node}/holds/${id}`, { reason: 'x' })).status, 404);
  t.like(eventsOf({ engine }), [
    { action: 'hold.added', data: { nodeId: node, nodeType: 'compute', by: 'Operator', hold: { id, kind: 'repair' } } },
    { action: 'hold.removed', data: { by: 'Operator', hold: { id, reason: 'two fans', createdBy: 'Operator' } } },
  ]);
});

test('a hold that makes no sense is rejected', async (t) => {
  const { node, call } = await scene(t);
  const bad: [object, string][] = [
    [{ kind: 'nothing', reason: 'x' }, 'kind'],
    [{ kind: 'repair' }, 'reason'],
    [{ kind: 'repair', reason: '' }, 'reason'],
    [{ kind: 'repair', reason: 'x', until: 'soon' }, 'until'],
    [{ kind: 'repair', reason: 'x', until: '2020-01-01T00:00:00Z' }, 'until'],
    [{ kind: 'repair', reason: 'x', blocks: [] }, 'blocks'],
    [{ kind: 'repair', reason: 'x', blocks: ['sleep'] }, 'blocks'],
    [{ kind: 'repair', reason: 'x', colour: 'red' }, 'colour'],
  ];
  for (const [body, path] of bad) {
    const answer = await call('POST', `/nodes/${node}/holds`, body);
    t.is(answer.status, 400, path);
    t.regex(JSON.stringify(answer.body.errors), new RegExp(path));
  }
  t.is((await call('POST', '/nodes/none/holds', { kind: 'repair', reason: 'x' })).status, 404);
  t.deepEqual((await call('GET', '/holds')).body, []);
});

test('several holds of one node are independent; a node shows their kinds, and lists filter by them', async (t) => {
  const { node, call, hold, engine } = await scene(t);
  const { id: free } = await engine.nodes.create({ type: 'compute', name: 'free' });
  const { id: other } = await engine.nodes.create({ type: 'compute', name: 'other' });
  const first = await hold({ kind: 'repair', reason: 'a fan' });
  await hold({ kind: 'legal', reason: 'a case' });
  await hold({ kind: 'legal', reason: 'another case' });
  await hold({ kind: 'other', reason: 'x' }, other);
  t.deepEqual((await call('GET', `/nodes/${node}`)).body.held, ['legal', 'repair']);
  const listed = async (held: string) =>
    ((await call('GET', `/nodes?held=${held}`)).body as { id: string }[]).map(({ id }) => id).sort();
  t.deepEqual(await listed('true'), [node, other].sort());
  t.deepEqual(await listed('false'), [free]);
  t.deepEqual(await listed('legal'), [node]);
  t.deepEqual(await listed('other,repair'), [node, other].sort());
  t.deepEqual(await listed('false,other'), [free, other].sort());
  t.is((await listed('true,false')).length, 3);
  t.deepEqual((await nodesByFilter(engine, { held: 'other,false' })).sort(), [free, other].sort());
  t.deepEqual(await nodesByFilter(engine, { held: false }), [free]);
  for (const held of ['maybe', 'legal,maybe', '']) t.is((await call('GET', `/nodes?held=${held}`)).status, 400);
  await call('DELETE', `/nodes/${node}/holds/${first.id}`);
  t.deepEqual((await call('GET', `/nodes/${node}`)).body.held, ['legal']);
  t.is((await call('DELETE', `/nodes/${node}`)).status, 204);
  t.deepEqual(
    ((await call('GET', '/holds')).body as { node: string }[]).map((one) => one.node),
    [other],
  );
});

test('a hold ends by itself at its time, for every reader', async (t) => {
  const { node, call, hold } = await scene(t);
  const until = new Date(Date.now() + 300).toISOString();
  const { id } = await hold({ kind: 'repair', reason: 'soon over', until });
  while (Date.now() <= Date.parse(until)) t.is((await call('GET', '/version-of-nothing')).status, 404);
  t.deepEqual((await call('GET', '/holds')).body, []);
  t.is((await call('GET', `/nodes/${node}/holds/${id}`)).status, 404);
  t.is((await call('PATCH', `/nodes/${node}/holds/${id}`, { until: LATER })).status, 404);
  t.deepEqual((await call('GET', `/nodes/${node}`)).body.held, []);
  t.deepEqual((await call('GET', '/nodes?held=true')).body, []);
});

test('only a manager launches over holds, and the audit log has the reason', async (t) => {
  const { node, call, send, as } = await scene(t);
  const launch = { name: 'Graph.Demo', override: { holds: ['h'], reason: 'the fire' } };
  const rejected = await call('POST', `/nodes/${node}/workflows`, launch);
  t.like(rejected, { status: 403, body: { requiredPrivileges: ['ConfigureManager'] } });
  const token = await as('Administrator');
  const body = { name: 'Graph.Demo', override: { holds: [], reason: 'x' } };
  t.is((await send('POST', `/api/current/nodes/${node}/workflows`, { token, body })).status, 400);
  t.is((await send('POST', `/api/current/nodes/${node}/workflows`, { token, body: launch })).status, 201);
  const audit = (await send('GET', '/api/current/audit', { token })).body as {
    overrideReason?: string;
    status: number;
  }[];
  t.like(
    audit.find(({ overrideReason, status }) => overrideReason !== undefined && status === 201),
    { overriddenHolds: ['h'], overrideReason: 'the fire', user: 'Administrator' },
  );
});

test('a reader sees holds, and adds none', async (t) => {
  const { node, send, as } = await scene(t);
  const token = await as('ReadOnly');
  t.is((await send('GET', '/api/current/holds', { token })).status, 200);
  const body = { kind: 'repair', reason: 'x' };
  t.is((await send('POST', `/api/current/nodes/${node}/holds`, { token, body })).status, 403);
});

test('an alert of a node whose hold blocks alerts is in the log and quiet, and so is the health that it changes', async (t) => {
  const { engine, send } = await openApi(t, southbound);
  const north = await openApi(t, { ...northbound, authEnabled: false }, engine);
  const { id } = await engine.nodes.create({ type: 'compute', name: 'n' });
  await engine.lookups.create({ macAddress: '00:50:56:aa:bb:cc', ipAddress: '127.0.0.1', node: id });
  const published = async (Severity: string) => {
    const before = engine.told.length;
    const body = { MessageId: 'Fan.1.0.Failed', Message: 'the fan stands', Severity };
    t.is((await send('POST', '/api/2.0/notification/alerts', { body })).status, 201);
    return engine.told.slice(before).map(({ key, isQuiet = false }) => [key.replace(`.${id}.${id}`, ''), isQuiet]);
  };
  const { id: hold } = await engine.holds.add(id, { kind: 'maintenance', reason: 'x', blocks: ['alert'] });
  t.deepEqual(await published('Critical'), [
    ['node.health.changed.critical', true],
    ['node.alerts.critical', true],
  ]);
  t.is((await north.send('GET', `/api/current/nodes/${id}/health`)).body.state, 'critical');
  await engine.holds.remove(id, hold);
  t.deepEqual(await published('OK'), [
    ['node.health.changed.information', false],
    ['node.alerts.information', false],
  ]);
  const { body } = await north.send('GET', '/api/current/events?type=node&action=alerts');
  t.is(body.length, 2);
});
