/** SNMP agents of a twin over UDP, asked by the daemon's own reader and driver: a switch in its rack, and the outlets of a PDU. */
import test from 'ava';
import { ObmError } from '../../../../engine/define/obm.ts';
import { snmpOf } from '../../../../engine/hardware/obm/snmp-settings.ts';
import { PduRedfish } from '../../../../engine/hardware/twin/bmc/pdu-redfish.ts';
import { readFaults } from '../../../../engine/hardware/twin/faults/read-faults.ts';
import type { Model } from '../../../../engine/hardware/twin/machine/model.ts';
import { switchModels } from '../../../../engine/hardware/twin/read-model.ts';
import { agentPlaces, pdusOf } from '../../../../engine/hardware/twin/snmp/agent-places.ts';
import { pduTables } from '../../../../engine/hardware/twin/snmp/pdu-tables.ts';
import { switchTables } from '../../../../engine/hardware/twin/snmp/switch-tables.ts';
import { readInventory } from '../../../../engine/inventory/pollers/snmp.ts';
import { NEVER } from '../../../support/ava/never.ts';
import { WAIT_MS } from '../../../support/ava/patience.ts';
import { openDriver } from '../../../support/bmcs/drivers.ts';
import { twinMachine } from '../../../support/bmcs/twin-bmc.ts';
import { startAgent, writing } from '../../../support/servers/twin-agent.ts';
import { offlineTwin } from '../../../support/twin/offline-twin.ts';

const model = switchModels().get('edgecore-as7726') as Model;

test('a switch has its ports, the machines of its rack as neighbors, and its chassis', async (t) => {
  const server = twinMachine({ model: 'hpe-dl360-gen11' }).machine;
  const nexus: Model = { ...model, product: 'Nexus 3048', sku: 'N3K', switch: { vendor: 'cisco', version: '6.0' } };
  const { machine } = offlineTwin({ model: nexus });
  const port = server.facts.slot;
  t.not(port, machine.facts.slot);
  const agent = await startAgent(t, switchTables(machine, [machine, server]));
  const read = () => readInventory(snmpOf(agent), WAIT_MS, NEVER);
  const { snmp, 'snmp-1': named } = await read();
  t.is(snmp.interfaces.length, 32);
  t.deepEqual(snmp.neighbors, [
    {
      port: `Ethernet1/${port}`,
      system: server.name,
      chassis: server.facts.macs[0],
      portId: 'eno1',
      portDescription: 'eno1',
    },
  ]);
  t.like(snmp.parts[0], { index: 10, model: 'N3K', serialNumber: machine.facts.serial, software: '6.0' });
  t.like(named, {
    'SNMPv2-MIB::sysObjectID_0': 'SNMPv2-SMI::enterprises.9',
    'ENTITY-MIB::entPhysicalModelName_10': 'N3K',
  });
  const isUp = async () => ((await read()).snmp.interfaces[port - 1] as { isUp: boolean }).isUp;
  t.false(await isUp());
  server.state.power = { is: 'On' };
  t.true(await isUp());
});

test('an outlet of a PDU takes the power of its machine, which starts with it again', async (t) => {
  const { machine, ledger } = twinMachine();
  machine.state.power = { is: 'On' };
  const pdu = await startAgent(t, pduTables('p01a', 'r01', new Map([[3, machine]])));
  const { host, port } = pdu;
  const config = { outlets: [{ host, port, outlet: 3 }], model: 'apc', community: 'public', offSec: 0 };
  const driver = openDriver('pdu-obm-service', { ...config, writeCommunity: writing(pdu).community });
  t.is(await driver.state(NEVER), 'on');
  await driver.power('off', NEVER, async () => {});
  t.is(await driver.state(NEVER), 'off');
  t.false(machine.hasMains);
  t.is(machine.state.power.is, 'Off');
  await driver.power('off', NEVER, async () => {});
  await driver.power('on', NEVER, async () => {});
  t.true(machine.hasMains);
  t.like(machine.state.power, { is: 'Off', next: 'On' });
  t.deepEqual(ledger, ['power outlet off: done, p01a', 'power outlet off: same, p01a', 'power outlet on: done, p01a']);
  const reader = openDriver('pdu-obm-service', { ...config, writeCommunity: 'public' });
  await t.throwsAsync(
    reader.power('off', NEVER, async () => {}),
    { code: 'OBM_FAILED', message: /NoAccess/ },
  );
  t.true(machine.hasMains);
});

test('a machine that was off stays off with its outlet, and mains that return do not switch an outlet on', async (t) => {
  const { machine } = twinMachine();
  await machine.switchOutlet('off', 'p01a');
  await machine.switchOutlet('on', 'p01a');
  t.deepEqual(machine.state.power, { is: 'Off' });
  machine.state.power = { is: 'On' };
  await machine.switchOutlet('off', 'p01a');
  await machine.losePower(0);
  t.false(machine.hasMains);
  t.deepEqual(machine.state.power, { is: 'Off' });
  await machine.switchOutlet('on', 'p01a');
  t.like(machine.state.power, { is: 'Off', next: 'On' });
});

test('a switch without power is silent; racks have PDUs only where they were wanted', async (t) => {
  const { machine } = twinMachine({ model });
  const [place, ...others] = agentPlaces([machine], false);
  t.deepEqual(others, []);
  const agent = await startAgent(t, place!.tables, place!.isThere);
  const read = (timeoutMs: number) => readInventory(snmpOf(agent), timeoutMs, NEVER);
  const error = await t.throwsAsync<ObmError>(read(1_000), { instanceOf: ObmError });
  t.is(error?.code, 'OBM_UNREACHABLE');
  machine.state.power = { is: 'On' };
  t.is((await read(WAIT_MS)).snmp.system.name, machine.name);
  t.deepEqual(
    agentPlaces([machine], true).map(({ address }) => address),
    [machine.facts.bmcAddress, machine.facts.pduAddress],
  );
});

test('a PDU that is silent does not answer by SNMP and Redfish; rates of BMCs are none of its', async (t) => {
  const { pdu: name } = twinMachine().machine.facts;
  const request = { method: 'GET', path: '/redfish/v1', headers: {}, body: Buffer.alloc(0) };
  const answersOf = async (line: string) => {
    const { machine } = twinMachine({ faults: readFaults(line) });
    const [pdu] = pdusOf([machine]);
    const service = new PduRedfish(name, pdu!.outlets, pdu!.isSilent);
    const [place] = agentPlaces([machine], true);
    return [place!.isThere(), (await service.answer(request)) !== 'silent'];
  };
  t.deepEqual(await answersOf(`at 0 s: pdu ${name} silent 10 h`), [false, false]);
  t.deepEqual(await answersOf(`at 10 h: pdu ${name} silent 10 h`), [true, true]);
  t.deepEqual(await answersOf('rate bmc silent 100 % for 10 h'), [true, true]);
});
