/**
 * Attacks from the network of the nodes: the content of a request never changes where secrets are sent, what a user
 * entered, or which node another machine is. Each sender has an address of its own.
 */
import { createSocket } from 'node:dgram';
import { once } from 'node:events';
import anyTest, { type ExecutionContext, type TestFn } from 'ava';
import { needing } from '../support/ava/needs.ts';
import { freePort, noIpmiSim, startIpmiSim } from '../support/bmcs/ipmi-sim.ts';
import { API_PATH } from '../support/data/api-paths.ts';
import { openEngine, type TestEngine } from '../support/engine/engine.ts';
import { type Api, northbound, type Send, serve, southbound } from '../support/servers/api.ts';
import { keyIn, nodeIn, senderFrom } from '../support/servers/sender.ts';

const test = anyTest as TestFn<{ it: TestEngine }>;
const withSim = needing(noIpmiSim) as Pick<TestFn<{ it: TestEngine }>, 'serial'>;
type T = ExecutionContext<{ it: TestEngine }>;

const IPMI = 'ipmi-obm-service';
const ROGUE = '127.0.0.66';

test.before(async (t) => {
  t.context.it = await openEngine({ obm: { timeoutMs: 2_000, failures: 20, backoffMs: 1 } });
});
test.after.always((t) => t.context.it?.close());

interface Scene {
  it: TestEngine;
  /** As a user. */
  user: Send;
  /** Southbound from an address. */
  from(address: string): Send;
  south: Api<TestEngine['engine']>;
}

async function scene(t: T): Promise<Scene> {
  const { it } = t.context;
  const [south, north] = [
    await serve(t, southbound, it.engine),
    await serve(t, { ...northbound, authEnabled: false }, it.engine),
  ];
  return { it, user: north.send, south, from: (address) => senderFrom(t, south.port, address) };
}

/** A machine of the attacker that waits for a BMC's password. @returns the number of packets received */
async function listening(t: T, port: number): Promise<() => number> {
  const socket = createSocket('udp4');
  let packets = 0;
  socket.on('message', () => {
    packets += 1;
  });
  socket.bind(port, ROGUE);
  await once(socket, 'listening');
  t.teardown(() => socket.close());
  return () => packets;
}

const lookupOf = async (user: Send, mac: string) =>
  (await user('GET', `${API_PATH}/lookups?macAddress=${mac}`)).body[0];

withSim.serial(
  'a request for a profile does not move a BMC, and its password is sent to no other address',
  async (t) => {
    const { it, user, from } = await scene(t);
    const sim = await startIpmiSim(t);
    const packets = await listening(t, sim.port);
    const mac = '02:b0:00:00:00:01';
    const { id } = await it.node();
    await user('POST', `${API_PATH}/lookups`, { body: { macAddress: mac, ipAddress: '127.0.0.1', node: id } });
    await it.engine.obms.put(id, { service: IPMI, config: { ...sim.config, host: mac } });
    t.is((await from(ROGUE)('GET', `${API_PATH}/profiles?macs=${mac}&ips=${ROGUE}`)).status, 200);
    t.like(await lookupOf(user, mac), { ipAddress: '127.0.0.1', node: id, source: 'operator' });
    t.like((await lookupOf(user, mac)).observed, { ipAddress: ROGUE, from: ROGUE, node: id });
    t.is((await it.finished((await it.launch('Graph.PowerOn.Node', {}, id)).id)).status, 'succeeded');
    t.is(sim.power, 'on');
    t.is(packets(), 0);
  },
);

