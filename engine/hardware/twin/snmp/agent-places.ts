/** Where a twin has SNMP agents: one for each switch, and one for each PDU of its racks. */
import { groupBy } from '../../../platform/lib/group-by.ts';
import type { Machine } from '../machine/twin-machine.ts';
import type { AgentTables } from './agent-tables.ts';
import { pduTables } from './pdu-tables.ts';
import { switchTables } from './switch-tables.ts';

export interface AgentPlace {
  /** In 127/8. */
  address: string;
  tables: AgentTables;
  /** false: it has no power. Absent: it always has. */
  isThere?(): boolean;
}

/** @param hasPdus whether the racks have PDUs, beside their names */
export function agentPlaces(machines: readonly Machine[], hasPdus: boolean): AgentPlace[] {
  const switches = machines.filter(({ facts }) => facts.model.switch !== undefined);
  const places: AgentPlace[] = switches.map((machine) => ({
    address: machine.facts.bmcAddress,
    tables: switchTables(
      machine,
      machines.filter(({ facts }) => facts.rack === machine.facts.rack),
    ),
    isThere: () => machine.isOn && machine.hasMains,
  }));
  if (!hasPdus) return places;
  const pdus = groupBy(machines, ({ facts }) => facts.pdu);
  return [...places, ...pdus.flatMap(([name, fed]) => pduPlaces(name, fed))];
}

function pduPlaces(name: string, [first, ...others]: readonly Machine[]): AgentPlace[] {
  if (first === undefined) return [];
  const outlets = new Map([first, ...others].map((machine) => [machine.facts.outlet, machine]));
  return [{ address: first.facts.pduAddress, tables: pduTables(name, first.facts.rack, outlets) }];
}
