/** The addresses of BMCs that a discovery out of band is given: single ones, ranges, subnets, and origins. */
import { BlockList, isIP, isIPv4 } from 'node:net';
import { isNoAddress } from '../../define/address.ts';
import type { Violation } from '../../vocabulary/errors.ts';

/** Limit of addresses in one launch. */
export const BMC_LIMIT = 256;

export interface DiscoveryTargets {
  /** Addresses, names, and origins such as `https://10.1.1.7:8443`; each once. */
  targets: string[];
  violations: Violation[];
}

/** Addresses that no BMC has: those of no host, and of many. */
const implausible = new BlockList();
for (const [address, bits] of [
  ['0.0.0.0', 8],
  ['224.0.0.0', 3],
] as const)
  implausible.addSubnet(address, bits, 'ipv4');
implausible.addAddress('::', 'ipv6');
implausible.addSubnet('ff00::', 8, 'ipv6');

const RANGE = /^(\d+\.\d+\.\d+\.\d+)-(\d+|\d+\.\d+\.\d+\.\d+)$/;
const SUBNET = /^(\d+\.\d+\.\d+\.\d+)\/(\d{1,2})$/;
const NAME = /^[A-Za-z0-9:][A-Za-z0-9.:_-]*$/;

export function discoveryTargets(given: readonly string[]): DiscoveryTargets {
  const violations: Violation[] = [];
  const targets = new Set<string>();
  for (const [index, entry] of given.entries()) {
    const addresses = addressesIn(entry);
    const wrong = typeof addresses === 'string' ? addresses : implausibleIn(addresses);
    if (wrong !== undefined) violations.push({ path: `addresses.${index}`, message: `found ${entry}; ${wrong}` });
    else for (const one of addresses) targets.add(one);
  }
  if (targets.size > BMC_LIMIT) violations.push({ path: 'addresses', message: tooMany(targets.size) });
  return { targets: [...targets], violations };
}

/** @returns the host of a target, as obms are looked up by it */
export const hostOfTarget = (target: string): string =>
  (target.includes('://') ? new URL(target).hostname.replace(/^\[|\]$/g, '') : target).toLowerCase();

const tooMany = (count: number) => `has ${count} addresses; expected ${BMC_LIMIT} at most`;

/** @returns a text that says what was expected, if the entry is none */
function addressesIn(entry: string): string[] | string {
  const [, first = '', last = ''] = RANGE.exec(entry) ?? [];
  if (first !== '') return between(first, last.includes('.') ? last : `${first.replace(/\d+$/, '')}${last}`);
  const [, network = '', bits = ''] = SUBNET.exec(entry) ?? [];
  if (network !== '') return hostsOf(network, Number(bits));
  if (entry.includes('://')) return originIn(entry);
  return NAME.test(entry) && !isNoAddress(entry) ? [entry] : 'expected an address, a range, a subnet, or an origin';
}

function between(first: string, last: string): string[] | string {
  if (!isIPv4(first) || !isIPv4(last) || numberOf(last) < numberOf(first))
    return 'expected a range such as 10.1.1.10-10.1.1.40';
  return addressesBetween(numberOf(first), numberOf(last));
}

/** Without the addresses of the network and of all its hosts. */
function hostsOf(network: string, bits: number): string[] | string {
  if (!isIPv4(network) || bits > 32) return 'expected a subnet such as 10.1.1.0/24';
  const size = 2 ** (32 - bits);
  const start = Math.floor(numberOf(network) / size) * size;
  const aside = size > 2 ? 1 : 0;
  return addressesBetween(start + aside, start + size - 1 - aside);
}

function addressesBetween(first: number, last: number): string[] | string {
  const count = last - first + 1;
  return count > BMC_LIMIT ? tooMany(count) : Array.from({ length: count }, (_, at) => addressOf(first + at));
}

function originIn(entry: string): string[] | string {
  const url = URL.canParse(entry) ? new URL(entry) : undefined;
  const isOrigin = url !== undefined && /^https?:$/.test(url.protocol) && `${url.username}${url.password}` === '';
  return isOrigin ? [url.origin] : 'expected an origin such as https://10.1.1.7:8443, without a user';
}

function implausibleIn(addresses: readonly string[]): string | undefined {
  const isWrong = (host: string) => isIP(host) !== 0 && implausible.check(host, isIP(host) === 6 ? 'ipv6' : 'ipv4');
  const wrong = addresses.map(hostOfTarget).find(isWrong);
  return wrong === undefined ? undefined : `no BMC has the address ${wrong}`;
}

const numberOf = (address: string): number => address.split('.').reduce((sum, byte) => sum * 256 + Number(byte), 0);
const addressOf = (number: number): string => [24, 16, 8, 0].map((shift) => (number >>> shift) % 256).join('.');
