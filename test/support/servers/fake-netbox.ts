/**
 * A NetBox for tests, with the answers that NetBox 4.6.8 gave to the same requests: pages with `next` and a limit, brief nested objects, filters that are
 * ignored if unknown and 400 if a slug is, `{ "detail": ... }` for 403, `{ field: [...] }` for 400, custom fields that must exist.
 */
import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { json } from 'node:stream/consumers';
import { type JsonObject, objectIn } from '../../../engine/vocabulary/json.ts';
import type { Scope } from '../ava/scope.ts';
import { Hearing } from './hearing.ts';

interface FakeDevice {
  id: number;
  name: string | null;
  serial?: string;
  assetTag?: string;
  role?: string;
  rack?: { id: number; name: string };
  position?: number;
  tenant?: string;
  oobIp?: string;
  macs?: readonly string[];
}

const slugged = (slug: string | undefined) =>
  slug === undefined ? null : { id: slug.length, url: '', display: slug, name: slug, slug, description: '' };

/** A device as `GET /api/dcim/devices/` lists it, with what is used of it. */
const deviceRecord = (device: FakeDevice): JsonObject => ({
  id: device.id,
  display: device.name ?? 'r650',
  name: device.name,
  device_type: { id: 1, manufacturer: slugged('dell'), model: 'PowerEdge R650', slug: 'r650' },
  role: slugged(device.role ?? 'server'),
  tenant: slugged(device.tenant),
  serial: device.serial ?? '',
  asset_tag: device.assetTag ?? null,
  site: slugged('fra1'),
  location: null,
  rack: device.rack === undefined ? null : { ...device.rack, display: device.rack.name, description: '' },
  position: device.position ?? null,
  face: device.position === undefined ? null : { value: 'front', label: 'Front' },
  status: { value: 'active', label: 'Active' },
  oob_ip: device.oobIp === undefined ? null : { id: 1, family: { value: 4, label: 'IPv4' }, address: device.oobIp },
});

export interface FakeNetBox {
  readonly url: string;
  readonly token: string;
  readonly devices: Map<number, JsonObject>;
  readonly interfaces: JsonObject[];
  readonly journal: JsonObject[];
  readonly fields: JsonObject[];
  /** Requests that change something, as `PATCH /api/...`, after the change. */
  readonly writes: Hearing<{ request: string; body: JsonObject }>;
  /** Absent: it answers as NetBox does. @returns whether it has answered */
  behave: ((request: IncomingMessage, response: ServerResponse) => boolean) | undefined;
  version: string;
  add(...devices: FakeDevice[]): void;
}

type Answer = [status: number, body: object];
const denied = (detail: string): Answer => [403, { detail }];

export async function startFakeNetBox(t: Scope): Promise<FakeNetBox> {
  const token = 'nbt_fake.0123456789abcdef';
  const server = createServer((request, response) => void respond(request, response));
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  t.teardown(() => {
    server.close();
    server.closeAllConnections();
  });
  const fake: FakeNetBox = {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    token,
    devices: new Map(),
    interfaces: [],
    journal: [],
    fields: [],
    writes: new Hearing(),
    behave: undefined,
    version: '4.6.8',
    add(...devices) {
      for (const device of devices) {
        const values = Object.fromEntries(fake.fields.map(({ name }) => [name, null]));
        fake.devices.set(device.id, { ...deviceRecord(device), custom_fields: values });
        for (const [index, mac] of (device.macs ?? []).entries()) fake.interfaces.push(interfaceOf(device, index, mac));
      }
    },
  };
  const respond = async (request: IncomingMessage, response: ServerResponse) => {
    if (fake.behave?.(request, response)) return;
    const body = request.method === 'GET' ? {} : objectIn(await json(request));
    const [status, content] =
      request.headers.authorization === `Bearer ${token}` ? answer(fake, request, body) : denied('Invalid v2 token');
    const { method, url = '' } = request;
    if (method !== 'GET') fake.writes.add({ request: `${method} ${url}`, body });
    response.writeHead(status, { 'content-type': 'application/json', 'api-version': '4.6' });
    response.end(JSON.stringify(content));
  };
  return fake;
}

