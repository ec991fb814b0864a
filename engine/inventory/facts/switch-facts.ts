/** Facts of switches: of the catalog `version` that their own software prints, and of SNMP (`pollers/snmp-inventory.ts`). */
import type { HardwareFacts } from '../../api-port/hardware.ts';
import { listIn, property } from '../../vocabulary/json.ts';
import { factText } from './fact-values.ts';

/** EOS names its maker, the task of the others their software. */
export const versionFacts = (data: unknown): Partial<HardwareFacts> => ({
  vendor: factText(data, 'mfgName') ?? factText(data, 'vendor'),
  model: factText(data, 'modelName'),
  serial: factText(data, 'serialNumber'),
});

/** The chassis is the first part with a serial number. */
export function snmpFacts(data: unknown): Partial<HardwareFacts> {
  const chassis = listIn(property(data, 'parts')).find((part) => factText(part, 'serialNumber') !== null);
  return {
    vendor: factText(chassis, 'manufacturer'),
    model: factText(chassis, 'model'),
    serial: factText(chassis, 'serialNumber'),
  };
}
