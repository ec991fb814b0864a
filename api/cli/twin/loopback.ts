/** Where a twin may send: to this host only, whatever URL it was given. */
import { readlinkSync } from 'node:fs';
import { isOnLoopback } from '../../../engine/hardware/twin/bmc/loopback-url.ts';

/** Whether the URL leads to this host. `localhost` is the only name that does, whatever a resolver says. */
export const isLoopback = (url: string): boolean =>
  isOnLoopback(url) || (URL.canParse(url) && new URL(url).hostname === 'localhost');

/** Whether this process is in a network namespace of its own, not that of the host's first process. */
export function isInNamespace(): boolean {
  try {
    return readlinkSync('/proc/self/ns/net') !== readlinkSync('/proc/1/ns/net');
  } catch {
    // Not readable: it cannot be known, so it is not.
    return false;
  }
}
