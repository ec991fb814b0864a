/** The machines that the packs of RackHD's on-skupack are for, as models of a twin: with the words that their firmware has. */
import type { Model } from '../../engine/hardware/twin/machine/model.ts';
import { shippedModels, switchModels } from '../../engine/hardware/twin/read-model.ts';
import type { AgentTables } from '../../engine/hardware/twin/snmp/agent-tables.ts';
import type { SwitchVendor } from '../../engine/vocabulary/switch-vendors.ts';

export interface PackMachine {
  /** Absent: it is a PDU, and no machine of a twin. */
  model?: Model;
  /** The node is read by SNMP too. */
  asksAgent?: true;
  pdu?: AgentTables;
}

const models = new Map([...shippedModels(), ...switchModels()]);
const basedOn = (name: string, parts: Partial<Model>): PackMachine => {
  const base = models.get(name);
  if (base === undefined) throw new Error(`found no model ${name}`);
  return { model: { ...base, ...parts } };
};

/** @param part of the board */
const dell = (product: string, part: string): PackMachine =>
  basedOn('dell-r650', { product, board: { manufacturer: 'DELL', part } });
const quanta = (product: string): PackMachine => basedOn('open-d54q', { manufacturer: 'Quanta Computer Inc', product });

/** @param sku the product of its makers, or the revision of its hardware */
const switchBy = (vendor: SwitchVendor, product: string, sku: string, version: string): PackMachine =>
  basedOn('edgecore-as7726', { product, sku, switch: { vendor, version } });
const nexus = (product: string, sku: string): PackMachine => switchBy('cisco', product, sku, '6.0(2)U6(6)');

export const packMachines: Readonly<Record<string, PackMachine>> = {
  'arista-dcs-7124S': switchBy('arista', 'AristaDCS-7124S-F', 'DCS-7124S-F', '4.13.7M'),
  'brocade-VDX-6740': switchBy('brocade', 'VDX 6740', '131.7', '6.0.1'),
  'brocade-VDX-6740T': switchBy('brocade', 'VDX 6740T', '137.4', '6.0.1'),
  'cisco-nexus-3048TP': { ...nexus('Nexus 3048', 'N3K-C3048TP-1GE'), asksAgent: true },
  'cisco-nexus-3172T': nexus('Nexus 3172T', 'N3K-C3172TQ-10GT'),
  'cisco-nexus-C3132': nexus('Nexus 3132', 'N3K-C3132Q-40GE'),
  'cisco-nexus-C3164PQ': nexus('Nexus3000 C3164PQ', 'N3K-C3164Q-40GE'),
  'cisco-nexus-C9332PQ': { ...nexus('Nexus 9332', 'N9K-C9332PQ'), asksAgent: true },
  'cisco-nexus-C9372PX-E': { ...nexus('Nexus9000 C9372PX chassis', 'N9K-C9372PX-E'), asksAgent: true },
  'dell-c6320': dell('PowerEdge C6320', '04FNTCA00'),
  'dell-dss-9500M': dell('DSS9500M', '0G50D4A00'),
  'dell-r630': dell('PowerEdge R630', '0CNCJWA00'),
  'dell-r640': dell('PowerEdge R640', '0W23H8A00'),
  'dell-r730': dell('PowerEdge R730', '072T6DA00'),
  'dell-r730xd': dell('PowerEdge R730xd', '04N3DFA00'),
  'dell-r740': dell('PowerEdge R740', '06G98XX08'),
  'quanta-d51-1u': quanta('D51B-1U (dual 1G LoM)'),
  'quanta-d51-2u': quanta('D51B-2U (dual 10G LoM)'),
  'quanta-t41': quanta('QuantaPlex T41S-2U'),
  'sinetica-hawk-i2': {
    asksAgent: true,
    pdu: {
      system: { description: 'Sinetica Hawk-i2 iPDU', objectId: '1.3.6.1.4.1.3711.24', name: 'pdu1', location: 'r01' },
      tables: [],
      changing: () => [],
    },
  },
};
