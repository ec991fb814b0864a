/** The SNMP agent of a PDU by APC: an outlet for each machine that it feeds, which a manager switches. */
import type { Machine } from '../machine/twin-machine.ts';
import type { AgentTables } from './agent-tables.ts';

/** PowerNet-MIB: rPDUOutletControlEntry and rPDUOutletStatusEntry; in both the fourth column is the power. */
const CONTROL = '1.3.6.1.4.1.318.1.1.12.3.3.1.1';
const STATUS = '1.3.6.1.4.1.318.1.1.12.3.5.1.1';
const [NUMBER, NAME, POWER] = [1, 2, 4];
const [ON, OFF, RESTART] = [1, 2, 3];
/** masterSwitchrPDU. */
const OBJECT_ID = '1.3.6.1.4.1.318.1.3.4.5';

/** @param machines those that it feeds, by the numbers of their outlets */
export function pduTables(name: string, rack: string, machines: ReadonlyMap<number, Machine>): AgentTables {
  const power = (machine: Machine) => (machine.state.outlet === undefined ? ON : OFF);
  const rows = [...machines].map(([outlet, machine]) => [outlet, machine.name, power(machine)]);
  return {
    system: { description: 'APC Web/SNMP Management Card (MN:AP7921B)', objectId: OBJECT_ID, name, location: rack },
    tables: [
      { oid: STATUS, indexes: 1, columns: [NUMBER, NAME, POWER], rows },
      {
        oid: CONTROL,
        indexes: 1,
        columns: [NUMBER, NAME, POWER],
        rows,
        writable: {
          column: POWER,
          accepts: (value) => value === ON || value === OFF || value === RESTART,
          write: async (outlet, value) => {
            const machine = machines.get(outlet);
            if (value !== ON) await machine?.switchOutlet('off', name);
            if (value !== OFF) await machine?.switchOutlet('on', name);
          },
        },
      },
    ],
    changing: () =>
      [...machines].flatMap(([outlet, machine]) =>
        [STATUS, CONTROL].map((table) => ({ table, column: POWER, index: [outlet], value: power(machine) })),
      ),
  };
}
