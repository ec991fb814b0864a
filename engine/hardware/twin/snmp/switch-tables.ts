/** The SNMP agent of a switch: its interfaces, the machines of its rack as LLDP neighbors, and its chassis. */
import type { SwitchVendor } from '../../../vocabulary/switch-vendors.ts';
import { nicName } from '../commands/system-output.ts';
import type { Machine } from '../machine/twin-machine.ts';
import type { AgentTables } from './agent-tables.ts';

const INTERFACES = '1.3.6.1.2.1.2.2.1';
const MORE = '1.3.6.1.2.1.31.1.1.1';
const LLDP_PORTS = '1.0.8802.1.1.2.1.3.7.1';
const LLDP_NEIGHBORS = '1.0.8802.1.1.2.1.4.1.1';
const ENTITIES = '1.3.6.1.2.1.47.1.1.1.1';

const PORTS = 32;
const PORT_MBPS = 25_000;
/** IANAifType: ethernetCsmacd. */
const ETHERNET = 6;
const MTU = 9_216;
const [UP, DOWN] = [1, 2];
const IF_OPER_STATUS = 8;
/** NX-OS numbers its chassis so. */
const CISCO_CHASSIS = 10;
/** net-snmp on Linux, on which the other systems are built. */
const OTHER_SYSTEM = '1.3.6.1.4.1.8072.3.2.10';

/** Object identifiers of their makers; those of products are longer. */
const systems: Partial<Record<SwitchVendor, { name: string; objectId: string }>> = {
  arista: { name: 'Arista Networks EOS version', objectId: '1.3.6.1.4.1.30065' },
  cisco: { name: 'Cisco NX-OS(tm) Software, Version', objectId: '1.3.6.1.4.1.9' },
  brocade: { name: 'Brocade VDX Switch, Network OS', objectId: '1.3.6.1.4.1.1588' },
};

/** @param rack all machines of its rack: the one in slot n is at its port n */
export function switchTables(machine: Machine, rack: readonly Machine[]): AgentTables {
  const { facts } = machine;
  const { vendor = 'onie', version = '' } = facts.model.switch ?? {};
  const { product, manufacturer, sku } = facts.model;
  const system = systems[vendor] ?? { name: `${manufacturer} ${product}, ${vendor}`, objectId: OTHER_SYSTEM };
  const ports = Array.from({ length: PORTS }, (_, at) => ({
    number: at + 1,
    name: vendor === 'cisco' ? `Ethernet1/${at + 1}` : `Ethernet${at + 1}`,
    mac: portMac(facts.bmcMac, at + 1),
    peer: rack.find(({ facts: { slot }, name }) => slot === at + 1 && name !== machine.name),
  }));
  const wired = ports.flatMap(({ number, peer }) => (peer === undefined ? [] : [{ number, peer }]));
  return {
    system: {
      description: `${system.name} ${version}`,
      objectId: system.objectId,
      name: machine.name,
      location: facts.rack,
    },
    tables: [
      {
        oid: INTERFACES,
        indexes: 1,
        columns: [1, 2, 3, 4, 6, 7, IF_OPER_STATUS],
        rows: ports.map(({ number, name, mac }) => [number, name, ETHERNET, MTU, mac, UP, DOWN]),
      },
      // Its index is that of the table above, and no column of this one.
      {
        oid: MORE,
        indexes: 1,
        columns: [99, 1, 15, 18],
        rows: ports.map(({ number, name, peer }) => [number, name, PORT_MBPS, peer?.name ?? '']),
      },
      { oid: LLDP_PORTS, indexes: 1, columns: [1, 3], rows: ports.map(({ number, name }) => [number, name]) },
      {
        oid: LLDP_NEIGHBORS,
        indexes: 3,
        columns: [1, 2, 3, 5, 7, 8, 9],
        rows: wired.map(({ number, peer }) => [
          0,
          number,
          1,
          bytesOf(peer.facts.macs[0] ?? ''),
          nicName(0),
          nicName(0),
          peer.name,
        ]),
      },
      {
        oid: ENTITIES,
        indexes: 1,
        columns: [1, 2, 7, 10, 11, 12, 13],
        rows: [[vendor === 'cisco' ? CISCO_CHASSIS : 1, product, 'Chassis', version, facts.serial, manufacturer, sku]],
      },
    ],
    changing: () =>
      wired.map(({ number, peer }) => ({
        table: INTERFACES,
        column: IF_OPER_STATUS,
        index: [number],
        value: peer.isOn ? UP : DOWN,
      })),
  };
}

const bytesOf = (mac: string): Buffer => Buffer.from(mac.replaceAll(':', ''), 'hex');

/** A MAC of its own, which no machine has. */
function portMac(bmcMac: string, port: number): Buffer {
  const bytes = bytesOf(bmcMac);
  bytes[0] = 0x06;
  bytes[1] = port;
  return bytes;
}
