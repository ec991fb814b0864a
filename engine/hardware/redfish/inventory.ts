/**
 * Everything that a BMC says of its machine, as catalogs: `redfish-system`, `redfish-bios`, `redfish-chassis`, `redfish-manager`
 * and `redfish-firmware`. Links to parts are replaced by the parts. Read-only.
 *
 * A BMC is limited in requests and in bytes; its time is limited by the signal of its requests.
 */
import { ObmError } from '../../define/index.ts';
import { listIn, objectIn } from '../../vocabulary/json.ts';
import { macOf } from '../../vocabulary/mac.ts';
import { fieldOf } from '../../vocabulary/thrown-values.ts';
import { MIB } from '../../vocabulary/units.ts';
import { type Ask, type Json, linkIn, MEMBER_LIMIT, SERVICE_ROOT } from './service.ts';

export interface BmcInventory {
  catalogs: Record<string, Json | Json[]>;
  /** Those of the machine, sorted. */
  macs: string[];
}

const REQUESTS = 1_000;
const BYTES = 8 * MIB;
const MACS = 64;

/** Parts of a system that are collections, or lists of links. */
const partsOfSystem = ['Processors', 'Memory', 'EthernetInterfaces', 'NetworkInterfaces', 'Storage', 'PCIeDevices'];

/** @param system path of the ComputerSystem @throws ObmError */
export async function inventoryOf(ask: Ask, system: string): Promise<BmcInventory> {
  const read = withLimits(ask);
  const root = await read({ method: 'GET', path: SERVICE_ROOT });
  const machine = await read({ method: 'GET', path: system });
  for (const name of partsOfSystem) await expand(read, machine, name);
  for (const storage of listIn(machine.Storage)) await expand(read, objectIn(storage), 'Drives');
  const { FirmwareInventory: inventory } = (await partAt(read, root.UpdateService)) ?? {};
  const all = {
    'redfish-system': machine,
    'redfish-bios': await partsAt(read, machine.Bios),
    'redfish-chassis': await partsAt(read, root.Chassis),
    'redfish-manager': await partsAt(read, root.Managers),
    'redfish-firmware': await partsAt(read, inventory),
  };
  return {
    catalogs: Object.fromEntries(Object.entries(all).flatMap(([source, data]) => (data ? [[source, data]] : []))),
    macs: macsIn(listIn(machine.EthernetInterfaces)),
  };
}

/** Returns the MACs of the machine, sorted. @param system path of the ComputerSystem @throws ObmError */
export async function macsOf(ask: Ask, system: string): Promise<string[]> {
  const read = withLimits(ask);
  const { EthernetInterfaces: interfaces } = await read({ method: 'GET', path: system });
  return macsIn(listIn(await partsAt(read, interfaces)));
}

/** @throws ObmError OBM_FAILED beyond the limits */
function withLimits(ask: Ask): Ask {
  let [requests, bytes] = [0, 0];
  return async (request) => {
    requests += 1;
    if (requests > REQUESTS) throw new ObmError('OBM_FAILED', `the BMC has more than ${REQUESTS} resources`);
    const resource = await ask(request);
    bytes += JSON.stringify(resource).length;
    if (bytes > BYTES) throw new ObmError('OBM_FAILED', `the resources of the BMC have more than ${BYTES} bytes`);
    return resource;
  };
}

/** Replaces a link, a collection, or a list of links by what is there. */
async function expand(ask: Ask, resource: Json, name: string): Promise<void> {
  const part = Array.isArray(resource[name]) ? await partsIn(ask, resource[name]) : await partsAt(ask, resource[name]);
  if (part !== undefined) resource[name] = part;
}

/** @returns the members of a collection, or the resource itself; undefined: there is none */
async function partsAt(ask: Ask, link: unknown): Promise<Json | Json[] | undefined> {
  const resource = await partAt(ask, link);
  return Array.isArray(resource?.Members) ? partsIn(ask, resource.Members) : resource;
}

async function partsIn(ask: Ask, links: readonly unknown[]): Promise<Json[]> {
  const resources: Json[] = [];
  // In sequence: BMCs serve few requests at a time.
  for (const link of links.slice(0, MEMBER_LIMIT)) {
    const resource = await partAt(ask, link);
    if (resource !== undefined) resources.push(resource);
  }
  return resources;
}

/** BMCs name parts that they do not have, or that the account may not read: these are left out. */
async function partAt(ask: Ask, link: unknown): Promise<Json | undefined> {
  const path = linkIn(link);
  if (path === undefined) return undefined;
  try {
    return await ask({ method: 'GET', path });
  } catch (error) {
    const status = Number(fieldOf(error, 'status'));
    if (status >= 400 && status < 500) return undefined;
    throw error;
  }
}

/** Neither that of no interface, nor one of a group. */
const isOwn = (mac: string): boolean => !/^.[13579bdf]/.test(mac) && mac !== '00:00:00:00:00:00';

function macsIn(interfaces: readonly unknown[]): string[] {
  const macs = interfaces.flatMap((one) => {
    const { PermanentMACAddress: permanent, MACAddress: mac } = objectIn(one);
    return macOf(String(permanent || mac)) ?? [];
  });
  return [...new Set(macs.filter(isOwn))].sort().slice(0, MACS);
}
