/** Devices whose firmware is updated in band, by the agent on the booted node. */
export const driveKinds = ['nvme', 'sata', 'sas'] as const;
export type DriveKind = (typeof driveKinds)[number];

export const deviceKinds = [...driveKinds, 'package'] as const;
export type DeviceKind = (typeof deviceKinds)[number];

/** The catalogs that show their firmware: of `Task.Catalog.smart`, and of `Task.Firmware.Verify.InBand`. */
export const deviceCatalogs = { drives: 'smart', packages: 'firmware-packages' } as const;

const words: Readonly<Record<DeviceKind, string>> = {
  nvme: 'NVMe drive',
  sata: 'SATA drive',
  sas: 'SAS drive',
  package: 'package',
};

/** @returns a text such as `NVMe drive`; undefined: it is not a kind of devices */
export const deviceKindText = (kind: string): string | undefined =>
  Object.hasOwn(words, kind) ? words[kind as DeviceKind] : undefined;

/** @param file may have slashes */
export const fileNameOf = (file: string): string => file.slice(file.lastIndexOf('/') + 1);
