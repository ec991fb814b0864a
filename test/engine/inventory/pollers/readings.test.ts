/** Pollers of sensors, of the chassis and of SNMP agents, with and without a node. */
import plain from 'ava';
import type { NewPoller, PollerReading, PollerRecord } from '../../../../engine/api-port/index.ts';
import { sensorsIn } from '../../../../engine/inventory/pollers/readings.ts';
import { readTrees } from '../../../../engine/inventory/pollers/snmp.ts';
import { needing } from '../../../support/ava/needs.ts';
import { noIpmiSim, startIpmiSim } from '../../../support/bmcs/ipmi-sim.ts';
import { openEngine, type TestEngine } from '../../../support/engine/engine.ts';
import { INTERFACE_SPEED, SYSTEM_NAME, startSnmpAgent } from '../../../support/servers/snmp-agent.ts';

const test = needing(noIpmiSim);

let it: TestEngine;
plain.before(async () => {
  it = await openEngine({ obm: { timeoutMs: 4_000, failures: 100 } });
});
plain.after.always(() => it?.close());

const create = (poller: NewPoller) => it.engine.pollers.create({ pollInterval: 100, ...poller });

async function dataOf({ id }: PollerRecord): Promise<PollerReading[]> {
  await it.until(async () => ((await it.engine.pollers.data(id)) ?? []).length > 0);
  return (await it.engine.pollers.data(id)) ?? [];
}

test.serial(
  'sensors and the chassis of a node are read through its obm, and of a host with its own password',
  async (t) => {
    const sim = await startIpmiSim(t);
    const { id: node } = await it.node();
    await it.engine.obms.put(node, { service: 'ipmi-obm-service', config: sim.config });
    const chassis = await create({ type: 'ipmi', node, config: { command: 'chassis' } });
    const [state] = await dataOf(chassis);
    t.like(state, { host: '127.0.0.1', node, chassis: { power: sim.power } });
    const { host, port, user, password } = sim.config;
    const alone = await create({ type: 'ipmi', config: { command: 'sdr', host, port, user, password } });
    t.deepEqual(alone.config, { command: 'sdr', host, port, user });
    const [sensors] = await dataOf(alone);
    t.true(Array.isArray(sensors?.sdr));
    t.is(sensors?.node, null);
    const stored = JSON.stringify(await it.engine.pollers.list({ skip: 0, limit: 100, filter: {} }));
    t.false(stored.includes(password));
  },
);

plain('objects of an SNMP agent are read by number and by name, through the ibm of a node', async (t) => {
  const { id: node } = await it.node();
  const config = await startSnmpAgent(t);
  await it.engine.ibms.put(node, { service: 'snmp-ibm-service', config });
  const poller = await create({
    type: 'snmp',
    node,
    config: { oids: [SYSTEM_NAME, 'SNMPv2-MIB::sysName', 'IF-MIB::ifSpeed'] },
  });
  const [reading] = await dataOf(poller);
  const values = { [`${SYSTEM_NAME}.0`]: 'rack switch 7' };
  t.deepEqual(reading?.result, [
    { source: SYSTEM_NAME, values },
    { source: 'SNMPv2-MIB::sysName', values },
    { source: 'IF-MIB::ifSpeed', values: { [`${INTERFACE_SPEED}.0`]: '10000000' } },
  ]);
  const half = { host: config.host, user: 'ann', privPassword: 'long-enough' };
  await t.throwsAsync(create({ type: 'snmp', config: { oids: [SYSTEM_NAME], ...half } }), {
    code: 'INVALID',
    message: /config\.authPassword is missing/,
  });
  await it.until(async () => ((await it.engine.pollers.data(poller.id)) ?? []).length > 1);
  t.true(await it.engine.pollers.remove(poller.id));
  t.is(await it.engine.pollers.data(poller.id), undefined);
});

plain('an agent that does not answer, an unknown object and a missing host are errors of the poller', async (t) => {
  const { signal } = new AbortController();
  const silent = { host: '127.0.0.1', port: 9, access: { version: '2c', community: 'c' } } as const;
  await t.throwsAsync(readTrees(silent, [SYSTEM_NAME], 200, signal), { code: 'OBM_UNREACHABLE' });
  await t.throwsAsync(readTrees(silent, ['Own-MIB::own'], 200, signal), { code: 'OBM_INVALID' });
  const stopped = new AbortController();
  setImmediate(() => stopped.abort(new Error('stopped')));
  await t.throwsAsync(readTrees(silent, [SYSTEM_NAME], 60_000, stopped.signal), { message: 'stopped' });
  const lost = await create({ type: 'snmp', config: { oids: [SYSTEM_NAME] } });
  await it.until(async () => (await it.engine.pollers.get(lost.id))?.lastError?.code === 'OBM_INVALID');
  t.deepEqual(await it.engine.pollers.data(lost.id), []);
});

plain('the sensors that ipmitool prints become fields', (t) => {
  const said =
    'Temp             | 01h | ok  |  3.1 | 23 degrees C\nFan              | 02h | ns  |  7.1 | No Reading\n\n';
  t.deepEqual(sensorsIn(said), [
    { 'Sensor Id': 'Temp', Number: '01h', Status: 'ok', 'Entity Id': '3.1', 'Sensor Reading': '23 degrees C' },
    { 'Sensor Id': 'Fan', Number: '02h', Status: 'ns', 'Entity Id': '7.1', 'Sensor Reading': 'No Reading' },
  ]);
});
