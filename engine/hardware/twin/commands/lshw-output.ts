/** The tree of `lshw -json`. */
import type { Machine } from '../machine/twin-machine.ts';
import { type DriveFacts, drivesOfMachine } from './drive-facts.ts';
import {
  biosVersionOf,
  boardSerial,
  dimmName,
  indexesTo,
  KERNEL_HOST,
  moduleSerial,
  nicName,
  processorVendor,
} from './system-output.ts';

interface Component {
  id: string;
  class: string;
  children?: Component[];
  [key: string]: unknown;
}

export function lshwJson(machine: Machine): string {
  const { facts } = machine;
  const { manufacturer, product, sku } = facts.model;
  const tree: Component = {
    id: KERNEL_HOST,
    class: 'system',
    claimed: true,
    handle: 'DMI:0001',
    description: 'TwinMachines Mount Chassis',
    product,
    vendor: manufacturer,
    serial: facts.serial,
    width: 64,
    configuration: { boot: 'normal', chassis: 'rackmount', sku, uuid: facts.uuid },
    capabilities: { smp: 'Symmetric Multi-Processing' },
    children: [boardOf(machine)],
  };
  return `${JSON.stringify([tree], null, 2)}\n`;
}

function boardOf(machine: Machine): Component {
  const { manufacturer, product, bios } = machine.facts.model;
  return {
    id: 'core',
    class: 'bus',
    claimed: true,
    description: 'Motherboard',
    product,
    vendor: manufacturer,
    serial: boardSerial(machine),
    children: [
      {
        id: 'firmware',
        class: 'memory',
        claimed: true,
        description: 'BIOS',
        vendor: bios.vendor,
        version: biosVersionOf(machine),
        date: bios.released,
      },
      ...processorsOf(machine),
      memoryOf(machine),
      ...nicsOf(machine),
      ...storageOf(machine),
    ],
  };
}

function processorsOf(machine: Machine): Component[] {
  const { sockets, cores, threads, maxMhz, model } = machine.facts.model.processor;
  return indexesTo(sockets).map((n) => ({
    id: `cpu:${n}`,
    class: 'processor',
    claimed: true,
    description: 'CPU',
    product: model,
    vendor: processorVendor(machine),
    businfo: `cpu@${n}`,
    slot: `CPU${n + 1}`,
    units: 'Hz',
    size: maxMhz * 1_000_000,
    capacity: maxMhz * 1_000_000,
    width: 64,
    configuration: { cores: `${cores}`, enabledcores: `${cores}`, threads: `${threads}` },
  }));
}

function memoryOf(machine: Machine): Component {
  const { modules, moduleMib, manufacturer, part, speedMhz } = machine.facts.model.memory;
  const bytes = moduleMib * 1_024 * 1_024;
  return {
    id: 'memory',
    class: 'memory',
    claimed: true,
    description: 'System Memory',
    units: 'bytes',
    size: bytes * modules,
    children: indexesTo(modules).map((n) => ({
      id: `bank:${n}`,
      class: 'memory',
      claimed: true,
      description: `DIMM DDR4 Synchronous ${speedMhz} MHz`,
      product: part,
      vendor: manufacturer,
      serial: moduleSerial(machine, n),
      slot: dimmName(n),
      units: 'bytes',
      size: bytes,
      width: 64,
    })),
  };
}

const nicsOf = ({ facts, address }: Machine): Component[] =>
  facts.model.nics.map(({ model, driver, speedMbps, firmware }, n) => ({
    id: `network:${n}`,
    class: 'network',
    claimed: true,
    description: 'Ethernet interface',
    product: model,
    logicalname: nicName(n),
    serial: facts.macs[n] ?? '',
    units: 'bit/s',
    size: speedMbps * 1_000_000,
    capacity: speedMbps * 1_000_000,
    configuration: {
      autonegotiation: 'on',
      driver,
      firmware,
      duplex: 'full',
      link: 'yes',
      ...(n === 0 && { ip: address }),
    },
  }));

function storageOf(machine: Machine): Component[] {
  const drives = drivesOfMachine(machine);
  const ofKind = (isNvme: boolean) => drives.filter(({ model }) => (model.kind === 'nvme') === isNvme);
  const controller = { id: 'sas', class: 'storage', claimed: true, description: 'Serial Attached SCSI controller' };
  const scsi = ofKind(false);
  return [
    ...(scsi.length > 0 ? [{ ...controller, children: scsi.map(diskOf) }] : []),
    ...ofKind(true).map((drive) => ({
      id: drive.name.replace(/n\d+$/, ''),
      class: 'storage',
      claimed: true,
      description: 'NVMe device',
      children: [diskOf(drive, 0)],
    })),
  ];
}

const diskOf = ({ name, model, state, hctl, vendor }: DriveFacts, n: number): Component => ({
  id: `disk:${n}`,
  class: 'disk',
  claimed: true,
  description: `${model.kind.toUpperCase()} Disk`,
  product: model.model,
  vendor: vendor === 'ATA' || vendor === '' ? model.vendor : vendor,
  logicalname: `/dev/${name}`,
  serial: state.serial,
  version: model.firmware,
  ...(hctl !== '' && { businfo: `scsi@${hctl.replace(/:(\d+):(\d+)$/, '.$1.$2')}` }),
  units: 'bytes',
  size: model.bytes,
  configuration: { sectorsize: '512' },
});
