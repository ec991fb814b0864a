/**
 * Documents of a recorded tree, as one machine shows them: with its own serial number, UUID and MACs. Resources that have a
 * state are the twin's own, with what else was recorded of them.
 */
import { isObject, type JsonObject, listIn, property } from '../../../vocabulary/json.ts';
import { pathOfResource, RECORDED_ROOT, type RecordedTree, recordedMembers } from '../machine/recorded-tree.ts';
import type { BmcCall } from './bmc-call.ts';
import { systemPath } from './documents.ts';

/** Types that have a state, and collections whose members a BMC adds. */
const live = new Set([
  ...['ComputerSystem', 'Bios', 'Manager', 'Chassis', 'SoftwareInventory', 'VirtualMedia', 'LogService'],
  ...['ServiceRoot', 'UpdateService', 'TaskService', 'EventService', 'AccountService', 'SessionService'],
  ...['TaskCollection', 'SessionCollection', 'ManagerAccountCollection', 'EventDestinationCollection'],
  ...['LogEntryCollection', 'VirtualMediaCollection', 'SoftwareInventoryCollection', 'LogServiceCollection'],
  ...['RoleCollection', 'Role', 'MessageRegistryFileCollection'],
]);

const typeNameOf = (document: JsonObject): string =>
  String(document['@odata.type'] ?? '')
    .split('.')[0]
    ?.slice(1) ?? '';

/** @param ownDocument the document that the twin makes for the path @returns undefined: there is no such resource */
export function documentWithRecording(call: BmcCall, ownDocument: JsonObject | undefined): JsonObject | undefined {
  const { recorded } = call.model;
  const document = recorded?.documents.get(call.path);
  if (recorded === undefined || document === undefined) return ownDocument;
  const mine = withIdentity(call, recorded, document);
  if (ownDocument === undefined) return mine;
  return live.has(typeNameOf(document)) ? { ...onlyExtensions(mine), ...ownDocument } : mine;
}

/** The schema of the twin's own document may lack the other fields. */
function onlyExtensions({ Oem: oem, Description: description }: JsonObject): JsonObject {
  return { ...(isObject(oem) && { Oem: oem }), ...(typeof description === 'string' && { Description: description }) };
}

/** Replaces the identity of the recorded machine by that of this one. */
function withIdentity(call: BmcCall, recorded: RecordedTree, document: JsonObject): JsonObject {
  const { facts } = call.machine;
  const system = recorded.documents.get(systemPath(call)) ?? {};
  const interfaces = pathOfResource(String(property(system.EthernetInterfaces, '@odata.id') ?? ''));
  const macs = recordedMembers(recorded, interfaces).map(([, { MACAddress: mac }]) => mac);
  const pairs = new Map<string, string>();
  const replace = (before: unknown, after: string | undefined) => {
    if (typeof before === 'string' && before.length > 3 && after !== undefined) pairs.set(before.toLowerCase(), after);
  };
  replace(system.SerialNumber, facts.serial);
  replace(system.UUID, facts.uuid);
  for (const [at, mac] of listIn(macs).entries()) replace(mac, facts.macs[at]);
  const replaceIn = (value: unknown): unknown => {
    if (typeof value === 'string') return pairs.get(value.toLowerCase()) ?? value;
    if (Array.isArray(value)) return value.map(replaceIn);
    if (!isObject(value)) return value;
    return Object.fromEntries(Object.entries(value).map(([key, held]) => [key, replaceIn(held)]));
  };
  return {
    ...(replaceIn(document) as JsonObject),
    '@odata.id': call.path === RECORDED_ROOT ? `${RECORDED_ROOT}/` : call.path,
  };
}
