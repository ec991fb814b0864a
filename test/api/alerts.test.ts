/** Alerts of BMCs: every alert is published, as an event of its node. */
import test, { type ExecutionContext } from 'ava';
import { type Api, northbound, openApi, southbound } from '../support/servers/api.ts';

const PATH = '/api/2.0/notification/alerts';
const MAC = '00:50:56:aa:bb:cc';

const alert = {
  Context: 'context string',
  EventId: '2162',
  EventTimestamp: '2017-05-02T14:45:19+0000',
  EventType: 'Alert',
  MemberId: '7e675c8e-127a-11e7-9fc8-64006ac35232',
  Message: 'The coin cell battery in CMC 1 is not working.',
  MessageArgs: ['1'],
  'MessageArgs@odata.count': 1,
  MessageId: 'CMC8572',
  Severity: 'Critical',
};

/** A node whose BMC has the address of the tests. */
async function bmc({ engine }: Api, lookup = true): Promise<string> {
  const { id } = await engine.nodes.create({ type: 'compute', name: 'n' });
  if (lookup) await engine.lookups.create({ macAddress: MAC, ipAddress: '127.0.0.1', node: id });
  return id;
}

const eventsOf = ({ engine }: Api) =>
  engine.told.filter(({ key }) => key.includes('alerts')) as { key: string; body: Record<string, unknown> }[];

async function told(t: ExecutionContext, api: Api, body: object): Promise<Record<string, unknown>[]> {
  const before = eventsOf(api).length;
  t.is((await api.send('POST', PATH, { body })).status, 201);
  return eventsOf(api)
    .slice(before)
    .map(({ body: event }) => event);
}

test('an alert is published with its own fields and the fields that name its node', async (t) => {
  const api = await openApi(t, southbound);
  const node = await bmc(api);
  await api.engine.catalogs.add(node, 'dmi', {
    'System Information': { 'Product Name': 'PowerEdge R730', 'Serial Number': '4F9ABC2' },
    'Base Board Information': [{ 'Serial Number': 'CN747' }, { 'Serial Number': 'other' }],
  });
  const { status, body } = await api.send('POST', PATH, { body: alert });
  t.deepEqual({ status, body }, { status: 201, body: { alerts: 1 } });
  const [event] = eventsOf(api);
  t.is(event?.key, `node.alerts.critical.${node}.${node}`);
  t.like(event?.body, { type: 'node', action: 'alerts', severity: 'critical', typeId: node, nodeId: node });
  t.deepEqual(event?.body.data, {
    ...alert,
    sourceIpAddress: '127.0.0.1',
    nodeId: node,
    macAddress: MAC,
    sourceMacAddress: MAC,
    ChassisName: 'PowerEdge R730',
    ServiceTag: '4F9ABC2',
    SN: 'CN747',
  });
});

test('an unknown field of a node is an empty text, whatever the alert contains', async (t) => {
  const api = await openApi(t, northbound);
  const nodeId = await bmc(api);
  const claims = { ChassisName: 'x', ServiceTag: 'x', SN: 'x', sourceIpAddress: 'x', nodeId: 'x', macAddress: 'x' };
  const [event] = await told(t, api, { ...alert, ...claims });
  const names = { ChassisName: '', ServiceTag: '', SN: '' };
  t.like(event?.data, { ...names, sourceIpAddress: '127.0.0.1', nodeId, macAddress: MAC });
});

test("the standard's message contains several alerts, and its context applies to each", async (t) => {
  const api = await openApi(t, southbound);
  await bmc(api);
  const Events = [
    { EventId: '1', Severity: 'Warning' },
    { EventId: '2', Context: 'own' },
  ];
  const events = await told(t, api, { Id: '7', Name: 'Event Array', Context: 'common', Events });
  t.deepEqual(
    events.map(({ severity, data }) => [severity, (data as typeof alert).EventId, (data as typeof alert).Context]),
    [
      ['warning', '1', 'common'],
      ['information', '2', 'own'],
    ],
  );
});

test('a severity is critical, warning, or else information', async (t) => {
  const api = await openApi(t, southbound);
  await bmc(api);
  const said = [
    { Severity: 'OK' },
    { Severity: 'Warning' },
    { MessageSeverity: 'Critical' },
    { Severity: 7 },
    { a: 1 },
  ];
  const events = await told(t, api, { Events: said });
  t.deepEqual(
    events.map(({ severity }) => severity),
    ['information', 'warning', 'critical', 'information', 'information'],
  );
});

test('without a lookup the host of an obm identifies the node, and its bmc catalog the MAC', async (t) => {
  const services = [
    ['ipmi-obm-service', { host: '127.0.0.1' }],
    ['redfish-obm-service', { uri: 'https://127.0.0.1:8443/' }],
  ] as const;
  for (const [service, config] of services) {
    const api = await openApi(t, southbound);
    const node = await bmc(api, false);
    await api.engine.obms.put(node, { service, config: { ...config, user: 'u', password: 'p' } });
    await api.engine.catalogs.add(node, 'bmc', { 'MAC Address': '2C:60:0C:83:F5:D1' });
    const [event] = await told(t, api, alert);
    t.is(event?.nodeId, node, service);
    t.like(event?.data, { macAddress: '2c:60:0c:83:f5:d1', sourceMacAddress: '2c:60:0c:83:f5:d1' });
  }
});

test('JSON under the content type of a form is accepted', async (t) => {
  const api = await openApi(t, southbound);
  await bmc(api);
  const headers = { 'content-type': 'application/x-www-form-urlencoded' };
  t.is((await api.send('POST', PATH, { raw: JSON.stringify(alert), headers })).status, 201);
  t.is(eventsOf(api).length, 1);
  t.is((await api.send('POST', PATH, { raw: 'EventId=1', headers })).status, 400);
});

test('a message without an alert is rejected, and so is one from an unknown sender', async (t) => {
  const api = await openApi(t, southbound);
  const rejected = async (body: object, message: string) => {
    const answer = await api.send('POST', PATH, { body });
    t.is(answer.status, 400, JSON.stringify(body));
    t.is(answer.body.message, message);
  };
  await rejected(alert, 'unrecognized node');
  await bmc(api);
  for (const body of [{}, { Events: [] }, { Events: {} }, { Events: [{}] }, { Events: [alert, 1] }])
    await rejected(body, 'Unexpected alert data');
  t.deepEqual(eventsOf(api), []);
});
