/**
 * The serial console that a Redfish service describes: `SerialConsole` of its ComputerSystem (DSP2046), or of the Manager,
 * as older services have it. Redfish has no stream over HTTP: it only says by which protocols there is one.
 */

import { theOnlySystem } from '../../define/obm.ts';
import { listIn, objectIn, property } from '../../vocabulary/json.ts';
import { SERVICE_ROOT } from '../redfish/service.ts';
import type { RedfishDriver } from './redfish-at.ts';
import { linkOf, type Resource, resourceLinks } from './redfish-resource.ts';

export interface DescribedConsole {
  /** UDP port of serial over LAN; undefined: the BMC does not offer it. */
  ipmiPort: number | undefined;
  /** The protocols that are enabled, such as `SSH`. */
  offers: string[];
}

const IPMI_PORT = 623;
const TYPE_LENGTH = 40;
const protocols = ['IPMI', 'SSH', 'Telnet', 'WebSocket'];

/** @throws ObmError */
export async function describedConsole(
  service: Pick<RedfishDriver, 'system' | 'ask'>,
  signal: AbortSignal,
): Promise<DescribedConsole> {
  const get = (path: string): Promise<Resource> => service.ask({ method: 'GET', path }, signal);
  const path = service.system ?? theOnlySystem(resourceLinks((await get(`${SERVICE_ROOT}Systems`)).Members));
  const system = await get(path);
  if (property(system, 'SerialConsole') !== undefined) return ofSystem(objectIn(system.SerialConsole));
  const [manager] = listIn(property(system.Links, 'ManagedBy'));
  return manager === undefined
    ? { ipmiPort: undefined, offers: [] }
    : ofManager(objectIn((await get(linkOf(manager))).SerialConsole));
}

function ofSystem(described: Resource): DescribedConsole {
  const isEnabled = (name: string) =>
    described[name] !== undefined && property(described[name], 'ServiceEnabled') !== false;
  const port = property(described.IPMI, 'Port');
  return {
    ipmiPort: isEnabled('IPMI') ? (typeof port === 'number' ? port : IPMI_PORT) : undefined,
    offers: protocols.filter(isEnabled),
  };
}

function ofManager(described: Resource): DescribedConsole {
  const types = listIn(described.ConnectTypesSupported).map((type) => String(type).slice(0, TYPE_LENGTH));
  const offers = described.ServiceEnabled === false ? [] : types.slice(0, protocols.length);
  return { ipmiPort: offers.includes('IPMI') ? IPMI_PORT : undefined, offers };
}
