/** The effects of a launch on one node, to which a ticket is bound: compared when the ticket is used. Pure. */
import { isDeepStrictEqual } from 'node:util';
import { NodewrightError, type Violation } from '../../vocabulary/errors.ts';
import { isObject, type JsonObject } from '../../vocabulary/json.ts';

export interface PlannedWork {
  /** null: it runs on no node. */
  node: string | null;
  /** The graph, and those that its tasks run on the node, as far as they are known. */
  definitions: { graph: string; hash: string }[];
  isDestructive: boolean;
  /** The drives whose content it destroys. */
  drives: { name: string; serial: string | null }[];
  /** It destroys the content of drives that only its run can know. */
  hasUnknownDrives: boolean;
}

/** Returns what differs from the work that a ticket is for. */
export const workDifferences = (approved: PlannedWork, planned: PlannedWork): Violation[] => [
  ...definitionDifferences(approved, planned),
  ...driveDifferences(approved, planned),
];

function definitionDifferences(approved: PlannedWork, planned: PlannedWork): Violation[] {
  const hashes = new Map(approved.definitions.map(({ graph, hash }) => [graph, hash]));
  const changed = planned.definitions.filter(({ graph, hash }) => hashes.get(graph) !== hash);
  const present = new Set(planned.definitions.map(({ graph }) => graph));
  const missing = approved.definitions.filter(({ graph }) => !present.has(graph));
  return [
    ...changed.map(
      ({ graph, hash }) => `${graph} has the version ${hash}; the ticket is for ${hashes.get(graph) ?? 'none'}`,
    ),
    ...missing.map(({ graph }) => `${graph} does not run any more`),
  ].map((message) => ({ path: 'definition', message }));
}

function driveDifferences(approved: PlannedWork, planned: PlannedWork): Violation[] {
  const without = (these: PlannedWork['drives'], others: PlannedWork['drives']) =>
    these.filter(({ serial }) => serial === null || !others.some((other) => other.serial === serial));
  const on = planned.node ?? '';
  const added = without(planned.drives, approved.drives).map(
    ({ name, serial }) =>
      `the drive ${name} of the node ${on} has the serial number ${serial}, which the ticket does not name`,
  );
  const gone = without(approved.drives, planned.drives).map(
    ({ name, serial }) =>
      `the ticket names the drive ${name} of the node ${on} with the serial number ${serial}; found none`,
  );
  const unknown = planned.hasUnknownDrives ? [`the drives of the node ${on} are not known any more`] : [];
  return [...added, ...gone, ...unknown].map((message) => ({ path: 'drives', message }));
}

/** Returns the paths of options that differ. @param approved, planned by label, without encrypted values */
export function optionDifferences(approved: JsonObject, planned: JsonObject): Violation[] {
  const differingKeys = (one: JsonObject, other: JsonObject) =>
    [...new Set([...Object.keys(one), ...Object.keys(other)])].filter(
      (key) => !isDeepStrictEqual(one[key], other[key]),
    );
  return differingKeys(approved, planned).flatMap((label) => {
    const [one = {}, other = {}] = [approved[label], planned[label]];
    const fields = isObject(one) && isObject(other) ? differingKeys(one, other).map((field) => `.${field}`) : [''];
    return fields.map((field) => ({ path: `options.${label}${field}`, message: 'differs from that of the ticket' }));
  });
}

/** Whether a workflow on the same node, which one of an approved work starts, is a part of that. */
export const isPartOf = (approved: PlannedWork, planned: PlannedWork): boolean =>
  !planned.hasUnknownDrives &&
  planned.definitions.every(({ graph, hash }) =>
    approved.definitions.some((other) => other.graph === graph && other.hash === hash),
  ) &&
  planned.drives.every(({ serial }) => serial !== null && approved.drives.some((other) => other.serial === serial));

/** @throws NodewrightError DRIVE_SERIAL_UNKNOWN */
export function rejectUnknownDrives(works: readonly PlannedWork[]): void {
  const violations = works.flatMap(({ node, drives, hasUnknownDrives }) => [
    ...drives
      .filter(({ serial }) => serial === null)
      .map(({ name }) => ({
        path: 'drives',
        message: `the drive ${name} of the node ${node} has no known serial number`,
      })),
    ...(hasUnknownDrives ? [{ path: 'drives', message: `the drives of the node ${node} are not known` }] : []),
  ]);
  const [first] = violations;
  if (first === undefined) return;
  const message = `${first.message}; expected one in its catalogs driveId, lsblk or smart`;
  throw new NodewrightError('DRIVE_SERIAL_UNKNOWN', message, { violations });
}
