/** Obms as clients of RackHD write and read them. */
import test from 'ava';
import { northbound, openApi } from '../support/servers/api.ts';

const service = 'noop-obm-service';

test('the node of an obm may be named in the body beside the path, and must be the same node', async (t) => {
  const { send, engine } = await openApi(t, { ...northbound, authEnabled: false });
  const node = await engine.nodes.create({ type: 'compute', name: 'n', identifiers: ['SN1'] });
  const other = await engine.nodes.create({ type: 'compute', name: 'other' });
  const put = (nodeId: string) => send('PUT', `/api/current/nodes/${node.id}/obm`, { body: { nodeId, service } });
  for (const same of [node.id, 'SN1']) t.is((await put(same)).status, 201, same);
  for (const wrong of [other.id, 'none']) {
    const { status, body } = await put(wrong);
    t.is(status, 400, wrong);
    t.is(body.errors[0].path, 'nodeId');
  }
  t.is((await send('GET', `/api/current/nodes/${other.id}/obm`)).body.length, 0);
});

test('an obm names its node as nodeId and as node, and is found by both', async (t) => {
  const { send, engine } = await openApi(t, { ...northbound, authEnabled: false });
  const { id } = await engine.nodes.create({ type: 'compute', name: 'n' });
  const { body: made } = await send('PUT', '/api/current/obms', { body: { nodeId: id, service } });
  t.like(made, { nodeId: id, node: id });
  for (const query of ['', `?node=${id}`, `?nodeId=${id}`]) {
    t.deepEqual((await send('GET', `/api/current/obms${query}`)).body, [made], query);
  }
  t.deepEqual((await send('GET', `/api/current/obms/${made.id}`)).body, made);
  t.deepEqual((await send('GET', `/api/current/nodes/${id}/obm`)).body, [made]);
});

test('an obm that can never work is 400 by each route, and changes nothing', async (t) => {
  const { send, engine } = await openApi(t, { ...northbound, authEnabled: false });
  const { id: nodeId } = await engine.nodes.create({ type: 'compute', name: 'n' });
  const good = { host: '10.1.1.1', user: 'root', password: 'calvin' };
  const { body: made } = await send('PUT', '/api/current/obms', {
    body: { nodeId, service: 'ipmi-obm-service', config: good },
  });
  for (const [name, config, path] of [
    ['ipmi-obm-service', undefined, 'config.host'],
    ['ipmi-obm-service', { ...good, host: '999.1.1.1' }, 'config.host'],
    ['ipmi-obm-service', { ...good, password: '' }, 'config.password'],
    ['redfish-obm-service', {}, 'config.password'],
    ['redfish-obm-service', { user: 'root', password: 'calvin' }, 'config.uri'],
  ] as const) {
    const body = { service: name, ...(config !== undefined && { config }) };
    const answers = [
      await send('PUT', `/api/current/nodes/${nodeId}/obm`, { body }),
      await send('PUT', '/api/current/obms', { body: { nodeId, ...body } }),
      ...(name === made.service && config
        ? [await send('PATCH', `/api/current/obms/${made.id}`, { body: { config } })]
        : []),
    ];
    for (const answer of answers) {
      t.is(answer.status, 400, JSON.stringify(answer.body));
      t.true(
        answer.body.errors.some((error: { path: string }) => error.path === path),
        JSON.stringify(answer.body),
      );
    }
  }
  t.deepEqual((await send('GET', '/api/current/obms')).body, [made]);
});
