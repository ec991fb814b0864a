/** The output of commands that describe the machine: uname, dmidecode, ipmitool, and the collector of ohai. */
import { objectIn } from '../../../vocabulary/json.ts';
import type { Machine } from '../machine/twin-machine.ts';

export const KERNEL_RELEASE = '6.12.30-microkernel';
export const KERNEL_HOST = 'microkernel';
const KERNEL_VERSION = '#1 SMP PREEMPT_DYNAMIC';

/** @param flags such as `a`, `r` or `srm`; '': `s` */
export function unameText(flags: string): string {
  const words: [flag: string, text: string][] = [
    ['s', 'Linux'],
    ['n', KERNEL_HOST],
    ['r', KERNEL_RELEASE],
    ['v', KERNEL_VERSION],
    ['m', 'x86_64'],
    ['o', 'GNU/Linux'],
  ];
  const wanted = flags === '' ? 's' : flags;
  const selected = words.filter(([flag]) => wanted.includes('a') || wanted.includes(flag));
  return `${selected.map(([, text]) => text).join(' ')}\n`;
}

export const biosVersionOf = ({ state, facts }: Machine): string => state.bmc.versions.BIOS ?? facts.model.bios.version;

type Lines = readonly [key: string, value: string | number | readonly string[]][];

interface Structure {
  type: number;
  title: string;
  lines: Lines;
}

/** The structures of SMBIOS, in their order. */
function structuresOf(machine: Machine): Structure[] {
  const { facts } = machine;
  const { manufacturer, product, sku, bios, processor, memory } = facts.model;
  return [
    {
      type: 0,
      title: 'BIOS Information',
      lines: [
        ['Vendor', bios.vendor],
        ['Version', biosVersionOf(machine)],
        ['Release Date', bios.released],
        ['ROM Size', '32 MB'],
        ['Characteristics', ['PCI is supported', 'BIOS is upgradeable', 'UEFI is supported']],
      ],
    },
    {
      type: 1,
      title: 'System Information',
      lines: [
        ['Manufacturer', manufacturer],
        ['Product Name', product],
        ['Version', 'Not Specified'],
        ['Serial Number', facts.serial],
        ['UUID', facts.uuid],
        ['Wake-up Type', 'Power Switch'],
        ['SKU Number', sku],
        ['Family', 'Server'],
      ],
    },
    {
      type: 2,
      title: 'Base Board Information',
      lines: [
        ['Manufacturer', manufacturer],
        ['Product Name', product],
        ['Version', 'A00'],
        ['Serial Number', boardSerial(machine)],
        ['Type', 'Motherboard'],
      ],
    },
    {
      type: 3,
      title: 'Chassis Information',
      lines: [
        ['Manufacturer', manufacturer],
        ['Type', 'TwinMachines Mount Chassis'],
        ['Lock', 'Not Present'],
        ['Version', 'Not Specified'],
        ['Serial Number', facts.serial],
        ['Boot-up State', 'Safe'],
        ['Power Supply State', 'Safe'],
        ['Thermal State', 'Safe'],
        ['Number Of Power Cords', facts.model.powerSupplies.count],
      ],
    },
    ...indexesTo(processor.sockets).map((n) => ({
      type: 4,
      title: 'Processor Information',
      lines: [
        ['Socket Designation', `CPU${n + 1}`],
        ['Type', 'Central Processor'],
        ['Manufacturer', processorVendor(machine)],
        ['Version', processor.model],
        ['Max Speed', `${processor.maxMhz} MHz`],
        ['Status', 'Populated, Enabled'],
        ['Core Count', processor.cores],
        ['Core Enabled', processor.cores],
        ['Thread Count', processor.threads],
      ] satisfies Lines,
    })),
    ...indexesTo(memory.modules).map((n) => ({
      type: 17,
      title: 'Memory Device',
      lines: [
        ['Total Width', '72 bits'],
        ['Data Width', '64 bits'],
        ['Size', memory.moduleMib % 1_024 === 0 ? `${memory.moduleMib / 1_024} GB` : `${memory.moduleMib} MB`],
        ['Form Factor', 'DIMM'],
        ['Locator', dimmName(n)],
        ['Type', 'DDR4'],
        ['Speed', `${memory.speedMhz} MT/s`],
        ['Manufacturer', memory.manufacturer],
        ['Serial Number', moduleSerial(machine, n)],
        ['Part Number', memory.part],
      ] satisfies Lines,
    })),
    { type: 32, title: 'System Boot Information', lines: [['Status', 'No errors detected']] },
  ];
}

