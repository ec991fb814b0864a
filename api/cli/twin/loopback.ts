/** Where a twin may send: to this host only, whatever URL it was given. */
import { readlinkSync } from 'node:fs';
import { BlockList, isIP } from 'node:net';

const own = new BlockList();
own.addSubnet('127.0.0.0', 8, 'ipv4');
own.addAddress('::1', 'ipv6');

/** Whether the URL leads to this host. A name other than `localhost` does not: a resolver may say anything. */
export function isLoopback(url: string): boolean {
  if (!URL.canParse(url)) return false;
  const host = new URL(url).hostname.replace(/^\[|\]$/g, '');
  const family = isIP(host);
  return host === 'localhost' || (family !== 0 && own.check(host, family === 6 ? 'ipv6' : 'ipv4'));
}

/** Whether this process is in a network namespace of its own, not that of the host's first process. */
export function isInNamespace(): boolean {
  try {
    return readlinkSync('/proc/self/ns/net') !== readlinkSync('/proc/1/ns/net');
  } catch {
    // Not readable: it cannot be known, so it is not.
    return false;
  }
}
