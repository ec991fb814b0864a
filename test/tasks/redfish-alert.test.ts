/** Subscribing to the alerts of BMCs, by a Redfish service that records its requests. */
import anyTest, { type ExecutionContext, type TestFn } from 'ava';
import type { WorkflowRow } from '../../engine/durable/step/row.ts';
import { type RedfishService, startRedfish } from '../support/bmcs/redfish.ts';
import { openEngine, type TestEngine } from '../support/engine/engine.ts';

const test = anyTest as TestFn<{ it: TestEngine }>;
type T = ExecutionContext<{ it: TestEngine }>;

const SUBSCRIBE_GRAPH = 'Graph.Redfish.Alert.Subscribe';
const LABEL = 'redfish-subscribtion';
const SERVICE = 'redfish-obm-service';
const ALERTS = '/api/2.0/notification/alerts';

test.before(async (t) => {
  t.context.it = await openEngine({ servicePublicIp: '10.9.8.7' });
});
test.after.always((t) => t.context.it?.close());

async function machine(t: T, obm = true): Promise<{ bmc: RedfishService; node: string }> {
  const bmc = await startRedfish(t);
  const { id: node } = await t.context.it.node();
  if (obm) await t.context.it.engine.obms.put(node, { service: SERVICE, config: bmc.config });
  return { bmc, node };
}

async function run(t: T, node: string, options: object = {}): Promise<WorkflowRow> {
  const { it } = t.context;
  return it.finished((await it.launch(SUBSCRIBE_GRAPH, { [LABEL]: options }, node)).id);
}

const subscriptions = ({ subscriptions: all }: RedfishService) => [...all.values()];

test('a node with an obm needs no options: its BMC sends to the configured address of the daemon', async (t) => {
  const { bmc, node } = await machine(t);
  const { status, tasks } = await run(t, node);
  t.is(status, 'succeeded');
  const Destination = `http://10.9.8.7:9080${ALERTS}`;
  t.deepEqual(subscriptions(bmc), [
    {
      Id: '1',
      Name: 'nodewright',
      Context: 'nodewright',
      Destination,
      Protocol: 'Redfish',
      EventTypes: ['ResourceAdded', 'StatusChange', 'Alert'],
    },
  ]);
  const place = '/redfish/v1/EventService/Subscriptions/1';
  t.deepEqual(tasks[0]?.output, { subscription: place, created: true, removed: [], destination: Destination });
});

test('a second launch changes nothing', async (t) => {
  const { bmc, node } = await machine(t);
  await run(t, node);
  const { tasks } = await run(t, node);
  t.like(tasks[0]?.output, { created: false, removed: [] });
  t.deepEqual(bmc.done.all, ['subscribe 1']);
});

test("the daemon's outdated and duplicate subscriptions are removed; those of other clients are kept", async (t) => {
  const { bmc, node } = await machine(t);
  const body = { Context: 'nodewright', Protocol: 'Redfish', EventTypes: ['Alert'] };
  const others = [
    { ...body, Context: 'other', Destination: `http://10.0.0.1:9080${ALERTS}` },
    { ...body, Destination: 'http://10.0.0.1/elsewhere' },
  ];
  const old = { ...body, Destination: `http://10.0.0.1:9080${ALERTS}` };
  for (const [at, one] of [...others, old, old].entries()) {
    bmc.subscriptions.set(`/redfish/v1/EventService/Subscriptions/old-${at}`, one);
  }
  await run(t, node);
  t.deepEqual(bmc.done.all, ['subscribe 1', 'unsubscribe old-2', 'unsubscribe old-3']);
  t.deepEqual(subscriptions(bmc).slice(0, 2), others);
  t.is(bmc.subscriptions.size, 3);
});

test('the options take precedence, and their secrets are never shown', async (t) => {
  const { bmc, node } = await machine(t, false);
  const data = {
    Context: 'context string',
    Description: 'Event Subscription Details',
    Destination: 'https://10.1.1.1/alerts',
    EventTypes: ['StatusChange', 'Alert'],
    Id: 'id',
    Name: 'name',
    Protocol: 'Redfish',
  };
  const { username, password, uri } = bmc.config;
  const url = `${uri}/redfish/v1/EventService/Subscriptions`;
  const row = await run(t, node, { url, credential: { username, password }, data });
  t.is(row.status, 'succeeded');
  t.deepEqual(subscriptions(bmc), [{ ...data, Id: '1' }]);
  t.false(JSON.stringify(row).includes(password));
});

test('a service with disabled events is enabled', async (t) => {
  const { bmc, node } = await machine(t);
  bmc.eventsEnabled = false;
  await run(t, node);
  t.deepEqual(bmc.done.all, ['events on', 'subscribe 1']);
});

test('the credentials of the obm are sent to no other host', async (t) => {
  const { node } = await machine(t);
  const stranger = await startRedfish(t);
  const { status, error } = await run(t, node, { url: `${stranger.url}/redfish/v1/EventService/Subscriptions` });
  t.is(status, 'failed');
  t.is(error?.code, 'OBM_INVALID');
  t.deepEqual(stranger.asked, []);
});

test('a launch without an obm and without options is rejected with the missing values', async (t) => {
  const { node } = await machine(t, false);
  await t.throwsAsync(run(t, node), { code: 'OBM_MISSING', message: /needs an obm of redfish-obm-service/ });
});
