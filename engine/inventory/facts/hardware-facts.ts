/**
 * The hardware of a node by its catalogs: each catalog is read once, when it arrives, for the facts in it.
 *
 * Of several sources the first in the order below that knows a fact counts: firmware knows itself best, and a BMC knows drives
 * behind a controller that the operating system does not see.
 */
import type { HardwareFacts } from '../../api-port/hardware.ts';
import { groupBy } from '../../platform/lib/group-by.ts';
import { dmiFacts, fruFacts, lshwFacts, ohaiFacts } from './dmi-facts.ts';
import { redfishManagerFacts, redfishSystemFacts } from './redfish-facts.ts';
import { snmpFacts, versionFacts } from './switch-facts.ts';
import { bmcFacts, driveIdFacts, ethtoolFacts, lldpFacts, managerFacts, smartFacts } from './system-facts.ts';

type ReadFacts = (data: unknown) => Partial<HardwareFacts>;

const readers: ReadonlyMap<string, ReadFacts> = new Map([
  ['dmi', dmiFacts],
  ['driveId', driveIdFacts],
  ['smart', smartFacts],
  ['ethtool', ethtoolFacts],
  ['lldp', lldpFacts],
  ['bmc', bmcFacts],
  ['ipmi-mc-info', managerFacts],
  ['redfish-system', redfishSystemFacts],
  ['redfish-manager', redfishManagerFacts],
  ['ipmi-fru', fruFacts],
  ['lshw', lshwFacts],
  ['ohai', ohaiFacts],
  ['snmp', snmpFacts],
  ['version', versionFacts],
]);

export const factSources: readonly string[] = [...readers.keys()];

const DRIVES = 100;
const INTERFACES = 64;

const none: HardwareFacts = {
  vendor: null,
  model: null,
  serial: null,
  bios: null,
  processors: null,
  memoryBytes: null,
  bmc: null,
  drives: [],
  interfaces: [],
};

/** @returns undefined: the source describes no hardware */
export function catalogFacts(source: string, data: unknown): HardwareFacts | undefined {
  const facts = readers.get(source)?.(data);
  if (facts === undefined) return undefined;
  const { drives = [], interfaces = [] } = facts;
  return { ...none, ...facts, drives: drives.slice(0, DRIVES), interfaces: interfaces.slice(0, INTERFACES) };
}

/** @param bySource facts of the latest catalogs */
export function mergedFacts(bySource: ReadonlyMap<string, HardwareFacts>): HardwareFacts {
  const all = factSources.flatMap((source) => bySource.get(source) ?? []);
  const merged = all.reduce(firstKnown, none);
  return {
    ...merged,
    bios: all.map(({ bios }) => bios).reduce(firstKnownPart, null),
    processors: all.map(({ processors }) => processors).reduce(firstKnownPart, null),
    bmc: all.map(({ bmc }) => bmc).reduce(firstKnownPart, null),
    drives: mergedRows(
      all.flatMap(({ drives }) => drives),
      ({ serial }) => serial,
    ).slice(0, DRIVES),
    interfaces: mergedRows(
      all.flatMap(({ interfaces }) => interfaces),
      ({ mac }) => mac,
    ).slice(0, INTERFACES),
  };
}

/** Returns the first with the unknown facts of the other. */
function firstKnown<T extends object>(first: T, other: T): T {
  return { ...other, ...Object.fromEntries(Object.entries(first).filter(([, value]) => value !== null)) };
}

const firstKnownPart = <T extends object>(first: T | null, other: T | null): T | null =>
  first === null || other === null ? (first ?? other) : firstKnown(first, other);

/**
 * Rows of one name are one thing. A later row with the identity of another is left out: the BMC has other names for what the
 * operating system lists.
 */
function mergedRows<T extends { name: string }>(rows: readonly T[], identityOf: (row: T) => string | null): T[] {
  const identities = new Set<string>();
  return groupBy(rows, ({ name }) => name)
    .map(([, same]) => same.reduce(firstKnown))
    .filter((row) => {
      const identity = identityOf(row);
      const isRepeat = identity !== null && identities.has(identity);
      if (identity !== null) identities.add(identity);
      return !isRepeat;
    });
}
