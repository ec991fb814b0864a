/** The parts of a system: processors, memory, and network interfaces. */
import type { JsonObject } from '../../../vocabulary/json.ts';
import type { BmcCall, BmcRoute } from './bmc-call.ts';
import { collectionOf, enabledStatus, ROOT_PATH, resourceOf } from './documents.ts';

const SYSTEM = `${ROOT_PATH}/Systems/:system`;

const idsOf = (prefix: string, count: number): string[] =>
  Array.from({ length: count }, (_, at) => `${prefix}${at + 1}`);

const processorIds = ({ model }: BmcCall) => idsOf('CPU', model.processor.sockets);
const moduleIds = ({ model }: BmcCall) => idsOf('DIMM', model.memory.modules);
const nicIds = ({ model }: BmcCall) => model.nics.map(({ name }) => name);

function processorDocument(call: BmcCall): JsonObject {
  const { model, cores, threads, maxMhz } = call.model.processor;
  return resourceOf(call, 'Processor', 'Processor', {
    Socket: call.params.id,
    ProcessorType: 'CPU',
    ProcessorArchitecture: 'x86',
    InstructionSet: 'x86-64',
    Manufacturer: model.startsWith('AMD') ? 'Advanced Micro Devices, Inc.' : 'Intel(R) Corporation',
    Model: model,
    MaxSpeedMHz: maxMhz,
    TotalCores: cores,
    TotalThreads: threads,
    Status: enabledStatus,
  });
}

function moduleDocument(call: BmcCall): JsonObject {
  const { moduleMib, manufacturer, part, speedMhz } = call.model.memory;
  const at = moduleIds(call).indexOf(call.params.id ?? '');
  return resourceOf(call, 'Memory', 'Memory module', {
    Location: { PartLocation: { ServiceLabel: call.params.id, LocationType: 'Slot', LocationOrdinalValue: at } },
    MemoryType: 'DRAM',
    MemoryDeviceType: speedMhz > 4_000 ? 'DDR5' : 'DDR4',
    BaseModuleType: 'RDIMM',
    CapacityMiB: moduleMib,
    OperatingSpeedMhz: speedMhz,
    Manufacturer: manufacturer,
    PartNumber: part,
    SerialNumber: `${call.machine.facts.serial}${String(at).padStart(2, '0')}`,
    ErrorCorrection: 'MultiBitECC',
    RankCount: 2,
    Status: enabledStatus,
  });
}

function nicDocument(call: BmcCall): JsonObject {
  const at = nicIds(call).indexOf(call.params.id ?? '');
  const nic = call.model.nics[at];
  const mac = call.machine.facts.macs[at];
  return resourceOf(call, 'EthernetInterface', nic?.model ?? '', {
    Description: nic?.model,
    MACAddress: mac,
    PermanentMACAddress: mac,
    SpeedMbps: nic?.speedMbps,
    FullDuplex: true,
    AutoNeg: true,
    InterfaceEnabled: true,
    LinkStatus: call.machine.isOn ? 'LinkUp' : 'NoLink',
    Status: enabledStatus,
  });
}

/** A collection of parts, and a resource for each. */
const partRoutes = (
  name: string,
  type: string,
  ids: (call: BmcCall) => string[],
  document: (call: BmcCall) => JsonObject,
): BmcRoute[] => [
  { path: `${SYSTEM}/${name}`, get: (call) => collectionOf(call, type, ids(call)) },
  {
    path: `${SYSTEM}/${name}/:id`,
    has: (call) => ids(call).includes(call.params.id ?? ''),
    get: document,
  },
];

export const componentRoutes: readonly BmcRoute[] = [
  ...partRoutes('Processors', 'Processor', processorIds, processorDocument),
  ...partRoutes('Memory', 'Memory', moduleIds, moduleDocument),
  ...partRoutes('EthernetInterfaces', 'EthernetInterface', nicIds, nicDocument),
];
