/** The parts of a system: processors, memory, and network interfaces. */
import type { JsonObject } from '../../vocabulary/json.ts';
import type { BmcAsked, BmcRoute } from './asked.ts';
import { collectionOf, enabledStatus, ROOT_PATH, resourceOf } from './documents.ts';

const SYSTEM = `${ROOT_PATH}/Systems/:system`;

const idsOf = (prefix: string, count: number): string[] =>
  Array.from({ length: count }, (_, at) => `${prefix}${at + 1}`);

const processorIds = ({ model }: BmcAsked) => idsOf('CPU', model.processor.sockets);
const moduleIds = ({ model }: BmcAsked) => idsOf('DIMM', model.memory.modules);
const nicIds = ({ model }: BmcAsked) => model.nics.map(({ name }) => name);

function processorDocument(asked: BmcAsked): JsonObject {
  const { model, cores, threads, maxMhz } = asked.model.processor;
  return resourceOf(asked, 'Processor', 'Processor', {
    Socket: asked.params.id,
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

function moduleDocument(asked: BmcAsked): JsonObject {
  const { moduleMib, manufacturer, part, speedMhz } = asked.model.memory;
  const at = moduleIds(asked).indexOf(asked.params.id ?? '');
  return resourceOf(asked, 'Memory', 'Memory module', {
    Location: { PartLocation: { ServiceLabel: asked.params.id, LocationType: 'Slot', LocationOrdinalValue: at } },
    MemoryType: 'DRAM',
    MemoryDeviceType: speedMhz > 4_000 ? 'DDR5' : 'DDR4',
    BaseModuleType: 'RDIMM',
    CapacityMiB: moduleMib,
    OperatingSpeedMhz: speedMhz,
    Manufacturer: manufacturer,
    PartNumber: part,
    SerialNumber: `${asked.machine.facts.serial}${String(at).padStart(2, '0')}`,
    ErrorCorrection: 'MultiBitECC',
    RankCount: 2,
    Status: enabledStatus,
  });
}

function nicDocument(asked: BmcAsked): JsonObject {
  const at = nicIds(asked).indexOf(asked.params.id ?? '');
  const nic = asked.model.nics[at];
  const mac = asked.machine.facts.macs[at];
  return resourceOf(asked, 'EthernetInterface', nic?.model ?? '', {
    Description: nic?.model,
    MACAddress: mac,
    PermanentMACAddress: mac,
    SpeedMbps: nic?.speedMbps,
    FullDuplex: true,
    AutoNeg: true,
    InterfaceEnabled: true,
    LinkStatus: asked.machine.isOn ? 'LinkUp' : 'NoLink',
    Status: enabledStatus,
  });
}

/** A collection of parts, and a resource for each. */
const partRoutes = (
  name: string,
  type: string,
  ids: (asked: BmcAsked) => string[],
  document: (asked: BmcAsked) => JsonObject,
): BmcRoute[] => [
  { path: `${SYSTEM}/${name}`, get: (asked) => collectionOf(asked, type, ids(asked)) },
  {
    path: `${SYSTEM}/${name}/:id`,
    has: (asked) => ids(asked).includes(asked.params.id ?? ''),
    get: document,
  },
];

export const componentRoutes: readonly BmcRoute[] = [
  ...partRoutes('Processors', 'Processor', processorIds, processorDocument),
  ...partRoutes('Memory', 'Memory', moduleIds, moduleDocument),
  ...partRoutes('EthernetInterfaces', 'EthernetInterface', nicIds, nicDocument),
];
