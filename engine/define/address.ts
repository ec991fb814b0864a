/** Names and addresses of hosts, where a pattern cannot tell an address from what only looks like one. */
import { isIP, isIPv6 } from 'node:net';
import { macOf } from '../vocabulary/mac.ts';

/** Whether a host is only digits and dots, or has colons, and is neither an address nor a MAC, such as `999.1.1.1`. */
export function isNoAddress(host: string): boolean {
  if (/^[\d.]+$/.test(host)) return isIP(host) === 0;
  return host.includes(':') && macOf(host) === undefined && !isIPv6(host);
}

/** Whether a URL, or a path, names a host that cannot be one. */
export const isNoUrl = (place: string): boolean => place.includes('://') && !URL.canParse(place);

const BYTE = '(25[0-5]|2[0-4][0-9]|1[0-9][0-9]|[1-9]?[0-9])';
/** Pattern of an IPv4 address. */
export const IPV4_PATTERN = `^${BYTE}(\\.${BYTE}){3}$`;
