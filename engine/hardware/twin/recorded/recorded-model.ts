/** The model of a recorded server: the facts that its tree has, and usual ones for what Redfish does not show. */
import { isObject, type JsonObject, listIn, objectIn, property } from '../../../vocabulary/json.ts';
import type { Model, ModelDrive } from '../machine/model.ts';
import { pathOfResource, RECORDED_ROOT, type RecordedTree, recordedMembers } from '../machine/recorded-tree.ts';

const GIB_MIB = 1_024;

const textIn = (document: JsonObject, name: string, other: string): string => {
  const value = document[name];
  return typeof value === 'string' && value.trim() !== '' ? value.trim().slice(0, 128) : other;
};
const countIn = (document: JsonObject, name: string, other: number): number => {
  const value = document[name];
  return typeof value === 'number' && value > 0 ? Math.round(value) : other;
};
const linkOf = (document: unknown, name: string): string | undefined => {
  const path = property(property(document, name), '@odata.id');
  return typeof path === 'string' ? pathOfResource(path) : undefined;
};
const idOf = (path: string): string => path.split('/').at(-1) ?? '';

/** @param name of the model @throws Error if the tree has no system */
export function modelOfTree(tree: RecordedTree, name: string): Model {
  const root = tree.documents.get(RECORDED_ROOT) ?? {};
  const [first] = recordedMembers(tree, linkOf(root, 'Systems'));
  if (first === undefined) throw new Error('the recorded tree has no system; expected one below Systems');
  const [systemPath, system] = first;
  const managers = recordedMembers(tree, linkOf(root, 'Managers'));
  const [managerPath, manager] = linkedOrFirst(managers, property(system.Links, 'ManagedBy')) ?? ['bmc', {}];
  const allChassis = recordedMembers(tree, linkOf(root, 'Chassis'));
  const [chassisPath] = linkedOrFirst(allChassis, property(system.Links, 'Chassis')) ?? ['chassis'];
  const processors = recordedMembers(tree, linkOf(system, 'Processors')).map(([, each]) => each);
  const modules = recordedMembers(tree, linkOf(system, 'Memory')).map(([, each]) => each);
  const isCpu = processors.filter(({ ProcessorType: type }) => type === undefined || type === 'CPU');
  const bios = tree.documents.get(linkOf(system, 'Bios') ?? '') ?? {};
  const settings = linkOf(bios['@Redfish.Settings'], 'SettingsObject');
  const logs = linkOf(system, 'LogServices') === undefined ? 'manager' : 'system';
  const manufacturer = textIn(system, 'Manufacturer', 'Unknown');
  const cpu = isCpu[0] ?? {};
  const dimm = modules.find((each) => countIn(each, 'CapacityMiB', 0) > 0) ?? {};
  return {
    name,
    manufacturer,
    product: textIn(system, 'Model', 'Server'),
    sku: textIn(system, 'SKU', 'none'),
    vendor: vendorOf(manufacturer),
    ids: { system: idOf(systemPath), chassis: idOf(chassisPath), manager: idOf(managerPath) },
    tree: {
      light: 'LocationIndicatorActive' in system ? 'LocationIndicatorActive' : 'IndicatorLED',
      logOf: logs,
      log: logIdOf(tree, logs === 'system' ? system : manager),
      mediaOf: linkOf(system, 'VirtualMedia') === undefined ? 'manager' : 'system',
      cooling: 'older',
      biosSettings: settings === undefined ? 'Settings' : idOf(settings),
      hasActionInfo: false,
      bootMode: property(system.Boot, 'BootSourceOverrideMode') === 'Legacy' ? 'Legacy' : 'UEFI',
    },
    bmc: {
      model: textIn(manager, 'Model', 'BMC'),
      firmware: textIn(manager, 'FirmwareVersion', '1.0'),
      https: false,
      user: 'root',
      sessionLimit: 16,
      maxConnections: 32,
    },
    bios: {
      vendor: manufacturer,
      version: textIn(system, 'BiosVersion', '1.0'),
      released: '01/01/2024',
      attributes: attributesOf(objectIn(bios.Attributes)),
    },
    processor: {
      model: textIn(cpu, 'Model', 'Processor'),
      sockets: Math.max(isCpu.length, 1),
      cores: countIn(cpu, 'TotalCores', 8),
      threads: countIn(cpu, 'TotalThreads', 16),
      maxMhz: countIn(cpu, 'MaxSpeedMHz', 3_000),
    },
    memory: {
      modules: Math.max(modules.length, 1),
      moduleMib: countIn(dimm, 'CapacityMiB', 32 * GIB_MIB),
      manufacturer: textIn(dimm, 'Manufacturer', 'Unknown'),
      part: textIn(dimm, 'PartNumber', 'none'),
      speedMhz: countIn(dimm, 'OperatingSpeedMhz', 3_200),
    },
    nics: nicsOf(tree, system),
    drives: drivesOf(tree, system),
    firmware: firmwareOf(tree, root),
    sensors: [
      { name: 'Inlet Temp', kind: 'temperature', reading: 23, critical: 47 },
      { name: 'Fan1', kind: 'fan', reading: 8_000, critical: 600 },
      { name: 'System Power', kind: 'power', reading: 300, critical: 1_000 },
    ],
    powerSupplies: { count: 2, watts: 800, model: 'Power supply' },
    resetTypes: resetTypesOf(system),
    recorded: tree,
  };
}

