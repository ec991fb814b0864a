import test from 'ava';
import { northbound, openApi } from '../support/servers/api.ts';

test('a created record is found at its Location', async (t) => {
  const { send, engine } = await openApi(t, { ...northbound, authEnabled: false });
  const { id } = await engine.nodes.create({ type: 'compute', name: 'n' });
  const service = 'noop-obm-service';
  const hook = { url: 'http://127.0.0.1:9/' };
  const definition = { friendlyName: 'X', injectableName: 'Graph.X' };
  for (const [method, path, body] of [
    ['POST', '/api/current/users', { username: 'u', password: 'long-enough', role: 'ReadOnly' }],
    ['POST', '/api/current/roles', { role: 'r', privileges: [] }],
    ['POST', '/api/current/nodes', { type: 'rack', name: 'r' }],
    ['POST', `/api/current/nodes/${id}/catalogs`, { source: 's', data: {} }],
    ['POST', `/api/current/nodes/${id}/workflows`, { name: 'Graph.Demo' }],
    ['POST', '/api/current/workflows', { name: 'Graph.Demo' }],
    ['PUT', `/api/current/nodes/${id}/obm`, { service }],
    ['PUT', '/api/current/obms', { nodeId: id, service }],
    ['POST', '/api/current/lookups', { macAddress: '00:00:00:00:00:01' }],
    ['POST', '/api/1.1/lookups', { macAddress: '00:00:00:00:00:02' }],
    ['POST', '/api/current/hooks', hook],
    ['PUT', '/api/current/workflows/graphs', { ...definition, tasks: [{ label: 'a', taskName: 'Task.noop' }] }],
  ] as const) {
    const made = await send(method, path, { body });
    const { status, body: found } = await send('GET', made.headers.get('location') ?? '');
    t.is(status, 200, path);
    t.deepEqual(found, made.body, path);
  }
});
