/** How a machine that boots from virtual media gets its address: these settings, or DHCP where a config has none. */
import { BlockList, isIP } from 'node:net';
import { type Static, Type } from 'typebox';
import type { Violation } from '../../vocabulary/errors.ts';

const address = Type.String({ pattern: '^[0-9A-Fa-f.:]+$', maxLength: 45 });

export const BootNetwork = Type.Object(
  {
    mac: Type.Optional(Type.String({ pattern: '^[0-9A-Fa-f]{2}(:[0-9A-Fa-f]{2}){5}$' })),
    address: Type.String({ pattern: '^[0-9A-Fa-f.:]+/\\d{1,3}$', maxLength: 49 }),
    gateway: Type.Optional(address),
    dns: Type.Optional(Type.Array(address, { maxItems: 3 })),
    vlan: Type.Optional(Type.Integer({ minimum: 1, maximum: 4_094 })),
  },
  { additionalProperties: false },
);
export type BootNetwork = Static<typeof BootNetwork>;

/** @param network fits the schema @returns what the schema cannot check */
export function networkViolations({ address: subnet, gateway, dns = [] }: BootNetwork): Violation[] {
  const [ip = '', prefix = ''] = subnet.split('/');
  const family = isIP(ip);
  if (family === 0 || Number(prefix) > (family === 4 ? 32 : 128))
    return [{ path: 'network.address', message: `found ${subnet}; expected an address and a prefix, as 10.2.0.7/24` }];
  const wrong = dns.filter((server) => isIP(server) === 0);
  const violations = wrong.map((server) => ({ path: 'network.dns', message: `found ${server}; expected an address` }));
  if (gateway !== undefined && !isOnLink(gateway, ip, Number(prefix)))
    violations.push({ path: 'network.gateway', message: `found ${gateway}; expected an address in ${subnet}` });
  return violations;
}

function isOnLink(gateway: string, ip: string, prefix: number): boolean {
  const family = isIP(ip) === 4 ? 'ipv4' : 'ipv6';
  if (isIP(gateway) !== isIP(ip)) return false;
  const link = new BlockList();
  link.addSubnet(ip, prefix, family);
  return link.check(gateway, family);
}