withSim.serial(
  'an obm is reached by an address that a user entered or confirmed, never by an observed one',
  async (t) => {
    const { it, user, from } = await scene(t);
    const sim = await startIpmiSim(t);
    const packets = await listening(t, sim.port);
    const mac = '02:b0:00:00:00:02';
    const { id } = await it.node();
    await it.engine.obms.put(id, { service: IPMI, config: { ...sim.config, host: mac } });
    await from(ROGUE)('GET', `${API_PATH}/profiles?macs=${mac}&ips=${ROGUE}`);
    const power = async () => it.finished((await it.launch('Graph.PowerOn.Node', {}, id)).id);
    const { error } = await power();
    t.is(error?.code, 'OBM_UNREACHABLE');
    t.regex(error?.message ?? '', /no user entered an address for the BMC 02:b0:00:00:00:02/);
    t.is(packets(), 0);
    const { id: lookup } = await lookupOf(user, mac);
    t.is(
      (await user('PATCH', `${API_PATH}/lookups/${lookup}`, { body: { ipAddress: '127.0.0.1' } })).body.source,
      'operator',
    );
    t.is((await power()).status, 'succeeded');
    t.is(packets(), 0);
  },
);

withSim.serial('an unauthenticated bmc catalog does not determine the destination of a password', async (t) => {
  const { it, user, from } = await scene(t);
  const port = await freePort();
  const packets = await listening(t, port);
  const { id } = await it.node();
  const data = { 'IP Address': ROGUE, 'MAC Address': '02:b0:00:00:00:03' };
  const posted = await from(ROGUE)('POST', `${API_PATH}/nodes/${id}/catalogs`, { body: { source: 'bmc', data } });
  t.is(posted.status, 201);
  t.is(posted.body.knownBy, 'nothing');
  const create = async () => {
    const options = { defaults: { user: 'root', password: 'hush-hush', port } };
    return (await it.finished((await it.launch('Graph.Obm.Ipmi.CreateSettings', options, id)).id)).error?.code;
  };
  t.is(await create(), 'CATALOG_UNTRUSTED');
  t.is(packets(), 0);
  t.deepEqual((await it.engine.nodes.find(id))?.obms, []);
  await user('POST', `${API_PATH}/nodes/${id}/catalogs`, {
    body: { source: 'bmc', data: { 'IP Address': '127.0.0.1' } },
  });
  t.not(await create(), 'CATALOG_UNTRUSTED');
  t.is(packets(), 0);
});

test.serial('a lookup that a user entered is unchanged by any request, including its gaps', async (t) => {
  const { it, user, from } = await scene(t);
  const macAddress = '02:b0:00:00:00:04';
  const made = await user('POST', `${API_PATH}/lookups`, { body: { macAddress } });
  const { body } = await from(ROGUE)('GET', `${API_PATH}/profiles?macs=${macAddress}&ips=${ROGUE}`);
  t.like(await lookupOf(user, macAddress), { node: null, ipAddress: null, source: 'operator' });
  t.is((await it.engine.nodes.find(macAddress))?.id, nodeIn(body), 'the machine is known all the same');
  await it.engine.control.cancelOn(nodeIn(body));
  await it.until(async () => (await it.engine.workflows.activeOn(nodeIn(body))) === undefined);
  t.is((await user('DELETE', `${API_PATH}/nodes/${nodeIn(body)}`)).status, 204);
  t.like(await lookupOf(user, macAddress), { id: made.body.id, observed: null });
});

test.serial('an observed lookup does not prevent a user from entering it', async (t) => {
  const { it, user, from } = await scene(t);
  const macAddress = '02:b0:00:00:00:05';
  const squatted = nodeIn((await from(ROGUE)('GET', `${API_PATH}/profiles?macs=${macAddress}`)).body);
  const { id: node } = await it.node();
  const body = { macAddress, ipAddress: '127.0.0.5', node };
  const made = await user('POST', `${API_PATH}/lookups`, { body });
  t.is(made.status, 201);
  t.like(made.body, { ...body, source: 'operator' });
  t.is((await user('POST', `${API_PATH}/lookups`, { body })).status, 400);
  t.not(squatted, node);
  t.is((await it.engine.nodes.find(macAddress))?.id, node);
});

