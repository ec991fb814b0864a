import test, { type ExecutionContext } from 'ava';
import { type Api, northbound, openApi } from '../support/api.ts';

const open = { ...northbound, authEnabled: false };

async function scene(
  t: ExecutionContext,
): Promise<Api & { node: string; create(more?: object): ReturnType<Api['send']> }> {
  const api = await openApi(t, open);
  const { id: node } = await api.engine.nodes.create({ type: 'compute', name: 'n', identifiers: ['serial-1'] });
  const create = (more = {}) => api.send('POST', '/api/current/pollers', { body: { type: 'ipmi', node, ...more } });
  return { ...api, node, create };
}

test('a poller is created, found, changed and removed', async (t) => {
  const { send, node, create } = await scene(t);
  const made = await create({
    node: 'serial-1',
    config: { alerts: [{ 'Sensor Type': '/Fan/', severity: 'warning' }] },
  });
  t.is(made.status, 201);
  const { id, createdAt, updatedAt } = made.body;
  t.is(made.headers.get('location'), `/api/2.0/pollers/${id}`);
  t.deepEqual(made.body, {
    ...{ id, type: 'ipmi', node, pollInterval: 60_000, paused: false },
    config: { command: 'sel', alerts: [{ 'Sensor Type': '/Fan/', severity: 'warning' }] },
    ...{ failureCount: 0, lastError: null, restsUntil: null, createdAt, updatedAt },
  });
  const path = `/api/current/pollers/${id}`;
  t.deepEqual((await send('GET', path)).body, made.body);
  for (const list of [`/api/current/pollers?node=${node}`, '/api/current/nodes/serial-1/pollers']) {
    t.deepEqual((await send('GET', list)).body, [made.body], list);
  }
  const changed = await send('PATCH', path, { body: { pollInterval: 5_000, paused: true, config: { alerts: [] } } });
  t.is(changed.status, 200);
  t.like(changed.body, { pollInterval: 5_000, paused: true, config: { command: 'sel', alerts: [] } });
  t.is((await send('DELETE', path)).status, 204);
  for (const method of ['GET', 'DELETE']) t.is((await send(method, path)).status, 404, method);
  t.is((await send('PATCH', path, { body: { paused: false } })).status, 404);
});

test('a poller that cannot work is rejected', async (t) => {
  const { create, engine } = await scene(t);
  const bad = [
    ...[
      { node: 'nobody' },
      { type: 'snmp' },
      { pollInterval: 999 },
      { pollInterval: '5000' },
      { config: { command: 'sdr' } },
    ],
    ...[{ config: { alerts: [{ Description: 'x' }] } }, { config: { alerts: [{ severity: 'bad' }] } }],
    ...[{ config: { alerts: [{ Description: '/(/', severity: 'critical' }] } }, { more: 1 }],
  ];
  for (const body of bad) t.is((await create(body)).status, 400, JSON.stringify(body));
  t.deepEqual(await engine.stored('pollers'), []);
  t.is((await create()).status, 201);
  const again = await create();
  t.is(again.status, 409);
  t.is(again.body.code, 'DUPLICATE');
});
