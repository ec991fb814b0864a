/** The versions of the schemas that the documents of a BMC follow (DSP8010). */

const versions: Readonly<Record<string, string>> = {
  AccountService: 'v1_15_0',
  ActionInfo: 'v1_4_0',
  AttributeRegistry: 'v1_3_8',
  Bios: 'v1_2_2',
  Chassis: 'v1_25_0',
  ComputerSystem: 'v1_22_0',
  Drive: 'v1_19_0',
  EthernetInterface: 'v1_12_0',
  Event: 'v1_10_0',
  EventDestination: 'v1_14_0',
  EventService: 'v1_10_1',
  Fan: 'v1_5_0',
  LogEntry: 'v1_16_0',
  LogService: 'v1_7_0',
  Manager: 'v1_19_0',
  ManagerAccount: 'v1_12_0',
  ManagerNetworkProtocol: 'v1_10_0',
  Memory: 'v1_20_0',
  MessageRegistryFile: 'v1_1_3',
  Outlet: 'v1_4_4',
  Power: 'v1_7_1',
  PowerDistribution: 'v1_3_2',
  PowerEquipment: 'v1_2_2',
  PowerSubsystem: 'v1_1_2',
  PowerSupply: 'v1_5_2',
  Processor: 'v1_20_0',
  Role: 'v1_3_1',
  Sensor: 'v1_9_0',
  ServiceRoot: 'v1_17_0',
  Session: 'v1_7_1',
  SessionService: 'v1_1_9',
  SoftwareInventory: 'v1_10_1',
  Storage: 'v1_17_0',
  StorageController: 'v1_8_0',
  Task: 'v1_7_3',
  TaskService: 'v1_2_1',
  Thermal: 'v1_7_1',
  ThermalMetrics: 'v1_3_1',
  ThermalSubsystem: 'v1_3_2',
  UpdateService: 'v1_14_0',
  VirtualMedia: 'v1_6_3',
  Volume: 'v1_10_0',
};

const collections = [
  ...['Chassis', 'ComputerSystem', 'Drive', 'EthernetInterface', 'EventDestination', 'Fan', 'LogEntry', 'LogService'],
  ...['Manager', 'ManagerAccount', 'Memory', 'MessageRegistryFile', 'PowerSupply', 'Processor', 'Role', 'Sensor'],
  ...[
    'Outlet',
    'PowerDistribution',
    'Session',
    'SoftwareInventory',
    'Storage',
    'StorageController',
    'Task',
    'VirtualMedia',
    'Volume',
  ],
].map((type) => `${type}Collection`);

/** @returns the value of `@odata.type` */
export const typeOf = (type: string): string => `#${type}.${versions[type]}.${type}`;

const reference = (file: string, namespaces: readonly string[]): string =>
  `<edmx:Reference Uri="http://redfish.dmtf.org/schemas/v1/${file}.xml">${namespaces
    .map((namespace) => `<edmx:Include Namespace="${namespace}"/>`)
    .join('')}</edmx:Reference>`;

/** The metadata document: OData 4.0, XML. */
export const metadataText = [
  '<?xml version="1.0" encoding="UTF-8"?>',
  '<edmx:Edmx xmlns:edmx="http://docs.oasis-open.org/odata/ns/edmx" Version="4.0">',
  ...Object.entries(versions).map(([type, version]) => reference(`${type}_v1`, [type, `${type}.${version}`])),
  ...collections.map((type) => reference(`${type}_v1`, [type])),
  reference('RedfishExtensions_v1', ['RedfishExtensions.v1_0_0']),
  reference('Resource_v1', ['Resource', 'Resource.v1_0_0']),
  '<edmx:DataServices><Schema xmlns="http://docs.oasis-open.org/odata/ns/edm" Namespace="Service">',
  `<EntityContainer Name="Service" Extends="ServiceRoot.${versions.ServiceRoot}.ServiceContainer"/>`,
  '</Schema></edmx:DataServices></edmx:Edmx>',
].join('\n');
