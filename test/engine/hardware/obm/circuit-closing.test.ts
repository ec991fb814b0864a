/** The circuit of a BMC, closed by a user, on the real engine: what waits for the BMC begins immediately. */
import test from 'ava';
import { freePort } from '../../../support/bmcs/ipmi-sim.ts';
import { openEngine } from '../../../support/engine/engine.ts';

test('closing the circuit of a BMC begins the attempts that wait for it, of every workflow, and of no other', async (t) => {
  const it = await openEngine({ obm: { timeoutMs: 8_000, failures: 1, backoffMs: 280_000 } });
  t.teardown(() => it.close());
  const port = await freePort();
  const waiting: string[] = [];
  for (let n = 0; n < 2; n += 1) {
    const { id } = await it.node();
    const config = { uri: `http://127.0.0.1:${port}`, user: 'u', password: 'secret-1' };
    await it.engine.obms.put(id, { service: 'redfish-obm-service', config });
    waiting.push((await it.launch('Graph.PowerOn.Node', {}, id)).id);
  }
  const restsOn = async (id: string) => (await it.get(id)).tasks.some(({ waitingOn }) => waitingOn === 'bmc');
  for (const id of waiting) await it.until(() => restsOn(id));
  const dueBefore = await Promise.all(waiting.map(async (id) => (await it.get(id)).dueAt));
  t.true(await it.engine.bmcs.reset('127.0.0.1', 'otto'));
  for (const id of waiting) {
    const lines = async () => (await it.engine.workflows.history(id, { skip: 0, limit: 100, filter: {} })).items;
    await it.until(async () => (await lines()).some(({ by, event }) => by === 'otto' && event === 'task.running'));
    // The BMC is still away: the attempt waits again, for another time.
    await it.until(async () => await restsOn(id));
    t.false(dueBefore.includes((await it.get(id)).dueAt));
  }
  t.false(await it.engine.bmcs.reset('10.9.9.9', 'otto'));
});

test('closing the circuit of a PDU begins what waits for it, and the nodes that it feeds are listed', async (t) => {
  const it = await openEngine({ obm: { timeoutMs: 8_000, failures: 1, backoffMs: 280_000 } });
  t.teardown(() => it.close());
  const port = await freePort();
  const outlets = (host: string) => ({
    outlets: [{ host, port, outlet: 1 }],
    user: 'u',
    password: 'p',
    protocol: 'http',
  });
  const [fed, other] = [await it.node(), await it.node()];
  await it.engine.obms.put(fed.id, { service: 'redfish-pdu-obm-service', config: outlets('127.0.0.1') });
  const snmp = { outlets: [{ host: 'PDU-2.example', outlet: 4 }], model: 'apc' as const, community: 'public' };
  await it.engine.obms.put(other.id, { service: 'pdu-obm-service', config: snmp });
  const { id } = await it.launch('Graph.PowerOn.Node', {}, fed.id);
  await it.until(async () => (await it.get(id)).tasks.some(({ waitingOn }) => waitingOn === 'bmc'));
  await it.until(async () => (await it.engine.bmcs.all()).some(({ retryAt }) => retryAt !== null));
  const nodes = await it.engine.bmcs.nodesAt(['127.0.0.1', 'pdu-2.example']);
  t.is(nodes.size, 2);
  t.deepEqual(
    nodes.get('127.0.0.1')?.map((node) => node.id),
    [fed.id],
  );
  t.deepEqual(
    nodes.get('pdu-2.example')?.map((node) => node.id),
    [other.id],
  );
  t.true(await it.engine.bmcs.reset('127.0.0.1', 'otto'));
  const lines = async () => (await it.engine.workflows.history(id, { skip: 0, limit: 100, filter: {} })).items;
  await it.until(async () => (await lines()).some(({ by, event }) => by === 'otto' && event === 'task.running'));
  // The obm is another one now.
  await it.engine.obms.put(other.id, {
    service: 'pdu-obm-service',
    config: { ...snmp, outlets: [{ host: 'pdu-3', outlet: 4 }] },
  });
  t.deepEqual([...(await it.engine.bmcs.nodesAt(['pdu-2.example', 'pdu-3'])).keys()], ['pdu-3']);
});

test('the nodes of a BMC are those whose obm names its host, or the MAC for which a user entered it', async (t) => {
  const it = await openEngine();
  t.teardown(() => it.close());
  const [byHost, byMac] = [await it.node(), await it.node()];
  const obm = (host: string) => ({ service: 'ipmi-obm-service' as const, config: { host, user: 'u', password: 'p' } });
  await it.engine.lookups.create({ macAddress: '02:00:00:00:00:09', ipAddress: '10.1.1.9' });
  await it.engine.obms.put(byHost.id, obm('10.1.1.9'));
  await it.engine.obms.put(byMac.id, obm('02:00:00:00:00:09'));
  const found = await it.engine.bmcs.nodesAt(['10.1.1.9', '10.1.1.10']);
  t.deepEqual([...found.keys()], ['10.1.1.9']);
  t.deepEqual(
    found
      .get('10.1.1.9')
      ?.map(({ id }) => id)
      .sort(),
    [byHost.id, byMac.id].sort(),
  );
});