test.serial('a node that a user named by a MAC owns it, even if a sender claimed it before', async (t) => {
  const { it, from } = await scene(t);
  const mac = '02:b0:00:00:00:06';
  await from(ROGUE)('GET', `${API_PATH}/profiles?macs=${mac}`);
  const { id } = await it.engine.nodes.create({ type: 'compute', name: 'racked', identifiers: [mac] });
  await from('127.0.0.6')('GET', `${API_PATH}/profiles?macs=${mac}`);
  const { items } = await it.engine.lookups.list({ skip: 0, limit: 9, filter: { macAddress: mac } });
  t.is(items[0]?.node, id);
});

test.serial('a list with MACs of several nodes changes none of them', async (t) => {
  const { it, user, from } = await scene(t);
  const macs = ['02:b0:00:00:01:01', '02:b0:00:00:01:02', '02:b0:00:00:01:03'];
  const nodes: string[] = [];
  for (const [n, mac] of macs.entries()) {
    nodes.push(nodeIn((await from(`127.0.1.${n + 1}`)('GET', `${API_PATH}/profiles?macs=${mac}`)).body));
  }
  const before = await Promise.all(nodes.map((node) => it.engine.nodes.find(node)));
  for (const list of [macs, macs.toReversed()])
    await from(ROGUE)('GET', `${API_PATH}/profiles?macs=${list}&ips=${ROGUE}`);
  for (const [n, mac] of macs.entries()) {
    t.is((await lookupOf(user, mac)).node, nodes[n] as string);
    t.is(nodeIn((await from(`127.0.1.${n + 1}`)('GET', `${API_PATH}/profiles?macs=${mac}`)).body), nodes[n] as string);
  }
  t.deepEqual(await Promise.all(nodes.map((node) => it.engine.nodes.find(node))), before);
});

test.serial('a new machine is not mistaken for one that a list named beside it', async (t) => {
  const { it, from } = await scene(t);
  const [known, coming] = ['02:b0:00:00:02:01', '02:b0:00:00:02:02'];
  const victim = nodeIn((await from('127.0.2.1')('GET', `${API_PATH}/profiles?macs=${known}`)).body);
  await from(ROGUE)('GET', `${API_PATH}/profiles?macs=${known},${coming}`);
  const arrived = nodeIn((await from('127.0.2.2')('GET', `${API_PATH}/profiles?macs=${coming}`)).body);
  t.not(arrived, victim);
  t.is((await it.engine.nodes.find(coming))?.id, arrived);
  const both = await from('127.0.2.1')('GET', `${API_PATH}/profiles?macs=${coming},${known}`);
  t.is(nodeIn(both.body), victim, 'the one that was known first');
});

test.serial('the addresses that a request claims identify no alert, no file request and no sender', async (t) => {
  const { it, user, from } = await scene(t);
  const [mac, claimed] = ['02:b0:00:00:03:01', '127.0.3.3'];
  const victim = nodeIn((await from('127.0.3.1')('GET', `${API_PATH}/profiles?macs=${mac}`)).body);
  await from(ROGUE)('GET', `${API_PATH}/profiles?macs=${mac}&ips=${claimed}`);
  const alert = { EventId: '1', Severity: 'Critical' };
  const send = (address: string) => from(address)('POST', `${API_PATH}/notification/alerts`, { body: alert });
  for (const address of [claimed, ROGUE, '127.0.3.1']) t.is((await send(address)).body.message, 'unrecognized node');
  const other = await it.node();
  t.is((await from(claimed)('POST', `${API_PATH}/notification?nodeId=${other.id}`)).status, 201);
  const { id: lookup } = await lookupOf(user, mac);
  await user('PATCH', `${API_PATH}/lookups/${lookup}`, { body: { ipAddress: '127.0.3.1', node: victim } });
  t.is((await send('127.0.3.1')).status, 201);
});

