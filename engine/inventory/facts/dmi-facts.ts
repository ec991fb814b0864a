/** Facts of the firmware's tables (`dmi`), of lshw and ohai, and of the FRU: the machine as its maker describes it. */
import type { HardwareFacts } from '../../api-port/hardware.ts';
import { isObject, listIn, objectIn } from '../../vocabulary/json.ts';
import { factText, sumOf, wholeAmount } from './fact-values.ts';

/** The blocks of a title: one, or a list of several. */
const blocksOf = (data: unknown, title: string): unknown[] => {
  const blocks = objectIn(data)[title];
  return Array.isArray(blocks) ? blocks : isObject(blocks) ? [blocks] : [];
};

/** Whether a socket or a slot has nothing in it. */
const isEmpty = (text: string | null): boolean => text === null || /unpopulated|no module|not installed/i.test(text);

const UNITS: Readonly<Record<string, number>> = { B: 0, KB: 1, MB: 2, GB: 3, TB: 4 };
const KIB = 1_024;

/** @param text such as `16384 MB` or `16 GB` */
function bytesOf(text: string | null): number | null {
  const [, amount, unit = ''] = /^(\d{1,9}) ?([kmgt]?i?b)$/i.exec(text ?? '') ?? [];
  const power = UNITS[unit.toUpperCase().replace('I', '')];
  return amount === undefined || power === undefined ? null : Number(amount) * KIB ** power;
}

export function dmiFacts(data: unknown): Partial<HardwareFacts> {
  const [system] = blocksOf(data, 'System Information');
  const [bios] = blocksOf(data, 'BIOS Information');
  const processors = blocksOf(data, 'Processor Information').filter((one) => !isEmpty(factText(one, 'Version')));
  const sizes = blocksOf(data, 'Memory Device').map((one) => factText(one, 'Size'));
  return {
    vendor: factText(system, 'Manufacturer'),
    model: factText(system, 'Product Name'),
    serial: factText(system, 'Serial Number'),
    bios: bios === undefined ? null : { version: factText(bios, 'Version'), date: factText(bios, 'Release Date') },
    processors:
      processors.length === 0
        ? null
        : {
            model: factText(processors[0], 'Version'),
            count: processors.length,
            cores: sumOf(processors.map((one) => wholeAmount(one, 'Core Count'))),
          },
    memoryBytes: sumOf(sizes.filter((size) => !isEmpty(size)).map(bytesOf)),
  };
}

/** The tree of lshw has fewer levels. */
const LSHW_LEVELS = 6;

/** All parts of the tree of lshw that have a class. */
function partsOf(tree: unknown, wanted: string, depth = 0): unknown[] {
  if (depth === LSHW_LEVELS) return [];
  const inner = listIn(objectIn(tree).children).flatMap((child) => partsOf(child, wanted, depth + 1));
  return objectIn(tree).class === wanted ? [tree, ...inner] : inner;
}

export function lshwFacts(data: unknown): Partial<HardwareFacts> {
  // Some versions print a list of one tree.
  const [tree = data] = listIn(data);
  const processors = partsOf(tree, 'processor').filter((one) => objectIn(one).disabled !== true);
  const memories = partsOf(tree, 'memory');
  const firmware = memories.find((one) => objectIn(one).id === 'firmware');
  const memory = memories.find((one) => /^memory(?::0)?$/.test(String(objectIn(one).id)));
  return {
    vendor: factText(tree, 'vendor'),
    model: factText(tree, 'product'),
    serial: factText(tree, 'serial'),
    bios: firmware === undefined ? null : { version: factText(firmware, 'version'), date: factText(firmware, 'date') },
    processors:
      processors.length === 0
        ? null
        : {
            model: factText(processors[0], 'product'),
            count: processors.length,
            cores: sumOf(processors.map((one) => wholeAmount(one, 'configuration', 'cores'))),
          },
    memoryBytes: wholeAmount(memory, 'size'),
  };
}

/** The first device is the one that the machine itself has. */
export function fruFacts(data: unknown): Partial<HardwareFacts> {
  const [device] = Object.values(objectIn(data));
  return {
    vendor: factText(device, 'Product Manufacturer') ?? factText(device, 'Board Mfg'),
    model: factText(device, 'Product Name') ?? factText(device, 'Board Product'),
    serial: factText(device, 'Product Serial') ?? factText(device, 'Chassis Serial'),
  };
}

/** The kernel counts less memory than there is, so this is the last source for it. */
export function ohaiFacts(data: unknown): Partial<HardwareFacts> {
  const { system, bios } = objectIn(objectIn(data).dmi);
  const { cpu } = objectIn(data);
  const model = factText(cpu, 'model_name') ?? factText(cpu, '0', 'model_name');
  return {
    vendor: factText(system, 'manufacturer'),
    model: factText(system, 'product_name'),
    serial: factText(system, 'serial_number'),
    bios: bios === undefined ? null : { version: factText(bios, 'version'), date: factText(bios, 'release_date') },
    processors: cpu === undefined ? null : { model, count: wholeAmount(cpu, 'real'), cores: null },
    memoryBytes: bytesOf(factText(data, 'memory', 'total')),
  };
}
