/** Texts about baselines, for lists and pages. */
import { countText } from './count-texts.ts';
import { type DeviceKind, deviceCatalogs, deviceKindText, fileNameOf } from './device-kinds.ts';

interface NamedDifference {
  /** As that of a difference. */
  kind: string;
  name: string;
}

/** @returns a text such as `BIOS`, or `NVMe drive ACME 1*` of devices that are updated in band */
export const differenceName = ({ kind, name }: NamedDifference): string =>
  [deviceKindText(kind), name].filter((text) => text !== undefined).join(' ');

/** All packages of a machine have its model: their files tell them apart. */
export const deviceName = ({ kind, model, file }: { kind: DeviceKind; model: string; file: string }): string =>
  kind === 'package' ? fileNameOf(file) : model;

interface ComparedMachine {
  differences: readonly NamedDifference[];
  lacks: readonly string[];
}

/** @returns which machines would boot the microkernel, and why; undefined: none */
export function microkernelText(machines: readonly ComparedMachine[]): string | undefined {
  const devices = machines.map(({ differences }) =>
    differences.filter(({ kind }) => deviceKindText(kind) !== undefined),
  );
  const isUnknown = ({ lacks }: ComparedMachine) =>
    Object.values(deviceCatalogs).some((source) => lacks.includes(source));
  const booting = machines.filter((machine, n) => devices[n]?.length !== 0 || isUnknown(machine));
  if (booting.length === 0) return undefined;
  const names = new Set(devices.flat().map(differenceName));
  const reasons = [...names, ...(booting.some(isUnknown) ? ['devices that are not known'] : [])].join(', ');
  return `${booting.length} of ${countText(machines.length, 'node')} ${booting.length === 1 ? 'boots' : 'boot'} the microkernel for an update in band: ${reasons}`;
}
