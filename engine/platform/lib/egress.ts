/**
 * The hosts to which requests may go whose URLs users write: REST tasks, installation sources, web hooks.
 *
 * 1. `allow` permits, then `deny` forbids, then the defaults forbid; everything else is permitted.
 * 2. The defaults: link-local addresses and others where clouds and BMCs have services without log-in; and loopback,
 *    except on a daemon whose users are on this machine anyway.
 * 3. An IPv4 address is also judged in the IPv6 addresses that gateways translate to it.
 * 4. A name is judged by the addresses that the connection uses, so that no other answer of a resolver comes in between.
 */
import { lookup } from 'node:dns';
import { BlockList, isIP } from 'node:net';
import type { HostCheck } from '../../define/operation.ts';
import { PermanentError } from '../../vocabulary/errors.ts';

export interface EgressLists {
  readonly allow: readonly string[];
  readonly deny: readonly string[];
}

/** The last two have the metadata of AWS and Google, as 169.254.169.254 has. */
const forbidden = ['169.254.0.0/16', 'fe80::/10', '0.0.0.0/32', '::/128', 'fd00:ec2::254', 'fd20:ce::254'];
const loopback = ['127.0.0.0/8', '::1/128'];

/** Host names, `*.example.com`, `*`, addresses and subnets. */
class Hosts {
  readonly #names: readonly string[];
  readonly #addresses = new BlockList();

  constructor(entries: readonly string[]) {
    this.#names = entries.filter((entry) => isIP(addressIn(entry)) === 0).map(plainName);
    for (const entry of entries) {
      const address = addressIn(entry);
      const [family, bits] = isIP(address) === 6 ? (['ipv6', 128] as const) : (['ipv4', 32] as const);
      const length = Number(entry.split('/')[1] ?? bits);
      if (isIP(address) !== 0) this.#addresses.addSubnet(address, length, family);
      if (isIP(address) !== 4) continue;
      for (const [prefix, before] of translatedForms(address))
        this.#addresses.addSubnet(prefix, before + length, 'ipv6');
    }
  }

  has(name: string, address: string | undefined): boolean {
    const isNamed = this.#names.some((entry) => entry === '*' || entry === name || isBelow(name, entry));
    return isNamed || (address !== undefined && this.#addresses.check(address, isIP(address) === 6 ? 'ipv6' : 'ipv4'));
  }
}

/** The dot at the end of a name, for its root, changes nothing about its host. */
const plainName = (name: string): string => name.toLowerCase().replace(/\.$/, '');

/** The IPv6 addresses that gateways translate to an IPv4 address, and their bits before it: NAT64, SIIT and 6to4. */
function translatedForms(address: string): [string, number][] {
  const [a = 0, b = 0, c = 0, d = 0] = address.split('.').map(Number);
  const words = [(a << 8) | b, (c << 8) | d].map((word) => word.toString(16)).join(':');
  return [
    [`64:ff9b::${words}`, 96],
    [`64:ff9b:1::${words}`, 96],
    [`::ffff:0:${words}`, 96],
    [`2002:${words}::`, 16],
  ];
}

const addressIn = (entry: string): string => entry.split('/')[0] ?? '';
const isBelow = (name: string, entry: string): boolean => entry.startsWith('*.') && name.endsWith(entry.slice(1));

export class Egress implements HostCheck {
  readonly #allow: Hosts;
  readonly #deny: Hosts;
  readonly #defaults: Hosts;

  /** @param isLocal users can reach the daemon from this machine only */
  constructor({ allow, deny }: EgressLists, isLocal: boolean) {
    this.#allow = new Hosts(allow);
    this.#deny = new Hosts(deny);
    this.#defaults = new Hosts(isLocal ? forbidden : [...forbidden, ...loopback]);
  }

  /** Called before each request: no look-up happens for an address. @throws PermanentError EGRESS_DENIED */
  check(url: string): void {
    const host = new URL(url).hostname.replace(/^\[|\]$/g, '');
    this.#need(host, isIP(host) === 0 ? undefined : host);
  }

  /** For connections. */
  readonly lookup: HostCheck['lookup'] = (name, options, done) => {
    lookup(name, { ...options, all: true }, (error, addresses) => {
      if (error !== null) return done(error, '');
      try {
        for (const { address } of addresses) this.#need(name, address);
      } catch (denied) {
        return done(denied as Error, '');
      }
      const [first] = addresses;
      return options.all === true ? done(null, addresses) : done(null, first?.address ?? '', first?.family);
    });
  };

  #need(name: string, address: string | undefined): void {
    const host = plainName(name);
    if (this.#allow.has(host, address)) return;
    if (!this.#deny.has(host, address) && !this.#defaults.has(host, address)) return;
    const hostText = address === undefined || address === name ? name : `${name} (${address})`;
    throw new PermanentError(
      `requests to ${hostText} are not permitted; choose another host, or have it added to egress.allow in the configuration`,
      'EGRESS_DENIED',
    );
  }
}
