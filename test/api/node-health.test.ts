/** The health of nodes as users see it. */
import test, { type ExecutionContext } from 'ava';
import { openApi, southbound } from '../support/servers/api.ts';

async function scene(t: ExecutionContext) {
  const api = await openApi(t);
  const token = await api.as('Operator');
  const node = async (name: string) =>
    (await api.engine.nodes.create({ type: 'compute', name, identifiers: [`serial-${name}`] })).id;
  const call = (method: string, path: string, body?: unknown) =>
    api.send(method, `/api/current${path}`, { token, ...(body !== undefined && { body }) });
  return { ...api, node, call };
}

test('a source reports on a node, and lists show and filter the worst of its reports', async (t) => {
  const { node, call } = await scene(t);
  const [sick, well] = [await node('sick'), await node('well')];
  const put = await call('PUT', '/nodes/serial-sick/health/dcim', { state: 'warning', message: 'warm', ttlSec: 60 });
  t.is(put.status, 200);
  const [report] = put.body.reports;
  t.like(put.body, { state: 'warning', since: report.at });
  t.like(report, { source: 'dcim', state: 'warning', message: 'warm' });
  t.is(Date.parse(report.until) - Date.parse(report.at) > 59_000, true);
  t.deepEqual((await call('GET', `/nodes/${sick}/health`)).body, put.body);
  await call('PUT', `/nodes/${sick}/health/rack`, { state: 'critical' });
  const listed = async (query: string) =>
    (await call('GET', `/nodes?${query}`)).body.map(({ id }: { id: string }) => id).sort();
  t.deepEqual(await listed('health=critical'), [sick]);
  t.deepEqual(await listed('health=unknown'), [well]);
  t.deepEqual(await listed('health=unknown,critical'), [sick, well].sort());
  t.deepEqual(await listed('health=ok'), []);
  t.like((await call('GET', `/nodes/${sick}`)).body, { health: 'critical' });
  t.like((await call('GET', `/nodes/${well}/health`)).body, { state: 'unknown', reports: [] });
});

test('a report that makes no sense is rejected, and changes nothing', async (t) => {
  const { node, call } = await scene(t);
  const id = await node('n');
  const bad: [object, string][] = [
    [{}, 'state'],
    [{ state: 'fine' }, 'state'],
    [{ state: 'ok', ttlSec: 0 }, 'ttlSec'],
    [{ state: 'ok', ttlSec: 1.5 }, 'ttlSec'],
    [{ state: 'ok', message: 7 }, 'message'],
    [{ state: 'ok', colour: 'red' }, 'colour'],
  ];
  for (const [body, path] of bad) {
    const { status, body: answer } = await call('PUT', `/nodes/${id}/health/rack`, body);
    t.is(status, 400, path);
    t.true(JSON.stringify(answer).includes(path), path);
  }
  t.is((await call('PUT', `/nodes/${id}/health/${'x'.repeat(65)}`, { state: 'ok' })).status, 400);
  t.like(await call('PUT', `/nodes/${id}/health/bmc`, { state: 'ok' }), { status: 409, body: { code: 'CONFLICT' } });
  for (const method of ['GET', 'PUT'] as const) {
    const path = method === 'GET' ? '/nodes/none/health' : '/nodes/none/health/rack';
    t.is((await call(method, path, method === 'GET' ? undefined : { state: 'ok' })).status, 404);
  }
  t.is((await call('GET', '/nodes?health=fine')).status, 400);
  t.deepEqual((await call('GET', `/nodes/${id}/health`)).body.reports, []);
});

test('an alert of a BMC is a report on its node until the one that says that it is over', async (t) => {
  const api = await openApi(t, southbound);
  const { id } = await api.engine.nodes.create({ type: 'compute', name: 'n' });
  await api.engine.lookups.create({ macAddress: '00:50:56:aa:bb:cc', ipAddress: '127.0.0.1', node: id });
  const send = (Severity: string) => {
    const body = { MessageId: 'CMC8572', Severity, Message: 'A battery is empty.', EventType: 'Alert' };
    return api.send('POST', '/api/2.0/notification/alerts', { body });
  };
  t.is((await send('Critical')).status, 201);
  t.like(await api.engine.health.of(id), {
    state: 'critical',
    reports: [{ source: 'alert', state: 'critical', message: 'A battery is empty.' }],
  });
  t.is((await send('OK')).status, 201);
  t.like(await api.engine.health.of(id), { state: 'unknown', reports: [] });
});
