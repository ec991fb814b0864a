/** The drives that a launch erases, as check boxes show them: read from the setting of the launch, and written to it. */

import { isObject, type JsonObject, listIn, property } from '../../../engine/vocabulary/json.ts';
import { byKey } from '../../client/by-key.ts';

/** A drive in the catalog `driveId`. */
export interface ListedDrive {
  /** Its WWID, or the name of the device. */
  key: string;
  /** All names under which a setting may have it. */
  names: readonly string[];
  device: string;
  model: string;
  serial: string;
  bytes: number | null;
  /** '': unknown. */
  protocol: string;
}

export interface MethodChoice {
  /** The tool and its argument. */
  key: string;
  tool: string;
  arg: string;
  title: string;
  /** null: of any drive. */
  protocol: string | null;
}

/** A drive that several nodes have by the same name. */
export interface SharedDrive extends ListedDrive {
  /** Number of these nodes. */
  nodes: number;
}

/** Methods by the keys of drives. */
export type ErasedDrives = ReadonlyMap<string, MethodChoice>;

const text = (value: unknown): string => (typeof value === 'string' ? value.trim() : '');

/** @param data of the catalog */
export const drivesIn = (data: unknown): ListedDrive[] =>
  listIn(data).flatMap((entry): ListedDrive[] => {
    const device = text(property(entry, 'devName'));
    if (device === '') return [];
    const wwids = ['linuxWwid', 'esxiWwid'].map((key) => text(property(entry, key))).filter((wwid) => wwid !== '');
    const [identifier, bytes] = [property(entry, 'identifier'), property(entry, 'sizeBytes')];
    const number = typeof identifier === 'number' ? [`${identifier}`] : [];
    return [
      {
        key: wwids[0] ?? device,
        names: [device, `/dev/${device}`, ...number, ...wwids],
        device,
        model: text(property(entry, 'model')),
        serial: text(property(entry, 'serial')),
        bytes: typeof bytes === 'number' ? bytes : null,
        protocol: text(property(entry, 'protocol')),
      },
    ];
  });

const { compare } = new Intl.Collator(undefined, { numeric: true });

/**
 * The drives of several nodes, by the names of their devices, since nothing else is the same on all of them.
 * @param lists one of each node
 */
export function sharedDrives(lists: readonly (readonly ListedDrive[])[]): SharedDrive[] {
  const groups = byKey(lists.flat(), ({ device }) => device);
  const drives = [...groups].map(([device, same]): SharedDrive => {
    const onlyOf = <T>(values: readonly T[], several: T): T => {
      const [value = several, ...others] = new Set(values);
      return others.length > 0 ? several : value;
    };
    return {
      key: device,
      names: [device, `/dev/${device}`],
      device,
      model: modelsOf(same),
      serial: '',
      bytes: onlyOf(
        same.map(({ bytes }) => bytes),
        null,
      ),
      protocol: onlyOf(
        same.map(({ protocol }) => protocol),
        SEVERAL,
      ),
      nodes: same.length,
    };
  });
  return drives.toSorted((a, b) => compare(a.device, b.device));
}

function modelsOf(drives: readonly ListedDrive[]): string {
  const models = [...new Set(drives.map(({ model }) => model))];
  return models.length > MODELS_NAMED ? `${models.length} models` : models.join(', ');
}

const MODELS_NAMED = 2;

/** Protocols, of which no method is for all. */
const SEVERAL = 'several';

/** @returns undefined: an option of another kind */
export function eraseMethodsIn(schema: JsonObject): MethodChoice[] | undefined {
  const methods = listIn(schema['x-erase-methods']).filter(isObject);
  if (methods.length === 0) return undefined;
  return methods.map(({ tool, arg, title, protocol }) => ({
    key: `${tool} ${arg}`,
    tool: text(tool),
    arg: text(arg),
    title: text(title),
    protocol: text(protocol) || null,
  }));
}

export const methodsFor = ({ protocol }: ListedDrive, methods: readonly MethodChoice[]): MethodChoice[] =>
  methods.filter((method) => method.protocol === null || protocol === '' || method.protocol === protocol);

/** @param setting as JSON @returns undefined: it has a drive or a method that the list does not have */
export function erasedDrivesIn(
  setting: string,
  drives: readonly ListedDrive[],
  methods: readonly MethodChoice[],
): ErasedDrives | undefined {
  const erased = new Map<string, MethodChoice>();
  for (const part of partsOf(setting)) {
    const tool = text(property(part, 'tool')) || 'scrub';
    const arg = property(part, 'arg');
    const method = methods.find((one) => one.tool === tool && (arg === undefined || one.arg === arg));
    for (const disk of listIn(property(part, 'disks'))) {
      const drive = drives.find(({ names }) => names.includes(`${disk}`));
      if (drive === undefined || method === undefined) return undefined;
      erased.set(drive.key, method);
    }
  }
  return erased;
}

function partsOf(setting: string): unknown[] {
  try {
    return setting === '' ? [] : listIn(JSON.parse(setting));
  } catch {
    return [{ disks: [null] }];
  }
}

/** Drives of one method stand together. @returns '' without drives */
export function settingOf(erased: ErasedDrives): string {
  if (erased.size === 0) return '';
  // Equal methods are one object of the list.
  const groups = byKey(erased, ([, method]) => method);
  const parts = [...groups].map(([{ tool, arg }, same]) => ({ disks: same.map(([drive]) => drive), tool, arg }));
  return JSON.stringify(parts);
}
