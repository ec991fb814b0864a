/**
 * Names a drive as its label does, by the catalogs of its node: model, serial number, size. Pure, except for the reading.
 *
 * 1. The first catalog that has a value counts: driveId, lsblk, smart (of RackHD).
 * 2. Device names change from one boot to the next, and each catalog may be of another boot: where both sides have a WWN, only
 *    that identifies the drive.
 */

import type { ChosenDrive } from '../../define/task.ts';
import { isObject, objectIn } from '../../vocabulary/json.ts';

export interface NamedDrive {
  /** Below /dev. */
  name: string;
  wwid: string | null;
  model: string | null;
  serial: string | null;
  sizeBytes: number | null;
}

interface DriveFacts {
  devName: string;
  wwn: string;
  model: string;
  serial: string;
  sizeBytes: number | null;
}

const text = (...values: unknown[]): string =>
  values.map((value) => (typeof value === 'string' ? value.trim() : '')).find((value) => value !== '') ?? '';

const bytes = (value: unknown): number | null => {
  const size = typeof value === 'string' && /^\d+$/.test(value) ? Number(value) : value;
  return typeof size === 'number' && size > 0 ? size : null;
};

/** Returns hexadecimal digits: `naa.5000c500`, `0x5000c500` and `5 000c50 0` are the same; '': it is no WWN. */
function wwnOf(value: unknown): string {
  const digits = text(value)
    .toLowerCase()
    .replace(/^(naa|eui)\.|^0x|\s/g, '');
  return /^[0-9a-f]{16,32}$/.test(digits) ? digits : '';
}

const entriesOf = (value: unknown): Record<string, unknown>[] =>
  typeof value === 'object' && value !== null ? Object.values(value).filter(isObject) : [];

const ofDriveId = (catalog: unknown): DriveFacts[] =>
  entriesOf(catalog).map(({ devName, esxiWwid, model, serial, sizeBytes }) => ({
    devName: text(devName),
    wwn: wwnOf(esxiWwid),
    model: text(model),
    serial: text(serial),
    sizeBytes: bytes(sizeBytes),
  }));

const ofLsblk = (catalog: unknown): DriveFacts[] =>
  entriesOf(objectIn(catalog).blockdevices).map(({ name, wwn, model, serial, size }) => ({
    devName: text(name),
    wwn: wwnOf(wwn),
    model: text(model),
    serial: text(serial),
    sizeBytes: bytes(size),
  }));

const ofSmart = (catalog: unknown): DriveFacts[] =>
  entriesOf(catalog).map((entry) => {
    const facts = objectIn(objectIn(entry.SMART).Identity);
    const [size = ''] = text(facts['User Capacity'], facts['Total NVM Capacity']).split(' ');
    return {
      devName: text(entry['OS Device Name']).replace('/dev/', ''),
      wwn: wwnOf(facts['LU WWN Device Id']),
      model: text(facts['Device Model'], facts['Model Number'], facts.Product),
      serial: text(facts['Serial Number'], facts['Serial number']),
      sizeBytes: bytes(size.replaceAll(',', '')),
    };
  });

/** The drives that catalogs describe, the catalog that counts first before the others. */
export type DriveCatalogs = readonly DriveFacts[][];

export async function driveCatalogs(read: (source: string) => Promise<unknown>): Promise<DriveCatalogs> {
  const [driveId, lsblk, smart] = await Promise.all(['driveId', 'lsblk', 'smart'].map(read));
  return [ofDriveId(driveId), ofLsblk(lsblk), ofSmart(smart)];
}

export function namedDrive({ devName, wwid, serial = '' }: ChosenDrive, catalogs: DriveCatalogs): NamedDrive {
  const wwn = catalogs[0]?.find((facts) => facts.devName === devName)?.wwn ?? '';
  const isIt = serial === '' ? isSame({ devName, wwn }) : (facts: DriveFacts) => facts.serial === serial;
  const facts = catalogs.flatMap((drives) => drives.find(isIt) ?? []);
  return {
    name: text(devName, ...facts.map((drive) => drive.devName), serial),
    wwid: wwid || null,
    model: text(...facts.map(({ model }) => model)) || null,
    serial: text(serial, ...facts.map((drive) => drive.serial)) || null,
    sizeBytes: facts.map(({ sizeBytes }) => sizeBytes).find((size) => size !== null) ?? null,
  };
}

/** Implements rule 2. Of a long WWN some tools print the first half only, which several volumes of a controller share. */
const isSame =
  ({ devName, wwn }: Pick<DriveFacts, 'devName' | 'wwn'>) =>
  (other: DriveFacts): boolean => {
    if (wwn !== '' && wwn === other.wwn) return true;
    const differ = !wwn.startsWith(other.wwn) && !other.wwn.startsWith(wwn);
    return !differ && devName === other.devName;
  };
