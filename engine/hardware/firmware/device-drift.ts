/**
 * Compares the firmware of a node's devices, as its latest catalogs show it, with that which they are to have. Pure.
 *
 * 1. A catalog that is missing, or has another form than the own one, shows nothing: what it would show is not known.
 * 2. A device that the node does not have is no difference: the nodes of a SKU may have drives of several models.
 */
import type { BaselineDifference } from '../../vocabulary/baseline-differences.ts';
import { deviceName } from '../../vocabulary/baseline-texts.ts';
import { type DriveKind, deviceCatalogs } from '../../vocabulary/device-kinds.ts';
import { isObject, listIn, objectIn } from '../../vocabulary/json.ts';
import { type DeviceLook, packagesIn } from './device-look.ts';
import { type DeviceUpdate, isModel } from './device-updates.ts';

const { drives: DRIVES, packages: PACKAGES } = deviceCatalogs;

interface DriveEntry {
  kind: DriveKind;
  model: string;
  version: string;
}

interface PackageEntry {
  /** Product name of the machine. */
  product: string;
  versionCommand: string;
  /** '': the machine has no such device. */
  version: string;
}

export interface DeviceDrift {
  differences: BaselineDifference[];
  /** Catalogs that the node lacks. */
  lacks: string[];
}

/** Catalogs that are needed to compare these devices. */
export const deviceSources = (updates: readonly DeviceUpdate[]): string[] => [
  ...new Set(updates.map(({ kind }) => (kind === 'package' ? PACKAGES : DRIVES))),
];

/** The entries of the catalog of packages. */
export const lookedPackages = ({ product, versions }: DeviceLook, updates: readonly DeviceUpdate[]): PackageEntry[] =>
  packagesIn(updates).map(({ at, versionCommand }) => ({ product, versionCommand, version: versions.get(at) ?? '' }));

/** @param dataOf data of the latest catalog; undefined: there is none */
export function deviceDrift(updates: readonly DeviceUpdate[], dataOf: (source: string) => unknown): DeviceDrift {
  const drives = drivesIn(dataOf(DRIVES));
  const packages = listIn(dataOf(PACKAGES)).map((entry) => objectIn(entry) as Partial<PackageEntry>);
  const lacks = new Set<string>();
  const differences = updates.flatMap((update): BaselineDifference[] => {
    const versions = update.package === undefined ? driveVersions(drives, update) : packageVersions(packages, update);
    if (versions === undefined) lacks.add(update.package === undefined ? DRIVES : PACKAGES);
    const wrong = versions?.find((version) => version !== update.version);
    if (wrong === undefined) return [];
    return [{ kind: update.kind, name: deviceName(update), expected: update.version, found: wrong || null }];
  });
  return { differences, lacks: [...lacks] };
}

const driveVersions = (drives: readonly DriveEntry[] | undefined, { kind, model }: DeviceUpdate) =>
  drives?.flatMap((drive) => (drive.kind === kind && isModel(drive.model, model) ? [drive.version] : []));

function packageVersions(
  entries: readonly Partial<PackageEntry>[],
  { model, package: vendors }: DeviceUpdate,
): string[] | undefined {
  const entry = entries.find(({ versionCommand }) => versionCommand === vendors?.versionCommand);
  if (entry === undefined) return undefined;
  const { product = '', version = '' } = entry;
  return version === '' || !isModel(product, model) ? [] : [version];
}

const kinds: Readonly<Record<string, DriveKind>> = { NVMe: 'nvme', ATA: 'sata', SCSI: 'sas' };

/** @returns undefined: it is not known which drives the node has */
function drivesIn(catalog: unknown): DriveEntry[] | undefined {
  if (!isObject(catalog)) return undefined;
  return Object.values(catalog).flatMap((drive): DriveEntry[] => {
    const facts = objectIn(drive);
    const kind = kinds[textIn(objectIn(facts.device).protocol)];
    if (kind === undefined) return [];
    if (kind !== 'sas') return [{ kind, model: textIn(facts.model_name), version: textIn(facts.firmware_version) }];
    // Before 7.3, smartctl did not prefix the names.
    const model = textIn(facts.scsi_product ?? facts.product);
    return [{ kind, model, version: textIn(facts.scsi_revision ?? facts.revision) }];
  });
}

const textIn = (value: unknown): string => (typeof value === 'string' ? value.trim() : '');