test.serial('a request about a node from an address of another node is 403, by each route', async (t) => {
  const { it, user, from } = await scene(t);
  const [own, other] = [await it.node(), await it.node()];
  await user('POST', `${API_PATH}/lookups`, {
    body: { macAddress: '02:b0:00:00:04:01', ipAddress: '127.0.4.1', node: own.id },
  });
  const config = { host: '127.0.4.2', user: 'u', password: 'p' };
  await it.engine.obms.put(own.id, { service: 'redfish-obm-service', config });
  const row = await it.launch('Graph.Demo.InstallOs', {}, other.id);
  t.teardown(() => it.engine.control.cancel(row.id));
  const taskId = row.tasks[0]?.instanceId;
  const about = (id: string): [string, string, object?][] => [
    ['GET', `/tasks/${id}`],
    ['GET', `/tasks/${id}/x.w1`],
    ['POST', `/tasks/${id}`, { tasks: [] }],
    ['GET', `/tasks/bootstrap.sh?nodeId=${id}`],
    ['POST', `/nodes/${id}/catalogs`, { source: 's', data: { a: 1 } }],
    ['POST', `/notification?nodeId=${id}`],
    ['POST', '/notification', { nodeId: id }],
    ['GET', `/profiles/local.ipxe?nodeId=${id}`],
    ['GET', `/templates/none?nodeId=${id}`],
  ];
  const progress: [string, string][] = [['GET', `/notification/progress?taskId=${taskId}&maximum=1&value=1`]];
  for (const address of ['127.0.4.1', '127.0.4.2']) {
    for (const [method, path, body] of [...about(other.id), ...progress]) {
      const { status, body: said } = await from(address)(method, API_PATH + path, body && { body });
      t.is(status, 403, `${method} ${path}`);
      t.like(said, { message: 'Forbidden', code: 'FORBIDDEN' });
      t.regex(said.errors[0].message, /is the address of another node/);
    }
    t.is((await from(address)('GET', `/any?nodeId=${other.id}`)).status, 403);
    t.is((await from(address)('GET', `${API_PATH}/profiles?macs=02:b0:00:00:04:99`)).status, 403, 'nor a new one');
    for (const [method, path, body] of about(own.id)) {
      t.not((await from(address)(method, API_PATH + path, body && { body })).status, 403, `${method} ${path}`);
    }
  }
  t.true(it.events.some(({ key }) => key === `node.southbound.rejected.warning.${other.id}.${other.id}`));
});

test.serial(
  'a node is bound to the address that it boots from; nodes behind a shared address and this machine are not',
  async (t) => {
    const { it, from, south } = await scene(t);
    const boot = async (address: string, n: number) =>
      nodeIn((await from(address)('GET', `${API_PATH}/profiles?macs=02:b0:00:00:05:0${n}`)).body);
    const [one, two] = [await boot('127.0.5.1', 1), await boot('127.0.5.2', 2)];
    const ask = async (address: string, node: string) =>
      (await from(address)('GET', `${API_PATH}/tasks/${node}`)).status;
    t.is(await ask('127.0.5.1', two), 403);
    t.is(await ask('127.0.5.2', one), 403);
    const behind = [await boot('127.0.5.9', 3), await boot('127.0.5.9', 4)];
    for (const node of [...behind, one]) t.not(await ask('127.0.5.9', node), 403);
    t.not((await south.send('GET', `${API_PATH}/tasks/${two}`)).status, 403);
    const key = keyIn((await from('127.0.5.2')('GET', `${API_PATH}/profiles?macs=02:b0:00:00:05:02`)).body) ?? '';
    const headers = { 'x-nodewright-key': key };
    const moved = await from('127.0.5.1')('GET', `${API_PATH}/tasks/${two}`, { headers });
    t.not(moved.status, 403, 'with its key a node may use an address where another node was seen');
    t.is(await it.engine.nodes.find('127.0.5.9'), undefined, 'a shared address identifies no node');
  },
);