const interfaceOf = ({ id, name }: FakeDevice, index: number, mac: string): JsonObject => ({
  id: id * 100 + index,
  device: { id, display: name, name },
  name: `eth${index}`,
  type: { value: '25gbase-x-sfp28', label: 'SFP28 (25GE)' },
  mgmt_only: false,
  mac_address: mac,
  primary_mac_address: { id: 1, mac_address: mac },
  mac_addresses: [{ id: 1, display: mac, mac_address: mac }],
});

function answer(fake: FakeNetBox, request: IncomingMessage, body: JsonObject): Answer {
  const { method = '', url = '' } = request;
  const { pathname, searchParams: query } = new URL(url, fake.url);
  const [, id] = /^\/api\/dcim\/devices\/(\d+)\/$/.exec(pathname) ?? [];
  if (method === 'PATCH' && id !== undefined) return patchedDevice(fake, Number(id), body);
  switch (`${method} ${pathname}`) {
    case 'GET /api/status/':
      return [200, { 'django-version': '6.0.8', 'netbox-version': fake.version, plugins: {} }];
    case 'GET /api/dcim/devices/':
      return devicesOf(fake, query);
    case 'GET /api/dcim/interfaces/':
      return page(
        fake.interfaces.filter(({ device }) => isAmong(query, 'device_id', objectIn(device).id)),
        query,
        url,
      );
    case 'GET /api/extras/custom-fields/':
      return page(
        fake.fields.filter(({ name }) => isAmong(query, 'name', name)),
        query,
        url,
      );
    case 'POST /api/extras/custom-fields/':
      fake.fields.push({ ...body, id: fake.fields.length + 1, type: { value: body.type } });
      for (const device of fake.devices.values()) objectIn(device.custom_fields)[String(body.name)] = null;
      return [201, body];
    case 'GET /api/extras/journal-entries/':
      return page(
        fake.journal.filter(({ comments, assigned_object_id: device }) => {
          return String(comments).includes(query.get('q') ?? '') && isAmong(query, 'assigned_object_id', device);
        }),
        query,
        url,
      );
    case 'POST /api/extras/journal-entries/':
      fake.journal.push({ id: fake.journal.length + 1, ...body });
      return [201, body];
    default:
      return [404, { detail: 'Not found.' }];
  }
}

const isAmong = (query: URLSearchParams, name: string, value: unknown): boolean =>
  !query.has(name) || query.getAll(name).includes(String(value));

function devicesOf(fake: FakeNetBox, query: URLSearchParams): Answer {
  const all = [...fake.devices.values()];
  const roles = all.map(({ role }) => objectIn(role).slug);
  const unknown = query.getAll('role').find((slug) => !roles.includes(slug));
  if (unknown !== undefined)
    return [400, { role: [`Select a valid choice. ${unknown} is not one of the available choices.`] }];
  const chosen = all.filter(({ id, role }) => isAmong(query, 'id', id) && isAmong(query, 'role', objectIn(role).slug));
  return page(chosen, query, `/api/dcim/devices/?${query}`);
}

/** Its largest page is smaller than asked for, as MAX_PAGE_SIZE may make it. */
function page(records: readonly JsonObject[], query: URLSearchParams, url: string): Answer {
  const [offset, limit] = [Number(query.get('offset') ?? 0), Math.min(2, Number(query.get('limit') ?? 50))];
  const hasNext = offset + limit < records.length;
  const next = hasNext ? `http://elsewhere.example${url}&offset=${offset + limit}` : null;
  return [200, { count: records.length, next, previous: null, results: records.slice(offset, offset + limit) }];
}

function patchedDevice(fake: FakeNetBox, id: number, { custom_fields: given }: JsonObject): Answer {
  const device = fake.devices.get(id);
  if (device === undefined) return [404, { detail: 'No Device matches the given query.' }];
  for (const name of Object.keys(objectIn(given))) {
    if (!fake.fields.some((field) => field.name === name))
      return [400, { custom_fields: { [name]: `Custom field '${name}' does not exist for this object type.` } }];
  }
  // A time is returned with microseconds.
  const values = Object.entries(objectIn(given)).map(([name, value]) => [
    name,
    typeof value === 'string' ? value.replace(/^(\d{4}-\d\d-\d\dT[\d:]+\.\d{3})Z$/, '$1000Z') : value,
  ]);
  device.custom_fields = { ...objectIn(device.custom_fields), ...Object.fromEntries(values) };
  return [200, device];
}
