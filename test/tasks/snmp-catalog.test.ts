/** Switches and PDUs by SNMP on the real engine: their catalogs, their SKU, and what RackHD's jobs become. */
import anyTest, { type ExecutionContext, type TestFn } from 'ava';
import { columnsOf, snmpInventory } from '../../engine/inventory/pollers/snmp-inventory.ts';
import { nameOfObject } from '../../engine/inventory/pollers/snmp-objects.ts';
import { openEngine, type TestEngine } from '../support/engine/engine.ts';
import { startEndlessAgent } from '../support/servers/endless-snmp-agent.ts';
import { freeUdpPort } from '../support/servers/free-udp-port.ts';
import { startSwitchAgent } from '../support/servers/switch-agent.ts';

const test = anyTest as TestFn<{ it: TestEngine }>;
const service = 'snmp-ibm-service';

test.before(async (t) => {
  t.context.it = await openEngine();
});
test.after.always((t) => t.context.it?.close());

async function scene(t: ExecutionContext<{ it: TestEngine }>) {
  const { it } = t.context;
  const { id: node } = await it.node();
  const run = async (graph: string, options: Record<string, unknown> = {}) => {
    const { id } = await it.launch(graph, options, node);
    return it.finished(id);
  };
  return { it, node, run };
}

test('a switch is read: its interfaces, neighbors and parts, the objects under names of RackHD, and its SKU', async (t) => {
  const { it, node, run } = await scene(t);
  await it.engine.ibms.put(node, { service, config: await startSwitchAgent(t) });
  const rules = [{ path: 'snmp.system.description', contains: 'Arista' }];
  const sku = await it.engine.skus.create({ name: 'leaf', rules });
  const row = await run('Graph.Snmp.Discovery');
  t.is(row.status, 'succeeded', JSON.stringify(row.error));
  const data = async (source: string) => (await it.engine.catalogs.latestOf(node, source))?.data;
  t.deepEqual(await data('snmp'), {
    system: {
      description: 'Arista Networks EOS version 4.30.1F',
      objectId: '1.3.6.1.4.1.30065.1.3011',
      name: 'leaf1',
      location: 'rack 7',
    },
    interfaces: [
      {
        index: 1,
        name: 'Et1',
        description: 'Ethernet1',
        alias: 'to r01s01',
        mac: '02:cc:00:00:09:01',
        speedMbps: 100_000,
        isEnabled: true,
        isUp: true,
      },
      { index: 2, description: 'Ethernet2', mac: '02:cc:00:00:09:02', isEnabled: true, isUp: false },
    ],
    neighbors: [
      { port: 'Et1', system: 'r01s01', chassis: '02:cc:00:00:09:71', portId: 'eno1', portDescription: 'eno1' },
    ],
    parts: [
      {
        index: 1,
        description: 'Chassis',
        name: 'DCS-7050',
        manufacturer: 'Arista',
        model: 'DCS-7050SX3',
        serialNumber: 'JPE123',
        software: '4.30.1F',
      },
    ],
  });
  t.like(await data('snmp-1'), {
    'SNMPv2-MIB::sysDescr_0': 'Arista Networks EOS version 4.30.1F',
    'SNMPv2-MIB::sysObjectID_0': 'SNMPv2-SMI::enterprises.30065.1.3011',
    'IF-MIB::ifPhysAddress_2': '02:cc:00:00:09:02',
    'LLDP-MIB::lldpRemSysName_0_1_1': 'r01s01',
  });
  t.is((await it.engine.nodes.find(node))?.sku, sku.id);
});

test('products have the names of the MIBs that rules of RackHD know, and others their numbers', (t) => {
  t.is(nameOfObject('1.3.6.1.4.1.3711.24'), 'HAWK-I2-MIB::hawki2MIB');
  t.is(nameOfObject('1.3.6.1.4.1.3711.24.1'), 'HAWK-I2-MIB::hawki2MIB.1');
  t.is(nameOfObject('1.3.6.1.4.1.3711.240'), 'SNMPv2-SMI::enterprises.3711.240');
  t.is(nameOfObject('1.3.6.1.2.1'), '1.3.6.1.2.1');
});

test('a node without settings, and an agent that is silent, say what to do', async (t) => {
  const { it, node, run } = await scene(t);
  const without = await run('Graph.Snmp.Discovery');
  t.like(without.error, { code: 'OBM_INVALID' });
  t.regex(without.error?.message ?? '', /host .*correct the poller or the snmp-ibm-service of its node/);
  const port = await freeUdpPort('127.0.0.1');
  await it.engine.ibms.put(node, { service, config: { host: '127.0.0.1', port, community: 'x' } });
  t.like((await run('Graph.Snmp.Discovery', { catalog: { timeoutMs: 1_000 } })).error, { code: 'OBM_UNREACHABLE' });
});

test('an agent that repeats an object for ever, and one whose texts are too long, end', async (t) => {
  const { it, node, run } = await scene(t);
  const asked = async (agent: object) => {
    await it.engine.ibms.put(node, { service, config: { ...agent } });
    return run('Graph.Snmp.Discovery');
  };
  t.is((await asked(await startEndlessAgent(t, () => 5, 'again'))).status, 'failed');
  const long = await asked(await startEndlessAgent(t, (answer) => answer, 'x'.repeat(1_000)));
  t.like(long.error, { code: 'OBM_FAILED' });
  t.regex(long.error?.message ?? '', /sends \d+ characters, expected at most 2000000/);
});

test("the metrics of RackHD's SNMP pollers are pollers of their objects, once", async (t) => {
  const { it, node, run } = await scene(t);
  await it.engine.ibms.put(node, { service, config: await startSwitchAgent(t) });
  const pollers = ['snmp-interface-state', 'snmp-of-none'].map((metric) => ({ type: 'snmp', config: { metric } }));
  await it.engine.library.putGraph({
    friendlyName: 'x',
    injectableName: 'Graph.Test.Metrics',
    tasks: [{ label: 'pollers', taskName: 'Task.Pollers.Create', optionOverrides: { pollers } }],
  });
  for (const _ of ['made', 'there']) t.is((await run('Graph.Test.Metrics')).status, 'succeeded');
  const { items } = await it.engine.pollers.list({ filter: { node }, skip: 0, limit: 10 });
  t.deepEqual(
    items.map(({ config }) => config.oids),
    [['IF-MIB::ifAdminStatus', 'IF-MIB::ifOperStatus']],
  );
});

test('an agent without interfaces, or with odd instances, makes a catalog all the same', (t) => {
  const { snmp } = snmpInventory(columnsOf([{ '1.3.6.1.2.1.1.1.0': 'pdu' }]));
  t.deepEqual(snmp, { system: { description: 'pdu' }, interfaces: [], neighbors: [], parts: [] });
});