export const indexesTo = (count: number): number[] => Array.from({ length: count }, (_, n) => n);
/** A model has the names of Redfish. */
export const nicName = (n: number): string => `eno${n + 1}`;
export const boardSerial = ({ facts }: Machine): string => `MB${facts.serial}`;
export const dimmName = (n: number): string => `DIMM_${String.fromCharCode(65 + (n % 26))}${Math.floor(n / 26) + 1}`;
export const moduleSerial = ({ facts }: Machine, n: number): string =>
  `${facts.uuid.slice(0, 6)}${n.toString(16).padStart(2, '0')}`.toUpperCase();
export const processorVendor = ({ facts }: Machine): string =>
  /amd|epyc/i.test(facts.model.processor.model) ? 'AuthenticAMD' : 'GenuineIntel';

/** The keywords of `dmidecode -s`. */
const keywords: Readonly<Record<string, [title: string, key: string]>> = {
  'bios-vendor': ['BIOS Information', 'Vendor'],
  'bios-version': ['BIOS Information', 'Version'],
  'bios-release-date': ['BIOS Information', 'Release Date'],
  'system-manufacturer': ['System Information', 'Manufacturer'],
  'system-product-name': ['System Information', 'Product Name'],
  'system-version': ['System Information', 'Version'],
  'system-serial-number': ['System Information', 'Serial Number'],
  'system-uuid': ['System Information', 'UUID'],
  'baseboard-manufacturer': ['Base Board Information', 'Manufacturer'],
  'baseboard-product-name': ['Base Board Information', 'Product Name'],
  'baseboard-serial-number': ['Base Board Information', 'Serial Number'],
  'chassis-serial-number': ['Chassis Information', 'Serial Number'],
};

/** @param args its arguments @returns undefined: arguments that it does not have here */
export function dmidecodeText(machine: Machine, args: readonly string[]): string | undefined {
  const structures = structuresOf(machine);
  const [option, value = ''] = args;
  if (option === '-s' || option === '--string') {
    const [title, key] = keywords[value] ?? [];
    const line = structures.find((each) => each.title === title)?.lines.find(([name]) => name === key);
    return line && `${line[1]}\n`;
  }
  if (option !== undefined && option !== '-t' && option !== '--type') return undefined;
  const types = value.split(',').map(Number);
  const blocks = structures
    .map((structure, n) => ({ n, ...structure }))
    .filter(({ type }) => option === undefined || types.includes(type))
    .map(({ n, type, title, lines }) =>
      [`Handle 0x${hex4(n)}, DMI type ${type}, 64 bytes`, title, ...lines.flatMap(linesOf)].join('\n'),
    );
  return `${['# dmidecode 3.4\nGetting SMBIOS data from sysfs.\nSMBIOS 3.3.0 present.', ...blocks].join('\n\n')}\n\n`;
}

const hex4 = (n: number): string => n.toString(16).toUpperCase().padStart(4, '0');
const linesOf = ([key, value]: Lines[number]): string[] =>
  typeof value === 'object' ? [`\t${key}:`, ...value.map((each) => `\t\t${each}`)] : [`\t${key}: ${value}`];

/** `ipmitool lan print`, without the colons in its values that would begin other keys. */
export const lanText = ({ facts }: Machine): string =>
  `${[
    ['Set in Progress', 'Set Complete'],
    ['Auth Type Support', 'MD5'],
    ['IP Address Source', 'Static Address'],
    ['IP Address', facts.bmcAddress],
    ['Subnet Mask', '255.0.0.0'],
    ['MAC Address', facts.bmcMac],
    ['SNMP Community String', 'public'],
    ['Default Gateway IP', '0.0.0.0'],
    ['802.1q VLAN ID', 'Disabled'],
    ['RMCP+ Cipher Suites', '3,17'],
  ]
    .map(([key = '', value]) => `${key.padEnd(24)}: ${value}`)
    .join('\n')}\n`;

export const managerText = ({ facts, state }: Machine): string =>
  `${[
    ['Device ID', '32'],
    ['Device Revision', '1'],
    ['Firmware Revision', state.bmc.versions.BMC ?? facts.model.bmc.firmware],
    ['IPMI Version', '2.0'],
    ['Manufacturer Name', facts.model.manufacturer],
    ['Device Available', 'yes'],
  ]
    .map(([key = '', value]) => `${key.padEnd(26)}: ${value}`)
    .join('\n')}\n`;

const fruDevice = 'Builtin FRU Device (ID 0)';

