/** The SNMP agent of a switch with two interfaces, one LLDP neighbor and one chassis, on a free port of this machine. */
import type { AgentTables } from '../../../engine/hardware/twin/snmp/agent-tables.ts';
import type { Scope } from '../ava/scope.ts';
import { startAgent } from './twin-agent.ts';

const mac = (last: number) => Buffer.from([0x02, 0xcc, 0, 0, 9, last]);

const tables: AgentTables = {
  system: {
    description: 'Arista Networks EOS version 4.30.1F',
    objectId: '1.3.6.1.4.1.30065.1.3011',
    name: 'leaf1',
    location: 'rack 7',
  },
  tables: [
    {
      oid: '1.3.6.1.2.1.2.2.1',
      indexes: 1,
      columns: [1, 2, 3, 4, 6, 7, 8],
      rows: [
        [1, 'Ethernet1', 6, 9_214, mac(1), 1, 1],
        [2, 'Ethernet2', 6, 9_214, mac(2), 1, 2],
      ],
    },
    { oid: '1.3.6.1.2.1.31.1.1.1', indexes: 1, columns: [99, 1, 15, 18], rows: [[1, 'Et1', 100_000, 'to r01s01']] },
    { oid: '1.0.8802.1.1.2.1.3.7.1', indexes: 1, columns: [1, 3], rows: [[1, 'Et1']] },
    {
      oid: '1.0.8802.1.1.2.1.4.1.1',
      indexes: 3,
      columns: [1, 2, 3, 5, 7, 8, 9],
      rows: [[0, 1, 1, mac(0x71), 'eno1', 'eno1', 'r01s01']],
    },
    {
      oid: '1.3.6.1.2.1.47.1.1.1.1',
      indexes: 1,
      columns: [1, 2, 7, 10, 11, 12, 13],
      rows: [[1, 'Chassis', 'DCS-7050', '4.30.1F', 'JPE123', 'Arista', 'DCS-7050SX3']],
    },
  ],
  changing: () => [],
};

/** @returns the settings of an `snmp-ibm-service` that reaches it */
export const startSwitchAgent = (t: Scope) => startAgent(t, tables);
