/** Facts that the BMC says by Redfish, without a boot. */
import type { DriveRow, HardwareFacts } from '../../api-port/hardware.ts';
import { listIn, property } from '../../vocabulary/json.ts';
import { driveRow, factAmount, factMac, factText, interfaceRow, wholeAmount } from './fact-values.ts';

const GIB = 1_024 ** 3;
const WHOLE = 100;

export function redfishSystemFacts(data: unknown): Partial<HardwareFacts> {
  const [processors, memory] = [property(data, 'ProcessorSummary'), property(data, 'MemorySummary')];
  const gibibytes = factAmount(memory, 'TotalSystemMemoryGiB');
  const bios = factText(data, 'BiosVersion');
  return {
    vendor: factText(data, 'Manufacturer'),
    model: factText(data, 'Model'),
    serial: factText(data, 'SerialNumber'),
    bios: bios === null ? null : { version: bios, date: null },
    processors:
      processors === undefined
        ? null
        : {
            model: factText(processors, 'Model'),
            count: wholeAmount(processors, 'Count'),
            cores: wholeAmount(processors, 'CoreCount'),
          },
    memoryBytes: gibibytes === null ? null : Math.round(gibibytes * GIB),
    drives: listIn(property(data, 'Storage')).flatMap((storage) =>
      listIn(property(storage, 'Drives')).flatMap((drive) => drivesIn(drive)),
    ),
    interfaces: listIn(property(data, 'EthernetInterfaces')).flatMap((one) => {
      const name = factText(one, 'Id');
      const mac = factMac(one, 'PermanentMACAddress') ?? factMac(one, 'MACAddress');
      return name === null ? [] : [interfaceRow(name, { mac })];
    }),
  };
}

function drivesIn(drive: unknown): DriveRow[] {
  const name = factText(drive, 'Name') ?? factText(drive, 'Id');
  if (name === null) return [];
  const remaining = factAmount(drive, 'PredictedMediaLifeLeftPercent');
  const predicted = property(drive, 'FailurePredicted');
  return [
    driveRow(name, {
      model: factText(drive, 'Model'),
      serial: factText(drive, 'SerialNumber'),
      bytes: wholeAmount(drive, 'CapacityBytes'),
      kind: kindOf(factText(drive, 'Protocol'), factText(drive, 'MediaType')),
      wearPercent: remaining === null ? null : Math.max(0, WHOLE - remaining),
      failing: typeof predicted === 'boolean' ? predicted : null,
    }),
  ];
}

function kindOf(protocol: string | null, media: string | null): DriveRow['kind'] {
  if (protocol === 'NVMe') return 'nvme';
  return media === 'HDD' ? 'hdd' : media === 'SSD' ? 'ssd' : null;
}

export function redfishManagerFacts(data: unknown): Partial<HardwareFacts> {
  const [manager = data] = listIn(data);
  return { bmc: { address: null, mac: null, firmware: factText(manager, 'FirmwareVersion') } };
}
