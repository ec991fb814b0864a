import test, { type ExecutionContext } from 'ava';
import { type Api, northbound, openApi } from '../support/servers/api.ts';

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
    id,
    name: 'Pollers.IPMI',
    type: 'ipmi',
    node,
    pollInterval: 60_000,
    paused: false,
    config: { command: 'sel', alerts: [{ 'Sensor Type': '/Fan/', severity: 'warning' }] },
    failureCount: 0,
    lastError: null,
    retryAt: null,
    restsUntil: null,
    createdAt,
    updatedAt,
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
      { type: 'snmp', config: { command: 'sel' } },
      { type: 'wsman' },
      { pollInterval: 99 },
      { pollInterval: '5000' },
      { config: { command: 'power' } },
      { type: 'redfish', config: { command: 'sel' } },
      { type: 'redfish', config: { command: 'power', host: '10.0.0.1' } },
      { type: 'redfish', config: { command: 'thermal', alerts: [] } },
      { type: 'redfish', config: { password: 'of no use' } },
      { type: 'redfish', node: null },
      { config: { command: 'sdr', alerts: [] } },
      { config: { oids: ['1.3.6'] } },
      { node: null },
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

test('the library of pollers lists each type once, with the keys of its config', async (t) => {
  const { send } = await openApi(t, open);
  const { body: types } = await send('GET', '/api/2.0/pollers/library');
  t.deepEqual(
    types.map(({ name }: { name: string }) => name),
    ['ipmi', 'redfish', 'snmp'],
  );
  for (const type of types) t.deepEqual((await send('GET', `/api/2.0/pollers/library/${type.name}`)).body, type);
  t.is((await send('GET', '/api/2.0/pollers/library/none')).status, 404);
});

test('a poller may have no node; its secrets are not shown, also after a change; without results its data is 204', async (t) => {
  const { send, engine } = await openApi(t, open);
  const config = { command: 'sdr', user: 'admin', password: 'not-shown-1' };
  const made = await send('POST', '/api/2.0/pollers', {
    body: { type: 'ipmi', paused: true, pollInterval: 100, config },
  });
  t.is(made.status, 201);
  t.like(made.body, { node: null, pollInterval: 100, config: { command: 'sdr', user: 'admin' } });
  const at = `/api/2.0/pollers/${made.body.id}`;
  const changed = await send('PATCH', at, { body: { config: { host: '10.0.0.9', password: 'not-shown-2' } } });
  t.deepEqual(changed.body.config, { command: 'sdr', user: 'admin', host: '10.0.0.9' });
  t.false(JSON.stringify([made, changed, await engine.stored('pollers')]).includes('not-shown'));
  const snmp = { type: 'snmp', paused: true, config: { oids: ['IF-MIB::ifSpeed'] } };
  t.deepEqual((await send('POST', '/api/2.0/pollers', { body: snmp })).body.config, snmp.config);
  for (const data of ['/data', '/data/current']) {
    t.is((await send('GET', `${at}${data}`)).status, 204);
    t.is((await send('GET', `/api/2.0/pollers/none${data}`)).status, 404);
  }
});