function fruValues(machine: Machine): [name: string, value: string][] {
  const { manufacturer, product, sku, board = { manufacturer } } = machine.facts.model;
  return [
    ['Chassis Type', 'TwinMachines Mount Chassis'],
    ['Chassis Serial', machine.facts.serial],
    ['Board Mfg', board.manufacturer],
    ['Board Product', product],
    ['Board Serial', boardSerial(machine)],
    ...(board.part === undefined ? [] : [['Board Part Number', board.part] satisfies [string, string]]),
    ['Product Manufacturer', manufacturer],
    ['Product Name', product],
    ['Product Part Number', sku],
    ['Product Serial', machine.facts.serial],
  ];
}

export const fruText = (machine: Machine): string =>
  `FRU Device Description : ${fruDevice}\n${fruValues(machine)
    .map(([name, value]) => ` ${name.padEnd(22)}: ${value}`)
    .join('\n')}\n\n`;

/** Lines `path=value`, as the collector of FRUs prints them. */
export const fruLines = (machine: Machine): string =>
  fruValues(machine)
    .map(([name, value]) => `${fruDevice}.${name}=${value}\n`)
    .join('');

/** The same for users. */
export const userLines = ({ state }: Machine): string =>
  state.bmc.accounts
    .map(({ user, role }, at) => {
      const privilege = role === 'ReadOnly' ? 'USER' : role.toUpperCase();
      return `${at + 2}.Name=${user}\n${at + 2}.IPMI Msg=true\n${at + 2}.Channel Priv Limit=${privilege}\n`;
    })
    .join('');

export const selText = ({ state }: Machine): string =>
  `SEL Information\n${[
    ['Version', '1.5 (v1.5, v2 compliant)'],
    ['Entries', String(state.bmc.log.length)],
    ['Free Space', '16000 bytes'],
    ['Overflow', 'false'],
  ]
    .map(([name = '', value]) => `${name.padEnd(17)}: ${value}`)
    .join('\n')}\n`;

function ohaiValues(machine: Machine): [path: string, value: string | number][] {
  const { facts } = machine;
  const { manufacturer, product, bios, processor, memory, nics } = facts.model;
  return [
    ['hostname', KERNEL_HOST],
    ['kernel.name', 'Linux'],
    ['kernel.release', KERNEL_RELEASE],
    ['kernel.version', KERNEL_VERSION],
    ['kernel.machine', 'x86_64'],
    ['cpu.total', processor.sockets * processor.threads],
    ['cpu.real', processor.sockets],
    ['cpu.model_name', processor.model],
    ['cpu.vendor_id', processorVendor(machine)],
    ['memory.total', `${memory.modules * memory.moduleMib * 1_024}kB`],
    ['dmi.system.manufacturer', manufacturer],
    ['dmi.system.product_name', product],
    ['dmi.system.version', 'Not Specified'],
    ['dmi.system.serial_number', facts.serial],
    ['dmi.system.uuid', facts.uuid],
    ['dmi.bios.vendor', bios.vendor],
    ['dmi.bios.version', biosVersionOf(machine)],
    ['dmi.bios.release_date', bios.released],
    ['dmi.base_board.manufacturer', manufacturer],
    ['dmi.base_board.product_name', product],
    ['dmi.base_board.serial_number', boardSerial(machine)],
    ...nics.flatMap((_, n): [string, string][] => {
      const path = `network.interfaces.${nicName(n)}`;
      return [
        [`${path}.mac`, facts.macs[n] ?? ''],
        [`${path}.mtu`, '1500'],
        [`${path}.state`, 'up'],
      ];
    }),
    ['network.interfaces.lo.mac', '00:00:00:00:00:00'],
    ['network.interfaces.lo.mtu', '65536'],
    ['network.interfaces.lo.state', 'unknown'],
  ];
}

/** Lines `path=value`, as the collector of ohai prints them. */
export const ohaiLines = (machine: Machine): string =>
  ohaiValues(machine)
    .map(([path, value]) => `${path}${typeof value === 'number' ? ':=' : '='}${value}\n`)
    .join('');

/** The same as the program ohai prints it. */
export function ohaiJson(machine: Machine): string {
  const root: Record<string, unknown> = {};
  for (const [path, value] of ohaiValues(machine)) {
    const keys = path.split('.');
    let inner = root;
    for (const key of keys.slice(0, -1)) {
      const next = objectIn(inner[key]);
      inner[key] = next;
      inner = next;
    }
    inner[keys.at(-1) ?? ''] = value;
  }
  return `${JSON.stringify(root, null, 2)}\n`;
}