/** The member that the system names first; a service may have several. */
function linkedOrFirst(members: readonly [string, JsonObject][], links: unknown): [string, JsonObject] | undefined {
  const path = pathOfResource(String(property(listIn(links)[0], '@odata.id') ?? ''));
  return members.find(([place]) => place === path) ?? members[0];
}

function vendorOf(manufacturer: string): Model['vendor'] {
  const names = ['dell', 'hpe', 'lenovo', 'supermicro'] as const;
  return names.find((name) => manufacturer.toLowerCase().startsWith(name)) ?? 'open';
}

function logIdOf(tree: RecordedTree, owner: JsonObject): string {
  const logs = recordedMembers(tree, linkOf(owner, 'LogServices'));
  const sel = logs.find(([path, { LogEntryType: type }]) => type === 'SEL' || /sel$/i.test(path)) ?? logs[0];
  return sel === undefined ? 'SEL' : idOf(sel[0]);
}

function resetTypesOf(system: JsonObject): Model['resetTypes'] {
  const resetTypes = [
    'On',
    'ForceOn',
    'ForceOff',
    'GracefulShutdown',
    'GracefulRestart',
    'ForceRestart',
    'PowerCycle',
    'Nmi',
  ] as const;
  const action = property(system.Actions, '#ComputerSystem.Reset');
  const allowed = listIn(property(action, 'ResetType@Redfish.AllowableValues'));
  const types = resetTypes.filter((type) => allowed.includes(type));
  return types.length === 0 ? ['On', 'ForceOff', 'GracefulShutdown', 'ForceRestart'] : types;
}

function attributesOf(attributes: JsonObject): Model['bios']['attributes'] {
  const simple = Object.entries(attributes).flatMap(([name, value]) => {
    const isSimple = typeof value === 'string' || typeof value === 'boolean' || Number.isInteger(value);
    return isSimple ? [{ name, value: value as string | number | boolean }] : [];
  });
  return simple.length === 0 ? [{ name: 'BootMode', value: 'Uefi' }] : simple.slice(0, 500);
}

function nicsOf(tree: RecordedTree, system: JsonObject): Model['nics'] {
  const nics = recordedMembers(tree, linkOf(system, 'EthernetInterfaces')).slice(0, 15);
  const named = nics.map(([path, document], at) => ({
    name: idOf(path),
    model: textIn(document, 'Description', 'Ethernet interface'),
    driver: 'igb',
    speedMbps: countIn(document, 'SpeedMbps', 1_000),
    firmware: '1.0',
    boots: at === 0,
  }));
  const usual = {
    name: 'nic1',
    model: 'Ethernet interface',
    driver: 'igb',
    speedMbps: 1_000,
    firmware: '1.0',
    boots: true,
  };
  return named.length === 0 ? [usual] : named;
}

function drivesOf(tree: RecordedTree, system: JsonObject): ModelDrive[] {
  const storages = recordedMembers(tree, linkOf(system, 'Storage'));
  const documents = storages
    .flatMap(([, { Drives: drives }]) => listIn(drives))
    .map((drive) => tree.documents.get(pathOfResource(String(property(drive, '@odata.id')))))
    .filter(isObject);
  const counts = { nvme: 0, other: 0 };
  return documents.slice(0, 26).map((document) => {
    const kind = ({ NVMe: 'nvme', SAS: 'sas' } as const)[String(document.Protocol) as 'NVMe' | 'SAS'] ?? 'sata';
    const at = kind === 'nvme' ? counts.nvme++ : counts.other++;
    return {
      name: kind === 'nvme' ? `nvme${at}n1` : `sd${String.fromCharCode('a'.charCodeAt(0) + at)}`,
      kind,
      isRotational: document.MediaType === 'HDD',
      model: textIn(document, 'Model', 'Drive'),
      vendor: textIn(document, 'Manufacturer', 'Unknown'),
      firmware: textIn(document, 'Revision', '1.0'),
      bytes: countIn(document, 'CapacityBytes', 480_103_981_056),
      eraseMinutes: document.MediaType === 'HDD' ? 180 : 3,
    };
  });
}

function firmwareOf(tree: RecordedTree, root: JsonObject): Model['firmware'] {
  const service = tree.documents.get(linkOf(root, 'UpdateService') ?? '') ?? {};
  return recordedMembers(tree, linkOf(service, 'FirmwareInventory'))
    .filter(([path]) => !['BIOS', 'BMC'].includes(idOf(path)) && /^[A-Za-z0-9._-]{1,64}$/.test(idOf(path)))
    .slice(0, 64)
    .map(([path, document]) => ({
      id: idOf(path),
      name: textIn(document, 'Name', idOf(path)),
      version: textIn(document, 'Version', '1.0'),
      isUpdateable: document.Updateable !== false,
    }));
}
