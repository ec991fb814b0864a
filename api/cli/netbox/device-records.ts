/** Devices of NetBox with what is used of them. Texts come from others: they get a limit, and lose what a terminal obeys. */
import { isObject, type JsonObject, listIn, objectIn, property } from '../../../engine/vocabulary/json.ts';
import { macOf } from '../../../engine/vocabulary/mac.ts';
import { printableText } from '../terminal.ts';
import { keyedLists } from './keyed-lists.ts';

export interface Device {
  id: number;
  /** Its name, else its asset tag, else `netbox-device-ID`: NetBox permits devices without a name. */
  name: string;
  /** '' in each of these: unknown. */
  serial: string;
  /** Slug of its tenant. */
  tenant: string;
  rack: { id: number; name: string } | undefined;
  /** The lowest unit of the rack that it occupies. */
  unit: number | undefined;
  /** Address of its BMC, without the length of the prefix. */
  oobIp: string;
  /** Normalized; of its physical interfaces that are not for management only. */
  macs: readonly string[];
  /** Facts without a field of nodes: the catalog `netbox`. */
  facts: JsonObject;
}

const LONGEST_TEXT = 200;
/** More than any server has. */
const MAX_MACS = 256;
/** They have the MAC of another interface, or one that no boot sends. */
const NOT_PHYSICAL = ['virtual', 'bridge', 'lag'];

export const cleanText = (value: unknown): string =>
  typeof value === 'string' ? printableText(value).trim().slice(0, LONGEST_TEXT) : '';

const idIn = (value: unknown): number | undefined => {
  const id = property(value, 'id');
  return typeof id === 'number' && Number.isSafeInteger(id) && id > 0 ? id : undefined;
};

const field = (record: JsonObject, name: string, key: string): string => cleanText(property(record[name], key));

/** @param interfaces of the device, as NetBox lists them @returns undefined: the record is no device */
export function deviceOf(record: JsonObject, interfaces: readonly JsonObject[]): Device | undefined {
  const id = idIn(record);
  if (id === undefined) return undefined;
  const assetTag = cleanText(record.asset_tag);
  const rackId = idIn(record.rack);
  const position = typeof record.position === 'number' ? record.position : undefined;
  const deviceType = objectIn(record.device_type);
  const rack =
    rackId === undefined ? undefined : { id: rackId, name: field(record, 'rack', 'name') || `rack-${rackId}` };
  const oobIp = field(record, 'oob_ip', 'address').replace(/\/\d+$/, '');
  return {
    id,
    name: cleanText(record.name) || assetTag || deviceIdentifier(id),
    serial: cleanText(record.serial),
    tenant: field(record, 'tenant', 'slug'),
    rack,
    unit: position === undefined || position < 1 ? undefined : Math.floor(position),
    oobIp,
    macs: macsOf(interfaces),
    facts: {
      id,
      name: cleanText(record.name),
      serial: cleanText(record.serial),
      assetTag,
      status: field(record, 'status', 'value'),
      site: field(record, 'site', 'slug'),
      location: field(record, 'location', 'slug'),
      rack: rack?.name ?? '',
      position: position ?? null,
      face: field(record, 'face', 'value'),
      role: field(record, 'role', 'slug'),
      tenant: field(record, 'tenant', 'slug'),
      manufacturer: field(deviceType, 'manufacturer', 'slug'),
      deviceType: cleanText(deviceType.slug),
      model: cleanText(deviceType.model),
      oobIp,
    },
  };
}

/** By the id of their device. */
export const byDevice = (interfaces: readonly JsonObject[]): Map<number, JsonObject[]> =>
  keyedLists(interfaces, ({ device }) => [idIn(device) ?? []].flat());

/** NetBox 4.2 and newer have a list of addresses for each interface; older ones have one address. */
function macsOf(interfaces: readonly JsonObject[]): string[] {
  const isUsed = (one: JsonObject) => one.mgmt_only !== true && !NOT_PHYSICAL.includes(field(one, 'type', 'value'));
  const texts = interfaces.filter(isUsed).flatMap((one) => [
    one.mac_address,
    ...listIn(one.mac_addresses)
      .filter(isObject)
      .map((mac) => mac.mac_address),
  ]);
  const macs = texts.flatMap((text) => (typeof text === 'string' ? (macOf(text) ?? []) : []));
  return [...new Set(macs)].sort().slice(0, MAX_MACS);
}

/** The identifier of a node by which it belongs to a device. */
export const deviceIdentifier = (id: number): string => `netbox-device-${id}`;

export const rackIdentifier = (id: number): string => `netbox-rack-${id}`;

/** @returns the id of the device that the node belongs to */
export function linkedDevice({ identifiers }: { identifiers: readonly string[] }): number | undefined {
  for (const identifier of identifiers) {
    const [, id] = /^netbox-device-(\d{1,15})$/.exec(identifier) ?? [];
    if (id !== undefined) return Number(id);
  }
  return undefined;
}
