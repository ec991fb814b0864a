/** Compares a machine, as its BMC shows it, with a baseline: the firmware and the BIOS attributes that it should have. */
import type { DeviceKind } from './device-kinds.ts';
import { property } from './json.ts';

type BiosValue = string | number | boolean | null;

export interface BaselineGoal {
  /** `component`: the id or the name of components in the firmware inventory; all of them have the version. */
  firmware: readonly { component: string; version: string }[];
  /** Values of attributes by their names. */
  bios: Readonly<Record<string, BiosValue>>;
}

/** A machine as its BMC shows it: members of the firmware inventory (SoftwareInventory), and attributes of the BIOS. */
export interface ShownMachine {
  components: readonly unknown[];
  attributes: unknown;
}

export interface BaselineDifference {
  /** `firmware`, `bios`: changed by the BMC; the others: in band. */
  kind: 'firmware' | 'bios' | DeviceKind;
  /** The component as the baseline names it, the attribute, the model of drives, or the file of a package. */
  name: string;
  expected: BiosValue;
  /** null: the machine does not show it. */
  found: BiosValue;
}

/** @returns the members of the inventory that a baseline means */
export const componentsNamed = (components: readonly unknown[], name: string): unknown[] =>
  components.filter((one) => !isInactive(one) && (property(one, 'Id') === name || property(one, 'Name') === name));

/** Dell's BMCs also list the versions before and after under the name of the installed one. */
const isInactive = (component: unknown): boolean => /^(Previous|Available)-/.test(String(property(component, 'Id')));

/** @returns one for each component and each attribute that is not as wanted */
export function baselineDifferences(
  { firmware, bios }: BaselineGoal,
  { components, attributes }: ShownMachine,
): BaselineDifference[] {
  const ofFirmware = firmware.flatMap(({ component: name, version: expected }): BaselineDifference[] => {
    const versions = componentsNamed(components, name).map((one) => shownValue(property(one, 'Version')));
    const wrong = versions.find((version) => version !== expected);
    if (versions.length > 0 && wrong === undefined) return [];
    return [{ kind: 'firmware', name, expected, found: wrong ?? null }];
  });
  const ofBios = Object.entries(bios).flatMap(([name, expected]): BaselineDifference[] => {
    const actual = shownValue(property(attributes, name));
    return actual === expected ? [] : [{ kind: 'bios', name, expected, found: actual }];
  });
  return [...ofFirmware, ...ofBios];
}

const shownValue = (value: unknown): BiosValue =>
  typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean' ? value : null;
