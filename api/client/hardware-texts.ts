/** The hardware of a node in words: for the command line and the console. */
import { byKey } from './by-key.ts';
import type { GetAnswer } from './requests.ts';
import { sizeText } from './size-text.ts';

export type ShownHardware = GetAnswer<'/nodes/:identifier/hardware'>;
type Drive = ShownHardware['drives'][number];

const joinParts = (parts: readonly (string | null | undefined | false)[]): string => parts.filter(Boolean).join(' ');

/** `Dell Inc. PowerEdge R640`. A model that begins with its vendor says it once. @returns '' if neither is known */
export const modelText = ({ vendor, model }: { vendor?: string | null; model?: string | null }): string =>
  vendor && model?.startsWith(vendor) ? model : joinParts([vendor, model]);

/** `2.4.1 of 03/15/2024`. */
export const biosText = ({ bios }: ShownHardware): string =>
  bios === null ? '' : joinParts([bios.version, bios.date && `of ${bios.date}`]);

/** `2 × Intel Xeon Gold 6130, 32 cores`. */
export function processorsText({ processors }: ShownHardware): string {
  if (processors === null) return '';
  const { model, count, cores } = processors;
  return [joinParts([count !== null && `${count} ×`, model ?? 'unknown']), cores !== null && `${cores} cores`]
    .filter(Boolean)
    .join(', ');
}

const kindTexts: Record<NonNullable<Drive['kind']>, string> = { hdd: 'HDD', ssd: 'SSD', nvme: 'NVMe' };

export const driveKindText = ({ kind }: Drive): string => (kind === null ? '' : kindTexts[kind]);

const driveSizeText = (drive: Drive): string =>
  joinParts([drive.bytes === null ? 'unknown size' : sizeText(drive.bytes), driveKindText(drive)]);

/** `2 × 960 GB SSD, 4 × 4 TB HDD`, with those that fail. */
export function drivesText({ drives }: ShownHardware): string {
  const groups = [...byKey(drives, driveSizeText)].map(([text, { length }]) => `${length} × ${text}`);
  const failingCount = drives.filter(({ failing }) => failing === true).length;
  return [...groups, ...(failingCount > 0 ? [`${failingCount} failing`] : [])].join(', ');
}

/** `eno1 to rack12-switch Ethernet3/1`. */
export const interfaceText = ({ name, switch: neighbor, port }: ShownHardware['interfaces'][number]): string =>
  joinParts([name, neighbor && 'to', neighbor, neighbor && port]);
