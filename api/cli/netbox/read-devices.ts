/** Reads devices and their interfaces from NetBox. */
import { InvalidArgumentError } from 'commander';
import type { JsonObject } from '../../../engine/vocabulary/json.ts';
import { byDevice, type Device, deviceOf } from './device-records.ts';
import type { NetBox, NetBoxQuery } from './netbox-client.ts';

/** Others are refused: NetBox ignores a filter that it does not have, and would return all devices. */
const filterNames = [
  ...['id', 'name', 'site', 'site_group', 'region', 'location_id', 'rack', 'rack_id', 'role', 'tag', 'status'],
  ...[
    'tenant',
    'tenant_group',
    'manufacturer',
    'device_type',
    'model',
    'platform',
    'cluster_id',
    'serial',
    'asset_tag',
  ],
];

/** Ids in one query, whose address must stay short. */
const IDS_PER_QUERY = 50;

/** Adds a filter such as `site=fra1` to those before it. */
export function appendFilter(text: string, before: NetBoxQuery = []): NetBoxQuery {
  const [, name = '', value = ''] = /^([a-z_]+)=(.{1,200})$/.exec(text) ?? [];
  if (filterNames.includes(name) || /^cf_[a-z0-9_]{1,50}$/.test(name)) return [...before, [name, value]];
  throw new InvalidArgumentError(`Expected NAME=VALUE, NAME one of ${filterNames.join(', ')}, cf_FIELD.`);
}

/** @throws NetBoxError */
export async function readDevices(netBox: NetBox, filters: NetBoxQuery): Promise<Device[]> {
  const records = await netBox.list('dcim/devices/', [...filters, ['exclude', 'config_context']]);
  const ids = records.flatMap(({ id }) => (typeof id === 'number' ? [id] : []));
  const interfaces: JsonObject[] = [];
  for (const some of portions(ids)) {
    const query: NetBoxQuery = some.map((id) => ['device_id', String(id)]);
    interfaces.push(...(await netBox.list('dcim/interfaces/', query)));
  }
  const interfacesById = byDevice(interfaces);
  return records.flatMap((record) => deviceOf(record, interfacesById.get(record.id as number) ?? []) ?? []);
}

export function portions<T>(all: readonly T[], size = IDS_PER_QUERY): T[][] {
  const lists: T[][] = [];
  for (let from = 0; from < all.length; from += size) lists.push(all.slice(from, from + size));
  return lists;
}
