/** The settings of a node in its boot image: lines `name=value`, which the microkernel's `init` reads and never runs. */
import type { BootNetwork } from '../../hardware/obm/boot-network.ts';
import { macOf } from '../../vocabulary/mac.ts';

interface NodeAccess {
  /** Base URL of the southbound API. */
  api: string;
  node: string;
  key: string;
}

/** @param network absent: by DHCP */
export function nodeSettings(access: NodeAccess, network: BootNetwork | undefined): string {
  const { mac, dns = [], ...address } = network ?? {};
  const lines = [
    ...Object.entries(access),
    ['network', network === undefined ? 'dhcp' : 'static'],
    ...(mac === undefined ? [] : [['mac', macOf(mac)]]),
    ...Object.entries(address),
    ...dns.map((server) => ['dns', server]),
  ];
  return lines.map(([name, value]) => `${name}=${value}\n`).join('');
}
