/** Where a twin has SNMP agents: one for each switch, and one for each PDU of its racks; and where its PDUs are. */
import { groupBy } from '../../../platform/lib/group-by.ts';
import type { Machine } from '../machine/twin-machine.ts';
import type { AgentTables } from './agent-tables.ts';
import { pduTables } from './pdu-tables.ts';
import { switchTables } from './switch-tables.ts';

export interface AgentPlace {
  /** In 127/8. */
  address: string;
  tables: AgentTables;
  /** false: it has no power, or is silent. */
  isThere(): boolean;
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
  const pdus = pdusOf(machines).map(({ name, rack, address, outlets, isSilent }) => ({
    address,
    tables: pduTables(name, rack, outlets),
    isThere: () => !isSilent(),
  }));
  return [...places, ...pdus];
}

interface PduPlace {
  name: string;
  rack: string;
  address: string;
  /** The machines that it feeds, by the numbers of their outlets. */
  outlets: ReadonlyMap<number, Machine>;
  /** Whether it answers nothing now. */
  isSilent(): boolean;
}

export const pdusOf = (machines: readonly Machine[]): PduPlace[] =>
  groupBy(machines, ({ facts }) => facts.pdu).flatMap(([name, fed]) =>
    fed.slice(0, 1).map(({ facts: { rack, pduAddress: address }, around: { faults } }) => ({
      name,
      rack,
      address,
      outlets: new Map(fed.map((machine) => [machine.facts.outlet, machine])),
      isSilent: () => faults.has(name, 'pdu silent'),
    })),
  );
