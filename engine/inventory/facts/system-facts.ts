/** Facts that the operating system finds (`driveId`, `smart`, `ethtool`, `lldp`), and those of the BMC's own tools. */
import type { DriveRow, HardwareFacts, InterfaceRow } from '../../api-port/hardware.ts';
import { listIn, objectIn, property } from '../../vocabulary/json.ts';
import { driveRow, factAmount, factMac, factText, interfaceRow, wholeAmount } from './fact-values.ts';

export const driveIdFacts = (data: unknown): Partial<HardwareFacts> => ({
  drives: listIn(data).flatMap((entry): DriveRow[] => {
    const name = factText(entry, 'devName');
    if (name === null) return [];
    const [model, serial] = [factText(entry, 'model'), factText(entry, 'serial')];
    return [driveRow(name, { model, serial, bytes: wholeAmount(entry, 'sizeBytes'), kind: nvmeNamed(name) })];
  }),
});

const nvmeNamed = (name: string): 'nvme' | null => (name.startsWith('nvme') ? 'nvme' : null);

export const smartFacts = (data: unknown): Partial<HardwareFacts> => ({
  drives: Object.entries(objectIn(data)).map(([name, drive]) =>
    driveRow(name, {
      model: factText(drive, 'model_name') ?? factText(drive, 'scsi_product'),
      serial: factText(drive, 'serial_number'),
      bytes: wholeAmount(drive, 'user_capacity', 'bytes'),
      kind: kindOf(name, drive),
      wearPercent: wearOf(drive),
      failing: failingOf(drive),
    }),
  ),
});

function kindOf(name: string, drive: unknown): DriveRow['kind'] {
  if (nvmeNamed(name) !== null || factText(drive, 'device', 'protocol') === 'NVMe') return 'nvme';
  // A property: 0 rotations are no placeholder here.
  const rotations = property(drive, 'rotation_rate');
  return typeof rotations === 'number' ? (rotations > 0 ? 'hdd' : 'ssd') : null;
}

const wearOf = (drive: unknown): number | null =>
  factAmount(drive, 'nvme_smart_health_information_log', 'percentage_used') ??
  factAmount(drive, 'scsi_percentage_used_endurance_indicator') ??
  factAmount(drive, 'endurance_used', 'current_percent');

function failingOf(drive: unknown): boolean | null {
  const passed = property(property(drive, 'smart_status'), 'passed');
  return typeof passed === 'boolean' ? !passed : null;
}

export const ethtoolFacts = (data: unknown): Partial<HardwareFacts> => ({
  interfaces: Object.entries(objectIn(data)).map(([name, card]) =>
    interfaceRow(name, { mac: factMac(card, 'mac'), firmware: factText(card, 'firmware-version') }),
  ),
});

export const lldpFacts = (data: unknown): Partial<HardwareFacts> => ({
  interfaces: Object.entries(objectIn(data)).map(([name, neighbor]): InterfaceRow => {
    const port = factText(neighbor, 'port', 'ifname') ?? factText(neighbor, 'port', 'descr');
    return interfaceRow(name, { switch: factText(neighbor, 'chassis', 'name'), port });
  }),
});

export const bmcFacts = (data: unknown): Partial<HardwareFacts> => ({
  bmc: { address: factText(data, 'IP Address'), mac: factMac(data, 'MAC Address'), firmware: null },
});

export const managerFacts = (data: unknown): Partial<HardwareFacts> => ({
  bmc: { address: null, mac: null, firmware: factText(data, 'Firmware Revision') },
});
