/** The SNMP agent of a switch with two interfaces, one LLDP neighbor and one chassis, on a free port of this machine. */
import snmp from 'net-snmp';
import type { Scope } from '../ava/scope.ts';
import { openAgent } from './snmp-agent.ts';

type Cell = string | number | Buffer;

interface Table {
  oid: string;
  /** The first ones are the index. */
  indexes: number;
  columns: readonly number[];
  rows: readonly (readonly Cell[])[];
}

const mac = (last: number) => Buffer.from([0x02, 0xcc, 0, 0, 9, last]);

const scalars: readonly [oid: string, value: string][] = [
  ['1.3.6.1.2.1.1.1', 'Arista Networks EOS version 4.30.1F'],
  ['1.3.6.1.2.1.1.5', 'leaf1'],
  ['1.3.6.1.2.1.1.6', 'rack 7'],
];
const tables: readonly Table[] = [
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
];

/** @returns the settings of an `snmp-ibm-service` that reaches it */
export async function startSwitchAgent(t: Scope): Promise<{ host: string; port: number; community: string }> {
  const { agent, settings } = await openAgent(t);
  const maxAccess = snmp.MaxAccess['read-only'];
  const { OctetString, Integer } = snmp.ObjectType;
  for (const [oid, value] of scalars) {
    agent.registerProvider({ name: oid, type: snmp.MibProviderType.Scalar, oid, scalarType: OctetString, maxAccess });
    agent.getMib().setScalarValue(oid, value);
  }
  for (const { oid, indexes, columns, rows } of tables) {
    const named = columns.map((number, at) => ({
      number,
      name: `c${number}`,
      type: typeof rows[0]?.[at] === 'number' ? Integer : OctetString,
      maxAccess,
    }));
    agent.registerProvider({
      name: oid,
      type: snmp.MibProviderType.Table,
      oid,
      maxAccess: snmp.MaxAccess['not-accessible'],
      tableColumns: named,
      tableIndex: named.slice(0, indexes).map(({ name }) => ({ columnName: name })),
    });
    for (const row of rows) agent.getMib().addTableRow(oid, [...row]);
  }
  return settings;
}
